"""Rollouts among places that are all alike: how many there are for a workload on a bench, and what that decides."""

from __future__ import annotations

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.simulation.bounds.counting_nodes import (
    Shares,
    Slots,
    group_places,
    group_shares,
    group_slots,
    own_slots,
)
from kubelint_gpu.simulation.bounds.preconditions import is_crowded, is_peaceful, may_evict
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.bounds.shortfall import fit_alone, halt, short_of
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.search.engine import GroupSearch, Situation
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.placements import Starts, placements
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace


def slots_of(bench: Situation, search: GroupSearch, position: int) -> Slots | None:
    """The places for a workload while all others stay as they are; None where they are not alike."""
    if bench.participants[position].resumes:
        return None
    if bench.grown is None:
        found = group_slots(bench.participants, position, _places(bench))
        if found is not None:
            return found
    if len(bench.participants) > 1 or bench.participants[0].controller.has_own_claims(bench.cluster):
        return None
    return own_slots(bench.participants[0], search.scene(frozenset(), ()))


def shares_of(bench: Situation, search: GroupSearch, position: int) -> Shares | None:
    """The same while everything that is known to change in the group changes at the same moment."""
    if bench.grown is not None or search.outsiders or not bench.participants[position].existing:
        return None
    if bench.participants[position].controller.has_own_claims(bench.cluster) or not is_peaceful(bench):
        return None
    return group_shares(bench.participants, position, _places(bench))


def _places(bench: Situation) -> int | None:
    parts = (bench.participants, bench.demands, bench.residual)
    return bench.memo.of("places", parts, lambda: group_places(*parts))


def by_slots(bench: Situation, search: GroupSearch, position: int, slots: Slots, blank: Judgement) -> Judgement:
    """What counting places says of a rollout while all others stay as they are."""
    participant = bench.participants[position]
    mine = max(0, slots.total - slots.others)
    if mine < blank.wanted:
        short = replace(blank, placed=mine, alone=fit_alone(bench, search, position).placed)
        if short.alone >= blank.wanted:
            short = replace(short, waiting=_waiting(bench, search, position))
        return replace(short, trace=halt(bench, search, position))
    if not participant.rolling:
        return blank
    if mine >= slots.needed:
        return replace(blank, verdict=Verdict.COMPLETES)
    scene = search.scene(frozenset({position}), ())
    states, trace = search.stuck_run(scene)
    return replace(blank, verdict=Verdict.STUCK, states=states, trace=trace)


def decide(question: Question) -> Judgement | None:
    """What counting says where all places are alike, nobody evicts anybody and nobody else moves."""
    bench, search, position = question.situation, question.search, question.position
    if question.participant.daemons or search.outsiders:
        return None
    if may_evict(bench, position) or is_crowded(bench, position):
        return None
    slots = slots_of(bench, search, position)
    return by_slots(bench, search, position, slots, question.blank) if slots is not None else None


def _waiting(bench: Situation, search: GroupSearch, position: int) -> Waiting | None:
    """What the next pod of a workload waits for where the others are placed first; None where that is not found."""

    def placed() -> tuple[Simulation, Starts]:
        scene = search.scene(frozenset(), ())
        return scene, placements(scene, BUDGET.waiting)

    scene, starts = bench.memo.of("placed", (bench.participants, bench.fixed, bench.queued, bench.grown), placed)
    if starts.full:
        return None
    return short_of(search, scene, starts, scene.cast.members[position], bench.participants[position].new.key).waiting
