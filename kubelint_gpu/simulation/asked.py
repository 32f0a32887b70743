"""Who is asked: deciders and what makes a search smaller, all of them unless a test or the ablation leaves some out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, TypeVar

from kubelint_gpu.work import within

T = TypeVar("T")
_arranged: ContextVar[Callable[[Sequence[Any]], Sequence[Any]] | None] = ContextVar("arranged", default=None)


def arranged(arrange: Callable[[Sequence[Any]], Sequence[Any]]) -> AbstractContextManager[None]:
    """Within, those are asked that `arrange` makes of what would be: each has a `name`; a helper is its own name."""
    return within(_arranged, arrange)


def asked(deciders: Sequence[T]) -> Sequence[T]:
    """Those of some deciders that are asked, in their order."""
    arrange = _arranged.get()
    return deciders if arrange is None else arrange(deciders)
