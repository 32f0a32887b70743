"""Rollouts that replace a pod in its own place by an equal one. They end, and a search could say nothing else.

While one workload is rolled out and no other moves, a deleted pod leaves a place for its successor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import pod_charge
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler.relations import asks, first_alike, tokens
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.controllers import rollout_state
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, without_claims
from kubelint_gpu.simulation.search import placements
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.simulation.model.simulation import Simulation


def decide(question: Question) -> Judgement | None:
    """Completes if its pods return to their places, and preempt no other pod on the way."""
    situation, position, controller = question.situation, question.position, question.participant.controller
    # new pods that are made while old ones still terminate may evict others instead of waiting for these
    early = controller.has_replica_sets and not controller.recreates
    if early and preconditions.may_evict(situation, position):
        return None
    return replace(question.blank, verdict=Verdict.COMPLETES) if comes_back(question) else None


def comes_back(question: Question) -> bool:
    """Whether new pods need no places except those that old pods leave, while no other workload moves.

    All others keep their pods, and none of their pods waits. Pods that are preempted meanwhile take no room.
    """
    situation, position, participant = question.situation, question.position, question.participant
    if not participant.rolling or participant.resumes or preconditions.is_crowded(situation, position):
        return False
    if question.search.outsiders:
        return False
    by_one = _is_one_by_one(participant, situation.cluster)
    if not by_one and not _needs_no_more(participant):
        return False
    before = question.search.simulation(frozenset(), ())
    start = situation.memo.of("one placement", (before,), lambda: placements.one_placement(before))
    if start is None:
        return False
    simulation = question.search.simulation(frozenset({position}), ())
    places, kinds = simulation.places, simulation.pod_types.members[position]
    if participant.before != participant.replicas or participant.temporary:
        return False
    if not (by_one and places.are_alike(kinds) and _is_charged_alike(simulation, kinds)):
        # each node takes so many of its pods whatever runs elsewhere: any place is as good as the one that was left
        local = all(places.local[kind] and not places.is_charged(kind) for kind in kinds)
        alike = situation.demands[position].alike_devices
        if not (local and _needs_no_more(participant) and _come_no_larger(simulation, kinds, alike=alike)):
            return False
    return _stands(before, start, before.pod_types.members[position])


def _needs_no_more(participant: WorkloadChange) -> bool:
    if not participant.controller.rolls or participant.controller.paused:
        return False
    moved = participant.fresh or participant.left or participant.stays
    return not moved and participant.controller.places_needed(participant.replicas) <= participant.replicas


def _come_no_larger(simulation: Simulation, kinds: tuple[int, ...], *, alike: bool) -> bool:
    """Whether filters treat all old pods alike and all new pods alike, and new pods ask for no more than old ones."""
    mine = [simulation.pod_types.kinds[kind] for kind in kinds]
    old = [one.pod for one in mine if not one.new]
    new = [one.pod for one in mine if one.new]
    beside = [*(one.pod for one in simulation.pod_types.kinds), *simulation.places.standing]
    if not old or not new or len(set(first_alike(old, beside))) > 1 or len(set(first_alike(new, beside))) > 1:
        return False
    before = old[0].spec
    as_large = replace(
        new[0],
        spec=replace(
            new[0].spec,
            containers=before.containers,
            init_containers=before.init_containers,
            resources=before.resources,
        ),
    )
    if len(set(first_alike([old[0], as_large], beside))) > 1:
        return False
    if alike and new[0].spec.resource_claims == before.resource_claims:
        return _asks_no_more(without_claims(new[0]), without_claims(old[0]))
    return _asks_no_more(new[0], old[0])


def _asks_no_more(new: Pod, old: Pod) -> bool:
    had = pod_requests(old.spec)
    if any(amount > had.get(name, 0) for name, amount in pod_requests(new.spec).items()):
        return False
    return set(tokens(new)) <= set(tokens(old)) and not asks(new, uncounted=True)


def _is_charged_alike(simulation: Simulation, kinds: tuple[int, ...]) -> bool:
    return len({pod_charge(simulation.pod_types.kinds[kind].pod.spec) for kind in kinds}) == 1


def _is_one_by_one(participant: WorkloadChange, cluster: Cluster) -> bool:
    """Whether at most one pod is missing at any time, so that its successor can take its place.

    Affinity, spreading and volumes allow the new pod where the old pod was. False for pods with required affinity, and
    for several pods with volumes, which may be attached elsewhere: the search judges these.
    """
    spec = participant.new.spec
    attached = any(volume.kind not in ("emptyDir", "configMap", "secret") for volume in spec.volumes)
    if spec.pod_affinity or (attached and participant.replicas > 1):
        return False
    return participant.controller.replaces_singly(participant.replicas, cluster.version)


def _stands(simulation: Simulation, state: rollout_state.State, kinds: tuple[int, ...]) -> bool:
    """Whether all pods have room together, and each pod of the workload would find room on its own node again."""
    if any(state.waiting):
        return False
    places, ready = simulation.places, rollout_state.READY
    for kind in kinds:
        there = [index for index, one in enumerate(state.nodes) if rollout_state.count_on(one, kind, ready)]
        for index in simulation.model.distinct(state, there):
            without = state._replace(nodes=rollout_state.on_node(state.nodes, index, (kind, ready, -1)))
            for held in places.released(kind, index, state):
                left = without._replace(held=held)
                if not places.fits_on(kind, index, left) or not places.may_create(kind, left):
                    return False
    return True
