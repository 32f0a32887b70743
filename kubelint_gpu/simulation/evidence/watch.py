"""The debug flag: with it, each verdict of a decider is shown to the checker as soon as it is known."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar

from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Together
from kubelint_gpu.work import limited, within

Seen = Callable[[str, object, object], None]
"""What is done with the name of a decider, its claim and the evidence that was found for it, or None."""

_seen: ContextVar[Seen | None] = ContextVar("seen", default=None)


def checked(seen: Seen = lambda *_: None) -> AbstractContextManager[None]:
    """Check the evidence of every verdict within; `seen` is told of each.

    A verdict that is shown to be wrong raises `checker.NotShown`. The work is charged to nobody.
    """
    return within(_seen, seen)


def tell(question: Question, found: Judgement, name: str, moving: frozenset[int]) -> None:
    """A decider has answered a question, while those that are `moving` change at the same moment."""
    if _seen.get() is not None:
        short = found.placed < found.wanted
        verdict = None if short else found.verdict
        parts = (
            question.situation,
            (question.position,),
            moving,
            verdict,
            short,
            found.wanted,
            found.placed,
            found.trace,
        )
        _show(name, question.participant.new.key, parts)


def tell_together(situation: Situation, found: Together, ends: str, rolling: frozenset[int]) -> None:
    """A decider has answered what becomes of all rollouts that begin at the same moment; with `ends`, of one."""
    if _seen.get() is not None and found.verdict is not None:
        moving = frozenset(place for place, one in enumerate(situation.participants) if one.moves)
        _show("together", ends, (situation, tuple(sorted(rolling)), moving, found.verdict, False, 0, 0, found.trace))


def _show(name: str, ends: str, parts: tuple[object, ...]) -> None:
    from kubelint_gpu.simulation.evidence.checker import Claim
    from kubelint_gpu.simulation.evidence.finder import shown

    seen, token = _seen.get(), _seen.set(None)
    claim = Claim(*parts)  # type: ignore[arg-type]
    try:
        with limited(sys.maxsize):
            evidence = shown(claim, ends)
    finally:
        _seen.reset(token)
    if seen is not None:
        seen(name, claim, evidence)
