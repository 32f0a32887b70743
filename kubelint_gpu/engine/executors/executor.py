"""The interface of executors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import click

Answer = TypeVar("Answer")


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
