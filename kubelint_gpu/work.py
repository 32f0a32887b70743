"""How much work a run may do: counted in steps and not in seconds, so that every machine gives the same answer.

A step is about what it takes to ask the filters about one node. Where work is shared out, each part has an allowance of
its own; what it leaves goes back. Without any allowance nothing is limited.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)
Answer = TypeVar("Answer")
_PART = 4


class UsedUp(Exception):  # noqa: N818 - it says what happened
    """An allowance is used up."""


class Allowance:
    """What is left of the work that something may do, in steps, and how often a part of it was used up."""

    __slots__ = ("cut", "left")

    def __init__(self, steps: int) -> None:
        self.left = steps
        self.cut = 0


_current: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


def charge(steps: int) -> None:
    """Take steps off what is left.

    Raises:
        UsedUp: nothing is left.
    """
    allowance = _current.get()
    if allowance is not None:
        allowance.left -= steps
        if allowance.left < 0:
            raise UsedUp


def left() -> int | None:
    """The steps that are left; None where nothing is limited."""
    allowance = _current.get()
    return None if allowance is None else max(0, allowance.left)


@contextmanager
def limited(steps: int) -> Iterator[Allowance]:
    """Allow so many steps within, whatever is left outside: for the run, and for what is shared out beforehand."""
    allowance = Allowance(steps)
    token = _current.set(allowance)
    try:
        yield allowance
    finally:
        _current.reset(token)


@contextmanager
def part(number: int) -> Iterator[None]:
    """Allow the part of what is left that is one of so many; the rest stays for what follows."""
    outer = _current.get()
    if outer is None:
        yield
        return
    share = max(0, outer.left) // number
    inner = Allowance(share)
    token = _current.set(inner)
    try:
        yield
    finally:
        _current.reset(token)
        outer.left -= share - max(0, inner.left)
        outer.cut += inner.cut + (inner.left < 0)


def shared_out(work: Callable[[Thing], Answer], things: Sequence[Thing]) -> dict[Thing, Answer | None]:
    """`work` of each thing within what is left; None where that was too little.

    Half of it is shared out equally, so that nothing keeps the easy ones from an answer.
    What is left then goes to those that need more, a quarter of it to each.
    """
    found: dict[Thing, Answer | None] = dict.fromkeys(things)
    needing = []
    with part(2):
        for place, thing in enumerate(things):
            try:
                with part(len(things) - place):
                    found[thing] = work(thing)
            except UsedUp:
                needing.append(thing)
    for thing in needing:
        with suppress(UsedUp), part(_PART):
            found[thing] = work(thing)
    return found
