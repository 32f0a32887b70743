"""Hooks for tests and the ablation: which deciders are asked, and a watcher of their answers. Unused by default."""

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
    """While active, ask only the deciders and helpers that `arrange` returns. A helper is its own name."""
    return within(_arranged, arrange)


def asked(deciders: Sequence[T]) -> Sequence[T]:
    """Return the deciders that are asked, in their order. By default that is all of `deciders`."""
    arrange = _arranged.get()
    return deciders if arrange is None else arrange(deciders)


def watched(watch: Callable[..., None] | None) -> AbstractContextManager[None]:
    """While active, call `watch` with the arguments of each call of `answered`."""
    return within(_watched, watch)


def answered(*answer: object) -> None:
    """Show an answer to the watcher: the question, the answer, and what else the decider knows about it."""
    watch = _watched.get()
    if watch is not None:
        watch(*answer)
