"""Workloads that never have all their pods, whatever is rolled out."""

from __future__ import annotations

from kubelint_gpu.simulation.bounds.preconditions import may_evict
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.bounds.shortfall import fit_alone, fit_at_last, halt
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace


def alone(question: Question) -> Judgement | None:
    """Too few nodes take its pods even where only what runs already is beside them."""
    situation, search, position, blank = question.situation, question.search, question.position, question.blank
    found = fit_alone(situation, search, position)
    if found.placed >= blank.wanted:
        return None
    short = replace(blank, placed=found.placed, alone=found.placed, waiting=found.waiting)
    return replace(short, refusal=found.refusal, trace=halt(situation, search, position))


def at_last(question: Question) -> Judgement | None:
    """Too few nodes take its new pods when all that is known to change has changed."""
    situation, position, blank = question.situation, question.position, question.blank
    if question.participant.old is question.participant.new or may_evict(situation, position, itself=False):
        return None
    last = fit_at_last(situation, question.search, position)
    if last.placed >= blank.wanted:
        return None
    return replace(blank, placed=last.placed, at_best=last.placed, refusal=last.refusal, waiting=last.waiting)
