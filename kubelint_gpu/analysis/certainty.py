"""Results that no further nodes can change: because of a quota, an exclusive claim, or pods bound to declared nodes."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.analysis.beyond.cluster_beyond import cluster_beyond
from kubelint_gpu.analysis.predecessors import contradicts_nodes, is_made
from kubelint_gpu.analysis.rollout_facts import judgements_in, next_rollouts
from kubelint_gpu.analysis.scenarios import Scenario, now, on_nodes_of, only_rolled, scaled
from kubelint_gpu.analysis.transitions import may_be_placed, transitions_in
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.prepare.pods_by_owner import pods_by_owner
from kubelint_gpu.simulation.prepare.revisions import is_of
from kubelint_gpu.simulation.prepare.standing_pods import uncordoned
from kubelint_gpu.simulation.prepare.workload_change import own_pods
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.simulation.search.verdict import Judgement, Together
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey

_WHATEVER = frozenset(("quota", "volume"))
"""What pods may wait for on every node."""


def is_certain(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether nothing outside the inventory could change the judgement of a workload."""
    short = judgement.verdict is None and judgement.room.is_short
    if short and (may_be_placed(unit) or contradicts_nodes(unit, subject, judgement.room.alone, judgement.room.wanted)):
        return False
    if judgement.waits and _ran_elsewhere(unit, subject):
        return False
    if (short or judgement.waits) and doubt_about(unit, subject):
        return False
    grown = (
        (short or judgement.waits)
        and unit.is_closed
        and not unit.may_outgrow(subject)
        and not subject.workload.approximate
    )
    if grown or _is_closed(unit, subject):
        # the room of pools at their maximum is counted
        return True
    if not _is_open(unit, subject, judgement):
        return False
    if judgement is judgements_in(unit).get(subject.key):
        again = judged_beyond(unit).get(subject.key)
    else:
        again = _beyond(unit, _scenario_of(unit, subject, judgement)).judgements((subject.key,)).get(subject.key)
    return again is not None and _is_same(judgement, again)


