"""How many pods of a workload can run at once, and what the next one lacks."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.simulation.bounds.preconditions import gives_way
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.coupling import companions
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod, is_temporary
from kubelint_gpu.simulation.search.engine import GroupSearch, worth
from kubelint_gpu.simulation.search.placements import Starts, one_placement, placements
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.trace import Trace, Waiting
from kubelint_gpu.values import Value, replace


class Shortfall(Value):
    """How many pods run at most, and what the next pod waits for or which quota refuses it."""

    placed: int
    refusal: QuotaRefusal | None = None
    waiting: Waiting | None = None


def fit_alone(situation: Situation, search: GroupSearch, position: int) -> Shortfall:
    """How many pods of a workload fit beside the running pods of the inventory and daemon pods that they must be near.

    All of them if other workloads have the pods that they must be near. Pods that can be preempted take no room. If
    their controller recreates them on any node, they count as near everywhere.
    """
    participant = situation.participants[position]
    wanted = participant.replicas
    if leans(situation, position):
        return Shortfall(wanted)
    # as it shall be: what it was before does not help where the new pods have no room
    fresh = replace(_as_rolled_out(participant), existing=participant.existing)
    rolled = frozenset({0}) if participant.daemons else frozenset[int]()
    near = near_to(situation, participant)
    beside = [
        pod
        for pod in stronger(situation, participant)
        if pod.identifier not in situation.daemons or pod.identifier in near
    ]
    giving = [pod for pod in beside if gives_way(pod.spec, participant.new.spec)]
    if any(pod.meta.owner is not None and pod.meta.owner.kind != "DaemonSet" for pod in giving):
        fresh = replace(fresh, new=_anywhere(fresh.new), old=_anywhere(fresh.old))
    beside = [_weightless(pod) if pod in giving else pod for pod in beside]
    solo = search.simulated((fresh,), rolled, (), _lasting(beside))
    kind, *more = solo.pod_types.members[0]
    simple = solo.local and not solo.places.is_charged(kind) and not solo.absent and not participant.daemons
    if simple and not (more or fresh.running) and not any(solo.pod_types.kinds[kind].pod.spec.volumes):
        return Shortfall(solo.places.capacity(kind, wanted))
    if one_placement(solo) is not None:
        return Shortfall(wanted)
    starts = placements(solo, worth(situation.budget, solo))
    if starts.full or not starts.complete or solo.places.errs:
        return Shortfall(wanted)
    return short_of(search, solo, starts, (kind, *more), participant.new.key)


def fit_at_last(situation: Situation, search: GroupSearch, position: int) -> Shortfall:
    """How many pods of a workload can run beside the others after all known changes.

    Pods that end by themselves have ended.
    """
    after = [_at_last(one, asked=place == position) for place, one in enumerate(situation.participants)]
    rolled = frozenset({position}) if after[position].daemons else frozenset[int]()
    simulation = search.simulated(after, rolled, (), _lasting(situation.fixed))
    mine = simulation.pod_types.members[position]
    every = Shortfall(sum(simulation.pod_types.wanted[kind] for kind in mine))
    if one_placement(simulation) is not None:
        return every
    starts = placements(simulation, worth(situation.budget, simulation))
    if starts.full or not starts.complete or simulation.places.errs:
        return every
    return short_of(search, simulation, starts, mine, situation.participants[position].new.key)


def short_of(search: GroupSearch, simulation: Simulation, starts: Starts, mine: Sequence[int], name: str) -> Shortfall:
    """The most pods of some kinds that run in any placement, and what the next pod lacks in one with the fewest."""
    from kubelint_gpu.simulation.search.replay import left_out

    placed = sum(starts.most[kind] for kind in mine)
    if not starts.partial:
        return Shortfall(placed)
    without = [
        sum(one[kind] - simulation.pod_types.pending[kind] for kind in mine if kind in one) for one in starts.without
    ]
    state = starts.partial[without.index(max(without))]
    # kinds that take room from each other do not have the most pods each in one placement
    placed = min(placed, sum(simulation.pod_types.wanted[kind] for kind in mine) - min(without))
    refusal = next(filter(None, (simulation.places.refusal(kind, state) for kind in mine)), None)
    return Shortfall(placed, refusal, None if refusal else left_out(search.situation, simulation, state, name))


def halt(situation: Situation, search: GroupSearch, position: int) -> Trace | None:
    """The run of an ordered StatefulSet up to the pod that finds no node; None for any other.

    It starts with the running pods or those of the old template, if there are any.
    """
    participants = list(situation.participants)
    one = participants[position]
    if not one.controller.ordered or one.controller.on_delete:
        return None
    if one.old is one.new:
        participants[position] = replace(one, old=replace(one.old, replicas=0))
    simulation = search.simulated(participants, frozenset({position}), search.outsiders, situation.fixed)
    try:
        return search.stuck_run(simulation).trace
    except UnmodelledVictim:
        return None


def leans(situation: Situation, position: int) -> bool:
    """Whether the required affinity of a workload's pods matches pods of the group that exist before them."""
    mine = created_pod(situation.participants[position].new, "new")
    if not mine.spec.pod_affinity:
        return False
    others = [one for place, one in enumerate(situation.participants) if place != position]
    pods = [pod for one in others for pod in one.pods]
    return bool(companions(mine, pods, situation.empty)) or follows(situation, position)


