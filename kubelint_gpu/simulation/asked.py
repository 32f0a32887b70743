"""Who is asked, and what is answered: all deciders, and to nobody, unless a test or the ablation says otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, TypeVar

from kubelint_gpu.work import within

T = TypeVar("T")
_arranged: ContextVar[Callable[[Sequence[Any]], Sequence[Any]] | None] = ContextVar("arranged", default=None)
_watched: ContextVar[Callable[..., None] | None] = ContextVar("watched", default=None)


def arranged(arrange: Callable[[Sequence[Any]], Sequence[Any]]) -> AbstractContextManager[None]:
    """Within, those are asked that `arrange` makes of what would be: each has a `name`; a helper is its own name."""
    return within(_arranged, arrange)


def asked(deciders: Sequence[T]) -> Sequence[T]:
    """Those of some deciders that are asked, in their order."""
    arrange = _arranged.get()
    return deciders if arrange is None else arrange(deciders)


def watched(watch: Callable[..., None] | None) -> AbstractContextManager[None]:
    """Within, `watch` gets all that is `answered`."""
    return within(_watched, watch)


def answered(*answer: object) -> None:
    """Show an answer to whoever watches: the question, the answer, and what else the decider knows of it."""
    watch = _watched.get()
    if watch is not None:
        watch(*answer)
