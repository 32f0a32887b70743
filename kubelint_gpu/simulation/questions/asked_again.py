"""Answers to equal questions about equal clusters: many files of a repository hold the same under other names.

An answer is the same for as many steps; it takes them off what is left, so that a run comes to the same in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, TypeVar, cast

from kubelint_gpu.work import Spent, own_steps, spend, spent_since

Answer = TypeVar("Answer")


class _Asked:
    """What is asked: equal where all that decides the answer is."""

    __slots__ = ("_decisive", "_hash", "compute")

    def __init__(self, sign: Hashable, decisive: tuple[object, ...], compute: Callable[[], Any]) -> None:
        self._decisive = decisive
        self._hash = hash(sign)
        self.compute = compute

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self._decisive == other._decisive


def asked_once(sign: Hashable, decisive: tuple[object, ...], compute: Callable[[], Answer]) -> Answer:
    """`compute()`, or what it gave for equal `decisive` values with as many steps left.

    These are compared and not hashed, because clusters are large; `sign` is what equal ones have in common.
    """
    left = own_steps()
    if left is None:
        return compute()
    asked = _Asked(sign, (left, *decisive), compute)
    first, answer, cost = _answer(asked)
    if first is not asked:
        spend(cost)
    return cast("Answer", answer)


@lru_cache(maxsize=256)
def _answer(asked: _Asked) -> tuple[_Asked, Any, Spent]:
    """Who asked first, what the answer is, and what it took."""
    before = own_steps()
    answer = asked.compute()
    del asked.compute  # it is asked once, and what it holds may go
    return asked, answer, spent_since(before)