def follows(situation: Situation, position: int) -> bool:
    """Whether the new pods of a workload must be near pods like its old ones, which exist while it rolls.

    False if old pods need each other, too, and are not known to run: they had to find places as the new pods do.
    """
    one = situation.participants[position]
    mine, old = created_pod(one.new, "new"), created_pod(one.old, "old")
    if not (one.existing and one.replaces) or one.old is one.new:
        return False
    there = [old, *one.running] if len(one.running) >= one.before or not old.spec.pod_affinity else []
    return bool(companions(mine, there, situation.empty))


def stronger(situation: Situation, participant: WorkloadChange) -> list[Pod]:
    """The running pods that the participant cannot preempt, and those that its pods must be near."""
    spec = participant.new.spec
    near = near_to(situation, participant)
    return [pod for pod in situation.fixed if not gives_way(pod.spec, spec) or pod.identifier in near]


def _lasting(pods: Sequence[Pod]) -> list[Pod]:
    return [pod for pod in pods if not is_temporary(pod)]


def _weightless(pod: Pod) -> Pod:
    """Return the pod without any resource requests."""
    return replace(pod, spec=replace(pod.spec, containers=(), init_containers=(), overhead=EMPTY, resources=None))


def _anywhere(workload: Workload) -> Workload:
    """Return the workload without required pod affinity."""
    return replace(workload, spec=replace(workload.spec, pod_affinity=()))


def near_to(situation: Situation, participant: WorkloadChange) -> set[PodIdentifier]:
    """The running pods that the participant's pods must be near."""
    return {pod.identifier for pod in companions(created_pod(participant.new, "new"), situation.fixed, situation.empty)}


def after_rollout(one: WorkloadChange) -> WorkloadChange:
    """The workload after its known changes."""
    return replace(_as_rolled_out(one), existing=True) if one.known and one.moves else one


def _at_last(one: WorkloadChange, *, asked: bool) -> WorkloadChange:
    """The workload after all known changes; `asked` if it is the workload of the question."""
    if one.temporary and not asked:
        return replace(_as_rolled_out(one), running=())
    return _as_rolled_out(one) if asked or one.moves else one


def _as_rolled_out(one: WorkloadChange) -> WorkloadChange:
    # below a partition what its new pods evict comes back as it was, on any node
    fixed = one.undisturbed or not one.rolls
    stays = tuple(pod for pod in one.staying if fixed or not gives_way(pod.spec, one.new.spec))
    found = replace(one, running=stays, waiting=(), known=False, existing=False)
    if one.daemons:
        return replace(found, old=one.new, left=(), stays=(), fresh=())
    return replace(found, settled=True)
