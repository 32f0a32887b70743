"""Rollouts whose pods find room however all others are placed."""

from __future__ import annotations

from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace


def always(question: Question) -> Judgement | None:
    """Completes if there is room at any moment."""
    return _completes(question) if question.roomy else None


def at_rest(question: Question) -> Judgement | None:
    """Completes if no pod is preempted and there is room once nothing terminates any more.

    Every step brings such a rollout nearer to its end, so it stops nowhere before.
    """
    if not question.roomy_at_rest or preconditions.may_evict(question.situation, question.position):
        return None
    return _completes(question)


def _completes(question: Question) -> Judgement:
    return replace(question.blank, verdict=Verdict.COMPLETES if question.participant.rolling else None)
