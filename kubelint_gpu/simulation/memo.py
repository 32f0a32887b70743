"""A cache of answers that several questions about the same values share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from kubelint_gpu.work import common

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
