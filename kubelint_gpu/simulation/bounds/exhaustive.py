"""The search through every order of events: it always answers."""

from __future__ import annotations

from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.search.verdict import Judgement, Runs, Verdict, with_room
from kubelint_gpu.values import replace


def decide(question: Question) -> Judgement:
    """Judge by all runs, as far as the budget reaches."""
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
