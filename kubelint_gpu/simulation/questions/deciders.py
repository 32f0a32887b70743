"""The deciders of a rollout in the order in which they are asked: bounds first, the search last."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.simulation import hypotheses
from kubelint_gpu.simulation.asked import answered, asked
from kubelint_gpu.simulation.bounds import (
    always_ends,
    applied,
    change_set,
    counting,
    crowded_start,
    in_place_replacement,
    per_node,
    preconditions,
    quiescence,
    shortage,
)
from kubelint_gpu.simulation.bounds.change_set import without
from kubelint_gpu.simulation.bounds.question import Decider, Question
from kubelint_gpu.simulation.prepare.workload_change import joined
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Runs, Verdict, fold, row_of, with_room
from kubelint_gpu.values import replace


def by_search(question: Question) -> Judgement:
    """Judge by all runs in every order of events, as far as the budget reaches: it always answers."""
    from kubelint_gpu.simulation.bounds import shortfall

    position, participant, search = question.position, question.participant, question.search
    if participant.rolling and preconditions.is_beyond_search(question.situation):
        return replace(question.blank, verdict=_where_open(question), runs=Runs(searched=True))
    rolling = frozenset({position}) if participant.rolling else frozenset[int]()
    mine = search.simulation(rolling, ()).pod_types.members[position]
    found = search.searched(rolling, () if participant.in_any_order else mine)
    starts = found.starts
    placed = sum(starts.least[kind] for kind in mine)
    wanted = question.blank.room.wanted
    if found.verdict is not None and participant.rolling:
        verdict = _where_open(question) if found.verdict is Verdict.UNDECIDED else found.verdict
        return replace(question.blank, verdict=verdict, runs=found.runs)
    blank = replace(question.blank, runs=Runs(searched=True, states=found.runs.states))
    if starts.full or placed >= wanted:
        return blank
    blank = with_room(blank, placed=placed)
    if not starts.complete:
        return blank
    one = shortfall.short_of(search, found.simulation, starts, mine, participant.new.key)
    return with_room(blank, at_best=one.placed, refusal=one.refusal, waiting=one.waiting)


def _where_open(question: Question) -> Verdict:
    """The verdict if the search does not see every end."""
    return Verdict.COMPLETES if question.roomy_at_rest else Verdict.UNDECIDED


ROOM: tuple[Decider, ...] = (
    Decider("room", always_ends.room),
    Decider("room-at-rest", always_ends.room_at_rest),
    Decider("quiescence", quiescence.decide),
)
"""Deciders that say that a rollout ends, whatever all others do."""
ENDS_ANYHOW = frozenset(one.name for one in ROOM)
"""Their names."""
AT_ONCE: tuple[Decider, ...] = (
    *ROOM[:2],
    Decider("counting-shares", change_set.by_counting),
    Decider("shortage-by-sum", shortage.by_sum),
    *ROOM[2:],
)
"""Deciders that hold whatever else is known to change at the same moment."""
COUNTED: tuple[Decider, ...] = (Decider("per-node", per_node.decide), Decider("counting-nodes", counting.decide))
"""Deciders of a rollout while all others stay as they are that only count."""
BOUNDED: tuple[Decider, ...] = (
    *COUNTED,
    Decider("shortage-alone", shortage.alone),
    Decider("shortage-at-last", shortage.at_last),
    Decider("in-place-replacement", in_place_replacement.decide),
)
"""Deciders of a rollout while all others stay as they are that need no search."""
SEARCHED: tuple[Decider, ...] = (Decider("search", by_search),)
"""The search, which always answers."""
ALONE = (*BOUNDED, *SEARCHED)
"""All deciders of a rollout while all others stay as they are."""
SOON: tuple[Decider, ...] = (Decider("shortage-alone", shortage.alone), Decider("crowded-start", crowded_start.decide))
"""Deciders that are asked if the search takes more than a little work."""
AT_LAST: tuple[Decider, ...] = (
    Decider("shortage-alone", shortage.alone),
    Decider("some-runs", applied.told_by_some),
    Decider("shortage-at-worst", shortage.at_worst),
)
"""Deciders that are asked where all runs are too much work."""


def first_answer(
    question: Question,
    deciders: Sequence[Decider],
    moving: frozenset[int] = frozenset(),
    hypothesis: hypotheses.Hypothesis = hypotheses.ALONE,
) -> Judgement | None:
    """The answer of the first decider that has one, with its name, while the workloads at `moving` change, too."""
    for one in asked(deciders):
        found = question.answer(one)
        if found is not None and _ends_with_parts(question, one, found):
            answered(question, found, one.name, moving)
            found = replace(found, by=one.name)
            return fold(found, row_of(found, hypothesis))
    return None


def is_counted(question: Question) -> bool:
    """Whether counting decides a rollout while all others stay as they are."""
    return any(question.answer(one) is not None for one in asked(COUNTED))


def _ends_with_parts(question: Question, decider: Decider, found: Judgement) -> bool:
    """Whether a bound that lets a rollout end also does so for the templates that are replaced together with it."""
    if found.verdict is not Verdict.COMPLETES or found.runs.searched:
        return True
    situation = question.situation
    others = joined(situation.participants, frozenset({question.position})) - {question.position}
    told = (decider.decide(Question(situation, place)) for place in others)
    return all(one is not None and one.verdict is Verdict.COMPLETES for one in told)


def decided(question: Question) -> Judgement:
    """Judge a rollout while all others stay as they are."""
    found = first_answer(question, ALONE)
    if found is None:
        raise AssertionError("the search always answers")
    return found


def stuck_without(situation: Situation, position: int, others: frozenset[int]) -> Judgement | None:
    """The judgement of a rollout without some of the others if it is stuck, else None. One run that ends refutes it."""
    question = _without(situation, position, others, bounded=False)
    found = first_answer(question, BOUNDED)
    if found is None:
        if question.search.ends_once(frozenset({question.position}), question.participant.new.key):
            return None
        found = first_answer(question, SEARCHED)
    return found if found is not None and found.verdict is Verdict.STUCK else None


def decided_without(situation: Situation, position: int, others: frozenset[int], *, bounded: bool = False) -> Judgement:
    """Judge a rollout without some of the others, while the rest stay; `bounded` as in `Question`."""
    return decided(_without(situation, position, others, bounded=bounded))


def _without(situation: Situation, position: int, others: frozenset[int], *, bounded: bool) -> Question:
    """The question about the workload at a position if some of the others were not there."""
    left = position - sum(place < position for place in others)
    return Question(without(situation, others), left, bounded=bounded)
