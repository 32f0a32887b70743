"""Rollouts among equal places: if each place is as good as any other, counting decides."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.demand import Demand, Residual, contended, takes
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod, joined
from kubelint_gpu.simulation.search import placements
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict, with_room, with_runs
from kubelint_gpu.values import Value, replace


def slots_of(situation: Situation, search: GroupSearch, position: int) -> Slots | None:
    """The places for a workload while all others stay as they are; None if the places are not equal."""
    if situation.participants[position].resumes:
        return None
    if situation.grown is None:
        found = group_slots(situation.participants, position, _places(situation))
        if found is not None:
            return found
    if len(situation.participants) > 1 or situation.participants[0].controller.has_own_claims(situation.cluster):
        return None
    return own_slots(situation.participants[0], search.simulation(frozenset(), ()))


def shares_of(situation: Situation, search: GroupSearch, position: int) -> Shares | None:
    """The places for a workload while all known changes of the group happen at the same moment; None if not equal."""
    if situation.grown is not None or search.outsiders or not situation.participants[position].existing:
        return None
    if situation.participants[position].controller.has_own_claims(situation.cluster) or not preconditions.is_peaceful(
        situation
    ):
        return None
    return group_shares(situation.participants, position, _places(situation))


def _places(situation: Situation) -> int | None:
    parts = (situation.participants, situation.demands, situation.residual)
    return situation.memo.of("places", parts, lambda: group_places(*parts))


def by_slots(situation: Situation, search: GroupSearch, position: int, slots: Slots, blank: Judgement) -> Judgement:
    """Judge a rollout by counting places while all others stay as they are."""
    from kubelint_gpu.simulation.bounds import shortfall

    participant = situation.participants[position]
    mine = max(0, slots.total - slots.others)
    if mine < blank.room.wanted:
        short = with_room(blank, placed=mine, alone=shortfall.fit_alone(situation, search, position).placed)
        if short.room.alone >= blank.room.wanted:
            short = with_room(short, waiting=_waiting(situation, search, position))
        return with_runs(short, trace=shortfall.halt(situation, search, position))
    if not participant.rolling:
        return blank
    if mine >= slots.needed:
        return replace(blank, verdict=Verdict.COMPLETES)
    simulation = search.simulation(frozenset({position}), ())
    return replace(blank, verdict=Verdict.STUCK, runs=search.stuck_run(simulation))


def decide(question: Question) -> Judgement | None:
    """Judge by counting if all places are equal, no pod preempts another, and no other workload changes."""
    situation, search, position = question.situation, question.search, question.position
    if question.participant.daemons or search.outsiders:
        return None
    if preconditions.may_evict(situation, position) or preconditions.is_crowded(situation, position):
        return None
    slots = slots_of(situation, search, position)
    return by_slots(situation, search, position, slots, question.blank) if slots is not None else None


def _waiting(situation: Situation, search: GroupSearch, position: int) -> Waiting | None:
    """Return what the next pod of a workload waits for if the others are placed first; None if this is unknown."""
    from kubelint_gpu.simulation.bounds import shortfall

    simulation = search.simulation(frozenset(), ())
    starts = placements.placements_of_all(simulation, BUDGET.waiting, situation.memo)
    if starts.full:
        return None
    return shortfall.short_of(
        search, simulation, starts, simulation.pod_types.members[position], situation.participants[position].new.key
    ).waiting


_REVISIONS = ("pod-template-hash", "controller-revision-hash")


class Slots(Value):
    """How many places there are, how many other workloads hold, and how many a rollout needs to end."""

    total: int
    others: int
    needed: int


class Shares(Value):
    """Equal places while several workloads change at the same moment.

    Attributes:
        total: all places.
        least: places that the other workloads hold at every moment, together.
        most: an upper bound of the places that they hold at rest.
        last: places that they hold when all have changed.
        needed: places that the rollout needs to end; the replicas if there is no rollout.
    """

    total: int
    least: int
    most: int
    last: int
    needed: int


def group_slots(participants: Sequence[WorkloadChange], position: int, total: int | None) -> Slots | None:
    """The places of a group while one workload changes; None if not decidable. `total` is from `group_places`."""
    if any(found.before != found.replicas or not found.existing for found in participants):
        return None
    if total is None:
        return None
    others = sum(found.before for place, found in enumerate(participants) if place != position)
    if total < others + participants[position].before and any(found.running for found in participants):
        # who is there already is not the one who finds no room
        return None
    parts = [participants[place] for place in joined(participants, frozenset({position}))]
    return Slots(total, others, sum(_needed(one) - one.before for one in parts) + participants[position].before)


def group_shares(participants: Sequence[WorkloadChange], position: int, total: int | None) -> Shares | None:
    """The places of a group while all its known changes begin at the same moment; `total` is from `group_places`."""
    if total is None:
        return None
    others = [found for place, found in enumerate(participants) if place != position]
    mine = participants[position]
    every = sum(found.sure for found in participants) <= total
    if not every and any(found.running for found in participants):
        # who is there already is not the one who finds no room
        return None
    return Shares(
        total,
        # any of them may be the one who has none from the first
        sum(map(held_at_least, others)) if every else 0,
        sum(map(held_at_rest, others)),
        sum(found.replicas if found.moves else found.before for found in others),
        needed_at_once(mine) if mine.rolling else mine.replicas,
    )


def held_at_least(participant: WorkloadChange) -> int:
    """How many pods of a workload have places at every moment of its change, if none is preempted."""
    if participant.temporary:
        return 0
    if not participant.moves:
        return participant.before
    least = min(participant.sure, participant.replicas)
    if not participant.rolling:
        return least
    return max(0, min(least, participant.controller.keeps(participant.replicas)))


def held_at_rest(participant: WorkloadChange) -> int:
    """An upper bound of the pods of a workload that have places at rest.

    A Deployment whose rollout waits has at most as many available pods as it must have. An ordered StatefulSet deletes
    no surplus pod while another of its pods waits.
    """
    if not participant.moves:
        return participant.before
    if participant.controller.keeps_surplus:
        return max(participant.before, participant.replicas)
    return participant.replicas + participant.controller.surplus(participant.replicas)


def needed_at_once(participant: WorkloadChange) -> int:
    """How many places a rollout needs to end if it may scale its workload, too.

    While an old pod is available, it is deleted if one more pod than required is available.
    """
    return _needed(participant) if min(participant.sure, participant.replicas) else participant.replicas


def group_places(participants: Sequence[WorkloadChange], demands: Sequence[Demand], residual: Residual) -> int | None:
    """How many places a group has if every pod takes equal amounts of the scarce resources.

    None if one place is not as good as any other for each pod.
    """
    mine = demands[0]
    if any(one.temporary or one.daemons or one.kept or not one.counted for one in participants):
        return None
    if any(not demand.simple or demand.nodes != mine.nodes for demand in demands):
        return None
    pairs = contended(demands, residual)
    scarce = sorted({resource for found in pairs for _, resource in found})
    each = _takes_of(mine.each, scarce)
    for participant in participants:
        if any(_takes_of(takes(pod), scarce) != each for pod in participant.pods):
            return None
    if not scarce or not all(each):
        return None
    return sum(
        min(max(0, residual[node].get(name, 0)) // amount for name, amount in zip(scarce, each, strict=True))
        for node in mine.nodes
    )


def own_slots(participant: WorkloadChange, simulation: Simulation) -> Slots | None:
    """The places of a workload that competes with no other; None if old and new pods are not equal."""
    if participant.temporary or participant.daemons or participant.running or simulation.absent or not simulation.local:
        return None
    if not participant.counted:
        return None
    if participant.before != participant.replicas or participant.kept or simulation.places.is_charged(0):
        return None
    old, new = created_pod(participant.old, "old"), created_pod(participant.new, "old")
    if old != new or _looks_at_revision(created_pod(participant.new, "new"), old):
        return None
    needed = _needed(participant)
    enough = max(needed, participant.replicas)
    return Slots(simulation.places.capacity(0, enough), 0, needed)


def _takes_of(amounts: FrozenMap[str, int], names: Sequence[str]) -> tuple[int, ...]:
    return tuple(amounts.get(name, 0) for name in names)


def _looks_at_revision(new: Pod, old: Pod) -> bool:
    """Whether an affinity term distinguishes pods of the new template from pods of the old one."""
    if replace(new.spec) != old.spec:
        return True
    return any(
        term.selector is not None and term.selector.keys & set(_REVISIONS)
        for term in (*new.spec.pod_affinity, *new.spec.pod_anti_affinity)
    )


def _needed(participant: WorkloadChange) -> int:
    return participant.controller.places_needed(participant.replicas) if participant.rolling else 0
