"""Records the rows of judgements: the table behind a verdict."""

from __future__ import annotations

from kubelint_gpu.simulation.hypotheses import SEARCH, Hypothesis, Row
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace


def answer_of(judgement: Judgement) -> str:
    """Return the answer in the words of a row."""
    if judgement.verdict is not None:
        return judgement.verdict.value
    if judgement.placed >= judgement.wanted:
        return "completes"
    best = judgement.at_best
    lacks = "lacks room" if best is None or best <= judgement.placed else "may lack room"
    return f"{lacks} ({judgement.placed} of {judgement.wanted})"


def row_of(judgement: Judgement, hypothesis: Hypothesis, argument: str = "", steps: int | None = None) -> Row:
    """Return the row of a judgement under a hypothesis."""
    states = judgement.states if steps is None else steps
    return Row(*hypothesis, answer_of(judgement), argument or judgement.by or SEARCH, states)


def of_verdict(verdict: Verdict, hypothesis: Hypothesis, argument: str, steps: int = 0) -> Row:
    """Return the row of a verdict without a judgement."""
    return Row(*hypothesis, verdict.value, argument, steps)


def fold(judgement: Judgement, *rows: Row, first: Judgement | None = None, weaker: bool = False) -> Judgement:
    """Return the judgement with more rows, each once, after the rows of `first`.

    `weaker` says that one of the rows makes the verdict only possible.
    """
    before = first.rows if first is not None else ()
    every = tuple(dict.fromkeys((*before, *judgement.rows, *rows)))
    if weaker:
        return replace(judgement, verdict=Verdict.MAY_STICK, rows=every)
    return replace(judgement, rows=every)


def turned(before: Judgement, after: Judgement, hypothesis: Hypothesis, argument: str = SEARCH) -> Judgement:
    """Return `after`, the judgement under a hypothesis, with the rows of both; unchanged if it is `before`."""
    if after is before:
        return after
    row = row_of(after, hypothesis, argument, max(0, after.states - before.states))
    return fold(replace(after, rows=before.rows), row)
