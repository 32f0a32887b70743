"""The search through every order of events: it always answers."""

from __future__ import annotations

from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace


def decide(question: Question) -> Judgement:
    """Judge by all runs, as far as the budget reaches."""
    from kubelint_gpu.simulation.bounds import shortfall

    position, participant, search = question.position, question.participant, question.search
    if participant.rolling and preconditions.is_beyond_search(question.situation):
        return replace(question.blank, by_bound=False, verdict=_where_open(question))
    rolling = frozenset({position}) if participant.rolling else frozenset[int]()
    mine = search.simulation(rolling, ()).pod_types.members[position]
    found = search.searched(rolling, () if participant.in_any_order else mine)
    starts = found.starts
    placed = sum(starts.least[kind] for kind in mine)
    wanted = question.blank.wanted
    blank = replace(
        question.blank, by_bound=False, states=found.states, placed=min(placed, wanted) if not starts.full else wanted
    )
    if blank.placed < wanted and starts.complete:
        one = shortfall.short_of(search, found.simulation, starts, mine, participant.new.key)
        blank = replace(blank, at_best=one.placed, refusal=one.refusal, waiting=one.waiting)
    if found.verdict is None or not participant.rolling:
        return blank
    return replace(
        blank,
        verdict=_where_open(question) if found.verdict is Verdict.UNDECIDED else found.verdict,
        placed=wanted,
        at_best=None,
        refusal=None,
        waiting=None,
        trace=found.trace,
        evicts=found.evicts,
        eviction=found.eviction,
    )


def _where_open(question: Question) -> Verdict:
    """The verdict if the search does not see every end."""
    return Verdict.COMPLETES if question.roomy_at_rest else Verdict.UNDECIDED