def may_be_more(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether more of its replicas could run if its known pods were on other nodes."""
    now = transitions_in(unit).get(subject.key)
    known = now is not None and (now.known or not now.existing)
    return known and judgement.room.at_best is not None and judgement.room.at_best > judgement.room.placed


def _ran_elsewhere(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its old pods, whose nodes are unknown, do not all fit on the declared nodes, which have changed."""
    one = transitions_in(unit).get(subject.key)
    if one is None or not (one.known and one.existing and one.rolls) or own_pods(one.new, unit.cluster.pods):
        return False
    if controller_of(one.old).node_bound:
        return False
    # those that its pods must be near to ran with them
    old = replace(one.old, spec=replace(one.old.spec, pod_affinity=()))
    return placeable(old, uncordoned(unit.cluster), old.replicas) not in (None, old.replicas)


def proviso(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> str:
    """Return a clause with `unless` for an uncertain judgement; empty for a certain one."""
    if is_certain(unit, subject, judgement):
        return ""
    return doubt_about(unit, subject) or "unless there are nodes beyond the inventory"


def doubt_about(unit: ApplySet, subject: WorkloadCheck) -> str:
    """Return a clause with `unless` for facts about the pods that a captured cluster leaves open; else empty.

    The capture may show no pods of the namespace, pods without images of a workload that was never applied before, or
    matching pods that another owner has left behind.
    """
    one = transitions_in(unit).get(subject.key)
    if one is None:
        return ""
    if may_adopt(unit, subject):
        return "unless it takes over running pods that match its selector"
    if not (one.existing and one.rolls):
        return ""
    own = [pod for pod in pods_by_owner(unit.cluster.pods).own(subject.controller) if not pod.meta.terminating]
    if own:
        same = subject.manifest.object in unit.made and all(is_of(pod, one.new) is not False for pod in own)
        return "unless its pods have this template already" if same else ""
    seen = not unit.world.captured or unit.world.shows_pods_of(one.new.meta.namespace)
    return "" if seen or not one.known else "unless none of its pods runs now"


def may_adopt(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether a new workload may adopt running pods: its selector matches, and their owner is in no manifest.

    A controller adopts pods of an owner that was deleted with `--cascade=orphan`.
    """
    controller, workload = subject.controller, subject.workload
    if not unit.cluster.pods or workload.selector is None or not controller.rolls or not is_made(unit, subject):
        return False
    known = {one.object.lower() for one in (*unit.manifests, *unit.neighbours)}
    return any(
        pod.meta.owner is not None
        and pod.meta.owner.kind == (controller.dependent or workload.kind)
        and pod.meta.maker.key.lower() not in known
        and workload.selector.matches(pod.meta.labels)
        for pod in unit.cluster.pods
        if pod.meta.namespace == workload.meta.namespace and not pod.meta.terminating
    )


def outgrown(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether a pool may grow by more than a judgement considers, so that nothing is proven."""
    return unit.may_outgrow(subject) and not is_certain(unit, subject, judgement)


def evicts_for_certain(unit: ApplySet, subject: WorkloadCheck, owner: str) -> bool:
    """Whether a rollout can preempt pods of an owner even with further nodes beyond the inventory."""
    if subject.workload.approximate or _is_closed(unit, subject):
        return not subject.workload.approximate
    again = judged_beyond(unit).get(subject.key)
    return again is not None and any(one.owner == owner and one.by == subject.workload.key for one in again.runs.evicts)


@once
def judged_beyond(unit: ApplySet) -> dict[WorkloadKey, Judgement]:
    """The judgements with further nodes, for workloads that these might not help."""
    wanted = {
        subject.key
        for subject in unit.subjects
        if subject.key in transitions_in(unit)
        and not unit.is_closed_to(subject)
        and _is_open(unit, subject, judgements_in(unit)[subject.key])
    }
    return _beyond(unit, now(unit)).judgements(wanted) if wanted else {}


def stays_bound(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether no possible node beyond the inventory takes its pods."""
    if _is_closed(unit, subject):
        return True
    return (
        subject.key in transitions_in(unit)
        and cluster_beyond(unit).known
        and subject.key not in cluster_beyond(unit).taken
    )


def is_certain_together(unit: ApplySet, group: Together, involved: Sequence[WorkloadCheck]) -> bool:
    """Whether no node beyond the inventory can change the judgement of rollouts that begin together."""
    if all(_is_closed(unit, subject) for subject in involved):
        return True
    waiting = group.runs.trace.waiting if group.runs.trace is not None else ()
    held = {one.owner: frozenset(one.held) for one in waiting}
    for subject in involved:
        whatever = held.get(subject.workload.key, frozenset()) & _WHATEVER
        if not (whatever or stays_bound(unit, subject)):
            return False
    if not cluster_beyond(unit).known:
        return False
    rolled = set(group.numbers)
    keys = {key for place, key in enumerate(transitions_in(unit)) if place in rolled}
    again = _beyond(unit, only_rolled(now(unit), keys)).together()
    return any(one.verdict is group.verdict and rolled.issubset(one.numbers) for one in again)


def _is_closed(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether everything that decides about its pods is declared, and its controller is known."""
    return unit.is_closed_to(subject) and not subject.workload.approximate


def _is_open(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether further nodes must be tried: there is a problem, and they might not solve it."""
    if subject.workload.approximate:
        return False
    short = judgement.verdict is None and judgement.room.is_short
    if not short and not judgement.waits and not judgement.runs.evicts:
        return False
    if subject.key not in transitions_in(unit) or not cluster_beyond(unit).known:
        return False
    if subject.key not in cluster_beyond(unit).taken or judgement.room.refusal or _has_exclusive_claim(unit, subject):
        return True
    at_end = judgement.runs.trace.waiting if judgement.runs.trace is not None else ()
    waits = (judgement.room.waiting, *(one for one in at_end if one.owner == judgement.workload.key))
    return any(_WHATEVER & set(one.held) for one in waits if one is not None)


def _has_exclusive_claim(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its pods use a ReadWriteOncePod claim, or a claim that is already bound."""
    return any(one.for_one_pod or one.volume_name for one in unit.claims_of(subject.workload))


def _is_same(before: Judgement, after: Judgement) -> bool:
    if before.verdict is not None or after.verdict is not None:
        return before.verdict is after.verdict
    if controller_of(before.workload).node_bound:
        # it makes a pod for each further node, too
        return before.room.missing == after.room.missing
    return before.room.placed == after.room.placed


def _scenario_of(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> Scenario:
    """The scenario of a judgement that is not about the rollout of now: the next one, or one with other replicas."""
    later = next_rollouts(unit)
    if judgement is later.judgements.get(subject.key):
        return later.scenario
    return scaled(now(unit), subject.key, judgement.workload.replicas)


def _beyond(unit: ApplySet, scenario: Scenario) -> Scenario:
    """The scenario with all hypothetical nodes beyond the inventory."""
    return on_nodes_of(scenario, cluster_beyond(unit).cluster)
