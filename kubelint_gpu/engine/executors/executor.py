"""Executors: the interface, and the processes of this machine."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Protocol, TypeVar

import click

Answer = TypeVar("Answer")

# Below that starting a process and sending its answers back costs more than it saves.
LEAST_EACH = 250
FIRST = 100
MOST = 8

_pending: tuple[Callable[[Any], Any], Sequence[Any]] | None = None


def untold(_done: int) -> None:
    """The default for `tell`: does nothing."""


class Executor(Protocol):
    """Runs work on many things. The choice of the executor only affects the time."""

    def each(
        self, work: Callable[[Any], Answer], things: Sequence[Any], tell: Callable[[int], None] = untold
    ) -> list[Answer]:
        """Return `work(thing)` for each thing, in their order; `tell` receives the number of finished ones.

        The work, the things and the results must be picklable.

        Raises:
            ExecutorError: the work cannot be done there.
        """


class ExecutorError(click.ClickException):
    """The executor cannot do the work; the message says why."""


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Processes:
    """At most so many processes of this machine.

    They are forked, so that nothing must be sent to them; a system that cannot fork uses one process.
    """

    def __init__(self, count: int) -> None:
        self._count = count if hasattr(os, "fork") else 1

    def each(
        self, work: Callable[[Any], Answer], things: Sequence[Any], tell: Callable[[int], None] = untold
    ) -> list[Answer]:
        """Return `work(thing)` for each thing, in their order, with any number of processes; results are pickled."""
        count = max(1, min(self._count, MOST, len(things) // LEAST_EACH))
        answers: list[Answer] = []
        # what the first ones need, the processes find when they begin: modules, parsers, answers to the same questions
        alone = len(things) if count == 1 else FIRST
        first = ([work(thing)] for thing in things[:alone])
        for found in chain(first, _forked(work, things[alone:], count) if count > 1 else ()):
            answers += found
            tell(len(answers))
        return answers


ALONE = Processes(1)


def _forked(work: Callable[[Any], Answer], things: Sequence[Any], count: int) -> Iterator[list[Answer]]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    global _pending  # noqa: PLW0603 - what forked processes find instead of what would have to be sent
    size = -(-len(things) // (count * 4))
    pieces = [(start, min(start + size, len(things))) for start in range(0, len(things), size)]
    _pending = work, things
    gc.freeze()  # the garbage collectors of the children leave alone what they share with this process
    try:
        with ProcessPoolExecutor(count, get_context("fork"), initializer=_quiet) as pool:
            yield from pool.map(_piece, pieces)
    finally:
        _pending = None


def _quiet() -> None:
    """Ignore SIGINT in a child: only the parent process handles it."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _piece(piece: tuple[int, int]) -> list[Any]:
    assert _pending is not None  # noqa: S101 - forked after it was set
    work, things = _pending
    return [work(thing) for thing in things[slice(*piece)]]
