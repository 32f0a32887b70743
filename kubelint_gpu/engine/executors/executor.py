"""What is asked of whoever works on many things."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import click

Answer = TypeVar("Answer")


def untold(_done: int) -> None:
    """Nobody wants to know how far the work is."""


class Executor(Protocol):
    """Works on many things; who it is decides how long that takes, and nothing else."""

    def each(
        self, work: Callable[[Any], Answer], things: Sequence[Any], tell: Callable[[int], None] = untold
    ) -> list[Answer]:
        """`work` of each thing, in their order; `tell` is told now and then how many are done.

        The work, the things and the answers can be pickled.

        Raises:
            ExecutorError: the work cannot be done there.
        """


class ExecutorError(click.ClickException):
    """Those who were to do the work cannot do it; the message says why."""
