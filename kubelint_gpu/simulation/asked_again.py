"""Keeps answers to questions about the same values: for a run about one unit, and from run to run.

A change of one workload leaves most groups of workloads equal. The answer for a unit serves again if the question has
less than twice the steps that it had.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar, cast

from kubelint_gpu.work import UsedUp, answers, common, left

Answer = TypeVar("Answer")


class _Kept(NamedTuple):
    """The inputs of an answer, the answer (None if the steps were used up), and the steps up to which it is valid."""

    decisive: tuple[object, ...]
    answer: object
    most: float


def asked_once(
    sign: Hashable,
    decisive: tuple[object, ...],
    compute: Callable[[], Answer],
    decided: Callable[[Answer], bool] = lambda _: True,
) -> Answer:
    """Return `compute()`, or its earlier result for equal `decisive` values.

    These are compared and not hashed, because clusters are large; `sign` is a cheap key of them. An answer that is not
    `decided` is computed again if there are more steps.

    Raises:
        UsedUp: as `compute` does.
    """
    known = answers()
    steps = left()
    if known is None or steps is None:
        return compute()
    alike: list[_Kept] = known.setdefault(sign, [])
    kept = next((one for one in alike if one.decisive == decisive), None)
    if kept is not None and steps < kept.most:
        if kept.answer is None:
            raise UsedUp
        return cast("Answer", kept.answer)
    if kept is not None:
        alike.remove(kept)
    answer: Answer | None = None
    try:
        answer = compute()
    finally:
        used = answer is None or left() == 0 or not decided(answer)
        alike.append(_Kept(decisive, answer, 2 * steps if used else float("inf")))
    return answer


def settle() -> None:
    """Keep open what is open: a question that the run could not decide so far is not computed again with more steps."""
    known = answers() or {}
    for sign, alike in known.items():
        known[sign] = [one._replace(most=float("inf")) if isinstance(one, _Kept) else one for one in alike]


def kept(sign: Hashable) -> list[Any]:
    """Return the list that the run about one unit keeps under a key, to append to; a new one without limits."""
    known = answers()
    return [] if known is None else cast("list[Any]", known.setdefault(sign, []))


T = TypeVar("T")


class Memo:
    """Caches answers by question and by the identity of the immutable values that it is about."""

    __slots__ = ("_answers",)

    def __init__(self) -> None:
        self._answers: dict[tuple[object, ...], tuple[tuple[object, ...], Any]] = {}

    def of(self, what: Hashable, parts: tuple[object, ...], compute: Callable[[], T]) -> T:
        """Return `compute()`, computed once. It must depend only on `parts`, which are kept alive with the answer."""
        key = (what, *map(id, parts))
        found = self._answers.get(key)
        if found is None:
            with common():
                found = self._answers[key] = parts, compute()
        answer: T = found[1]
        return answer
