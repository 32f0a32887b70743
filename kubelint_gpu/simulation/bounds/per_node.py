"""DaemonSets: each pod is created for one node, so each node is judged by itself."""

from __future__ import annotations

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.scheduler.relations import local_kinds
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict, with_room
from kubelint_gpu.values import replace


def by_node(situation: Situation, search: GroupSearch, position: int, blank: Judgement) -> Judgement | None:
    """Judge a DaemonSet: on which nodes its pods have room, and whether its rollout ends.

    None if the nodes cannot be judged one by one: other workloads compete for them, a quota counts its pods, or the
    pods must be near others.
    """
    participant = situation.participants[position]
    old, new = created_pod(participant.old, "old"), created_pod(participant.new, "new")
    if _is_counted(situation, position, old, new):
        return None
    standing = _standing(situation, position)
    room = _room(participant, old, new, standing)
    short = len(room) < len(participant.nodes)
    if short:
        others = tuple(pod for pod in standing.cluster.pods if pod.identifier not in situation.daemons)
        alone = fit(new, Snapshot.of(replace(situation.cluster, pods=others)))
        blank = with_room(
            blank,
            placed=len(room),
            alone=len(frozenset(alone.takers) & frozenset(participant.nodes)),
            crowded=frozenset(participant.nodes) - room,
        )
    if not participant.rolling:
        return blank
    local = _is_local(situation, old, new)
    if len(situation.participants) > 1 or search.outsiders or not local or preconditions.may_evict(situation, position):
        return blank if short else None
    surge = participant.controller.surge(participant.replicas)
    if not surge or not room:
        return blank if short else replace(blank, verdict=Verdict.COMPLETES)
    blocked = sorted(room - _takes_both(situation, participant, old, new))
    if not blocked and (short or participant.stays):
        return blank if short else None
    if not blocked:
        return replace(blank, verdict=Verdict.COMPLETES)
    # one node that blocks is enough to tell of
    one = replace(participant, nodes=(blocked[0],), left=(), stays=(), fresh=())
    simulation = search.simulated((one,), frozenset({0}), (), situation.fixed)
    return replace(blank, verdict=Verdict.STUCK, runs=search.stuck_run(simulation))


def decide(question: Question) -> Judgement | None:
    """Judge a DaemonSet node by node."""
    if not question.participant.daemons:
        return None
    return by_node(question.situation, question.search, question.position, question.blank)


def always_ends(situation: Situation, position: int) -> bool:
    """Whether each pod of a DaemonSet finds room however others are placed, because it can preempt those in its way.

    Does not say which pods it preempts.
    """
    participant = situation.participants[position]
    old, new = created_pod(participant.old, "old"), created_pod(participant.new, "new")
    if participant.controller.surge(participant.replicas) or _is_counted(situation, position, old, new):
        return False
    nodes = situation.demands[position].nodes
    rivals = [
        pod.spec
        for place, one in enumerate(situation.participants)
        if place != position and not situation.demands[place].nodes.isdisjoint(nodes)
        for pod in one.pods
    ]
    if not all(preconditions.gives_way(spec, new.spec) for spec in rivals) or not _is_local(situation, old, new):
        return False
    return len(_room(participant, old, new, _standing(situation, position))) == len(participant.nodes)


def _is_counted(situation: Situation, position: int, old: Pod, new: Pod) -> bool:
    """Whether a quota counts its pods, or they must be near pods of other workloads."""
    from kubelint_gpu.simulation.bounds import shortfall

    return any(quota.covers(pod) for quota in situation.cluster.quotas for pod in (old, new)) or shortfall.leans(
        situation, position
    )


def _is_local(situation: Situation, old: Pod, new: Pod) -> bool:
    """Whether pods on other nodes never matter for its pod on one node."""
    return all(local_kinds((old, new), situation.fixed, situation.cluster)) and not new.spec.resource_claims


def _standing(situation: Situation, position: int) -> Snapshot:
    """The cluster with only the running pods that do not give way."""
    from kubelint_gpu.simulation.bounds import shortfall

    return Snapshot.of(
        replace(situation.cluster, pods=tuple(shortfall.stronger(situation, situation.participants[position])))
    )


def _room(participant: WorkloadChange, old: Pod, new: Pod, standing: Snapshot) -> frozenset[str]:
    """Those nodes of the DaemonSet that have room for its pod."""
    there = frozenset(participant.standing)
    room = frozenset(fit(new, standing).takers)
    if participant.undisturbed:
        room |= there
    elif not participant.rolls:
        # pods that are there were admitted as they are
        room = (room - there) | (there & frozenset(fit(old, standing).takers))
    return room & frozenset(participant.nodes)


def _takes_both(situation: Situation, participant: WorkloadChange, old: Pod, new: Pod) -> frozenset[str]:
    """The nodes that take a new pod while the old pods still run, as with `maxSurge`."""
    placed = (
        replace(old, meta=replace(old.meta, name=f"{old.meta.name}-{name}"), spec=replace(old.spec, node_name=name))
        for name in participant.standing
    )
    return frozenset(fit(new, Snapshot.of(replace(situation.cluster, pods=(*situation.fixed, *placed)))).takers)
