"""Which pods a pod that fits nowhere would preempt.

Source: `defaultpreemption` and `framework/preemption` of kube-scheduler; `importance`, reprieve and the choice among
candidates are the same from 1.29 to 1.36.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from msgspec import field

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.priority import NEVER
from kubelint_gpu.scheduler.candidate import Candidate, best, lower_pods, stripped, victims_on
from kubelint_gpu.scheduler.fit import FitResult, judged
from kubelint_gpu.scheduler.framework.equality import kind_of
from kubelint_gpu.scheduler.framework.node_classes import NodeClass
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Code, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import PartlyCompared, replace

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
POLICY_NEVER = "not eligible due to preemptionPolicy=Never."
TERMINATING = "not eligible due to a terminating pod on the nominated node."
_NO_VICTIMS = Status("DefaultPreemption", Code.UNRESOLVABLE, (NO_VICTIMS,))


class Preemption(PartlyCompared):
    """The result of trying to preempt pods of lower priority.

    Attributes:
        ineligible: why the pod must not preempt, in the scheduler's words; empty if it may.
        outcomes: the nodes in classes; status None means that preemption makes room there.
        helpless: how many nodes are not in `outcomes`, because no preemption helps there.
    """

    not_compared = frozenset({"_choice", "_choose"})
    ineligible: str = ""
    outcomes: tuple[NodeClass, ...] = ()
    helpless: int = 0
    _choose: Callable[[], tuple[Candidate, ...]] = tuple
    _choice: list[tuple[Candidate, ...]] = field(default_factory=list)

    @property
    def eligible(self) -> bool:
        """Whether the pod may preempt."""
        return not self.ineligible

    @property
    def succeeds(self) -> bool:
        """Whether preemption makes room on some node."""
        return any(found.status is None for found in self.outcomes)

    @property
    def best(self) -> tuple[Candidate, ...]:
        """The candidates that tie, by node name; the scheduler chooses among them at random.

        They are computed when they are first needed.
        """
        if not self._choice:
            self._choice.append(self._choose())
        return self._choice[0]

    @property
    def nominated(self) -> str | None:
        """The chosen node: of those that tie, the first by name."""
        return self.best[0].node if self.succeeds else None

    @property
    def victims(self) -> tuple[Pod, ...]:
        """The victims there, the most important first."""
        return self.best[0].victims if self.succeeds else ()

    @property
    def violations(self) -> int:
        """How many of the victims a PodDisruptionBudget protects."""
        return self.best[0].violations if self.succeeds else 0

    @property
    def alternatives(self) -> tuple[Candidate, ...]:
        """The other candidates that tie with the chosen one."""
        return self.best[1:] if self.succeeds else ()

    @property
    def statuses(self) -> dict[str, Status]:
        """Why preemption does not help, by the name of each node that was tried."""
        found = {node.name: one.status for one in self.outcomes if one.status is not None for node in one.nodes}
        return {name: found[name] for name in sorted(found)}


def preempt(pod: Pod, snapshot: Snapshot, result: FitResult) -> Preemption:
    """Preemption for a pod that fits on no node.

    It tries every node that preemption can help; the scheduler stops after enough candidates.
    """
    ineligible = _ineligible(pod, snapshot, result)
    if ineligible:
        return Preemption(ineligible)
    priority = pod.spec.priority or 0
    outcomes: list[NodeClass] = []
    tried = 0
    for found in result.classes:
        if found.status is None or found.status.code is not Code.UNSCHEDULABLE:
            continue
        for part in found.by_pods(snapshot):
            tried += part.size
            outcomes.append(replace(part, status=_tried(priority, part.representative, result)))
    every = tuple(outcomes)
    return Preemption("", every, result.total - tried, lambda: _choose(pod, snapshot, result, every))


def _ineligible(pod: Pod, snapshot: Snapshot, result: FitResult) -> str:
    if pod.spec.preemption_policy == NEVER:
        return POLICY_NEVER
    nominated = snapshot.node(pod.nominated_node_name) if pod.nominated_node_name else None
    if nominated is None or _resolved_against(nominated, result):
        return ""
    priority = pod.spec.priority or 0
    for other in nominated.pods:
        if other.preempted and other.meta.terminating and (other.spec.priority or 0) < priority:
            return TERMINATING
    return ""


def _resolved_against(node: NodeInfo, result: FitResult) -> bool:
    if result.prefilter is not None:
        return result.prefilter.code is Code.UNRESOLVABLE
    for found in result.classes:
        if any(one.name == node.name for one in found.nodes):
            return found.status is not None and found.status.code is Code.UNRESOLVABLE
    return True


def _tried(priority: int, node: NodeInfo, result: FitResult) -> Status | None:
    lower = tuple([pod for pod in node.pods if (pod.spec.priority or 0) < priority])
    if not lower:
        return _NO_VICTIMS
    return judged(stripped(result.active, lower, node), node.without(lower))


def _choose(pod: Pod, snapshot: Snapshot, result: FitResult, outcomes: Sequence[NodeClass]) -> tuple[Candidate, ...]:
    found: list[Candidate] = []
    by_name = any(budget.disrupted_pods for budget in snapshot.cluster.disruption_budgets)
    for one in outcomes:
        if one.status is not None:
            continue
        known: dict[Hashable, tuple[tuple[int, ...], int]] = {}
        for node in one.nodes:
            lower = lower_pods(pod, node)
            like = node.name if by_name else tuple([kind_of(other, snapshot.memory) for other in lower])
            if like not in known:
                candidate = victims_on(pod, node, snapshot, result.active)
                gone = candidate.victims
                places = tuple([place for place, other in enumerate(lower) if any(other is one for one in gone)])
                known[like] = places, candidate.violations
            places, violations = known[like]
            found.append(Candidate(node.name, tuple([lower[place] for place in places]), violations))
    return best(found) if found else ()
