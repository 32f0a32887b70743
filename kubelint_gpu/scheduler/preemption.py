"""Which pods a pod that fits nowhere would preempt.

Source: `defaultpreemption` and `framework/preemption` of kube-scheduler; `importance`, reprieve and the choice among
candidates are the same from 1.29 to 1.36.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter
from typing import Any

from msgspec import field

from kubelint_gpu.kube.objects.disruption import allowed_disruptions
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.priority import NEVER
from kubelint_gpu.scheduler.fit import Active, FitResult, judged
from kubelint_gpu.scheduler.framework.equality import kind_of
from kubelint_gpu.scheduler.framework.node_classes import NodeClass
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Code, Filter, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import PartlyCompared, Value, replace

_NOW = "\U0010ffff"
_LOWEST = 2**31


class Candidate(Value):
    """A node on which preemption makes room.

    `victims` come in the order of importance; `violations` counts those that a PodDisruptionBudget protects.
    """

    node: str
    victims: tuple[Pod, ...]
    violations: int = 0


def importance(pod: Pod) -> tuple[int, str]:
    """A sort key with more important pods first: higher priority, then earlier start; without a start it is now."""
    return -(pod.spec.priority or 0), pod.start_time or _NOW


def stripped(active: Active, gone: tuple[Pod, ...], node: NodeInfo) -> list[tuple[Filter, Any]]:
    """The filters with their states as if some pods of a node were gone."""
    return [
        (plugin.filter, state if plugin.without is None else plugin.without(state, gone, node))
        for plugin, state in active
    ]


def lower_pods(pod: Pod, node: NodeInfo) -> list[Pod]:
    """The pods of a node with lower priority than `pod`, the most important first."""
    priority = pod.spec.priority or 0
    return sorted([one for one in node.pods if (one.spec.priority or 0) < priority], key=importance)


def victims_on(pod: Pod, node: NodeInfo, snapshot: Snapshot, active: Active) -> Candidate:
    """The victims for `pod` on a node: all pods of lower priority leave, then as many as possible return.

    Those that a PodDisruptionBudget protects return first, the more important ones earlier.
    """
    lower = lower_pods(pod, node)
    violating, others = split_by_budget(lower, snapshot)
    left = node.without(lower)
    gone = tuple(lower)
    kept = 0
    for position, one in enumerate((*violating, *others)):
        trial, room = tuple(other for other in gone if other is not one), left.with_pod(one)
        if judged(stripped(active, trial, node), room) is None:
            gone, left = trial, room
            kept += position < len(violating)
    return Candidate(node.name, gone, len(violating) - kept)


def split_by_budget(pods: Sequence[Pod], snapshot: Snapshot) -> tuple[list[Pod], list[Pod]]:
    """Split pods by whether their eviction violates a PodDisruptionBudget; earlier pods use budgets first."""
    budgets = snapshot.cluster.disruption_budgets
    if not budgets:
        return [], list(pods)
    left = dict(enumerate(_allowed(snapshot)))
    violating: list[Pod] = []
    others: list[Pod] = []
    for pod in pods:
        broken = False
        for number, budget in enumerate(budgets):
            if budget.restrains_preemption(pod):
                left[number] -= 1
                broken = broken or left[number] < 0
        (violating if broken else others).append(pod)
    return violating, others


def _allowed(snapshot: Snapshot) -> tuple[int, ...]:
    return snapshot.derived(
        "allowed disruptions",
        lambda _: tuple(allowed_disruptions(one, snapshot.pods) for one in snapshot.cluster.disruption_budgets),
    )


def best(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates that tie by the scheduler's criteria, by node name."""
    left = sorted(candidates, key=lambda candidate: candidate.node)
    for criterion in (attrgetter("violations"), _highest_priority, _sum_of_priorities, lambda one: len(one.victims)):
        lowest = min(criterion(candidate) for candidate in left)
        left = [candidate for candidate in left if criterion(candidate) == lowest]
    latest = max(_earliest_start(candidate) for candidate in left)
    return tuple(candidate for candidate in left if _earliest_start(candidate) == latest)


def _highest_priority(candidate: Candidate) -> int:
    return candidate.victims[0].spec.priority or 0


def _sum_of_priorities(candidate: Candidate) -> int:
    return sum((victim.spec.priority or 0) + _LOWEST for victim in candidate.victims)


def _earliest_start(candidate: Candidate) -> str:
    highest = _highest_priority(candidate)
    return min(victim.start_time or _NOW for victim in candidate.victims if (victim.spec.priority or 0) == highest)


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
