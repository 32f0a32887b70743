"""Rollouts among equal places: count the places for a workload of a situation, and decide by that count."""

from __future__ import annotations

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.simulation.bounds import counting_nodes, preconditions
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.search import placements
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace


def slots_of(situation: Situation, search: GroupSearch, position: int) -> counting_nodes.Slots | None:
    """The places for a workload while all others stay as they are; None if the places are not equal."""
    if situation.participants[position].resumes:
        return None
    if situation.grown is None:
        found = counting_nodes.group_slots(situation.participants, position, _places(situation))
        if found is not None:
            return found
    if len(situation.participants) > 1 or situation.participants[0].controller.has_own_claims(situation.cluster):
        return None
    return counting_nodes.own_slots(situation.participants[0], search.simulation(frozenset(), ()))


def shares_of(situation: Situation, search: GroupSearch, position: int) -> counting_nodes.Shares | None:
    """The places for a workload while all known changes of the group happen at the same moment; None if not equal."""
    if situation.grown is not None or search.outsiders or not situation.participants[position].existing:
        return None
    if situation.participants[position].controller.has_own_claims(situation.cluster) or not preconditions.is_peaceful(
        situation
    ):
        return None
    return counting_nodes.group_shares(situation.participants, position, _places(situation))


def _places(situation: Situation) -> int | None:
    parts = (situation.participants, situation.demands, situation.residual)
    return situation.memo.of("places", parts, lambda: counting_nodes.group_places(*parts))


def by_slots(
    situation: Situation, search: GroupSearch, position: int, slots: counting_nodes.Slots, blank: Judgement
) -> Judgement:
    """Judge a rollout by counting places while all others stay as they are."""
    from kubelint_gpu.simulation.bounds import shortfall

    participant = situation.participants[position]
    mine = max(0, slots.total - slots.others)
    if mine < blank.wanted:
        short = replace(blank, placed=mine, alone=shortfall.fit_alone(situation, search, position).placed)
        if short.alone >= blank.wanted:
            short = replace(short, waiting=_waiting(situation, search, position))
        return replace(short, trace=shortfall.halt(situation, search, position))
    if not participant.rolling:
        return blank
    if mine >= slots.needed:
        return replace(blank, verdict=Verdict.COMPLETES)
    simulation = search.simulation(frozenset({position}), ())
    states, trace = search.stuck_run(simulation)
    return replace(blank, verdict=Verdict.STUCK, states=states, trace=trace)


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
