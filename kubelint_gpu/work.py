"""Limits the work of a run: counted in steps and not in seconds, so that every machine gives the same answer."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import partial
from sys import maxsize
from typing import Any, TypeVar

from kubelint_gpu.budget import PARTS

Thing = TypeVar("Thing", bound=Hashable)
Answer = TypeVar("Answer")


class UsedUp(Exception):  # noqa: N818 - it says what happened
    """An allowance is used up."""


class Allowance:
    """The remaining work of a run or a part of it, in steps, and how often a part used up its allowance.

    `group` is the allowance of each contended group. `common` is the allowance that several questions share, if this
    one is the share of one question. `paid` are the results already charged, for all parts; `answers` caches them.
    """

    __slots__ = ("answers", "common", "cut", "group", "left", "paid")

    def __init__(
        self, steps: int, group: int = maxsize, whole: Allowance | None = None, common: Allowance | None = None
    ) -> None:
        self.left = steps
        self.cut = 0
        self.group = group
        self.common = common
        self.paid: set[Hashable] = set() if whole is None else whole.paid
        self.answers: dict[Hashable, Any] = {} if whole is None else whole.answers


_UNLIMITED = nullcontext(None)
_current: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


def charge(steps: int) -> None:
    """Charge steps to the allowance. Raises UsedUp if no steps are left."""
    allowance = _current.get()
    if allowance is not None:
        allowance.left -= steps
        if allowance.left < 0:
            raise UsedUp


def paid() -> set[Hashable]:
    """Return the cached results already charged in this run, for adding to them; empty if nothing is limited."""
    allowance = _current.get()
    return set() if allowance is None else allowance.paid


def answers() -> dict[Hashable, Any] | None:
    """Return the cache of answers about the current unit, for adding to it; None if nothing is limited."""
    allowance = _current.get()
    return None if allowance is None else allowance.answers


def left() -> int | None:
    """Return the remaining steps; None if nothing is limited."""
    allowance = _current.get()
    return None if allowance is None else max(0, allowance.left)


@contextmanager
def limited(steps: int, group: int = maxsize) -> Iterator[Allowance]:
    """Limit the block to so many steps, whatever is left outside; each contended group may take `group` of them."""
    allowance = Allowance(steps, group)
    with within(_current, allowance):
        yield allowance


def of_group(number: int, of: int) -> AbstractContextManager[Allowance | None]:
    """Limit the block to a part of a contended group's allowance."""
    outer = _current.get()
    if outer is None:
        return _UNLIMITED
    return _Part(outer, min(max(0, outer.left), outer.group * number // of), outer.common)


def part(number: int, of: int) -> AbstractContextManager[Allowance | None]:
    """Limit the block to a part of the remaining steps, for example 3 of 4; the rest stays for later blocks."""
    outer = _current.get()
    if outer is None:
        return _UNLIMITED
    return _Part(outer, max(0, outer.left) * number // of, outer.common)


@contextmanager
def parts(number: int, of: int) -> Iterator[Callable[[], None]]:
    """Yield a function that begins the next of several tasks, each with a part of the steps left when it begins."""
    outer = _current.get()
    if outer is None:
        yield lambda: None
        return
    each = _Part(outer, 0, outer.common)
    with each:
        yield partial(each.begin, number, of)


@contextmanager
def common() -> Iterator[None]:
    """Charge the block to the common allowance of several questions, because all of them use its result."""
    allowance = _current.get()
    if allowance is None or allowance.common is None:
        yield
        return
    with within(_current, allowance.common):
        yield


class _Part:
    """A part of the remaining steps; unused steps are returned."""

    __slots__ = ("_inner", "_outer", "_steps", "_token")

    def __init__(self, outer: Allowance, steps: int, together: Allowance | None) -> None:
        self._outer = outer
        self._steps = steps
        self._inner = Allowance(steps, outer.group, outer, together)

    def __enter__(self) -> Allowance:
        self._token = _current.set(self._inner)
        return self._inner

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)
        self._settle()

    def begin(self, number: int, of: int) -> None:
        """Return the unused steps, and allow a part of all remaining steps for the next task."""
        inner = self._inner
        if inner.left != self._steps or inner.cut or not self._steps:
            self._settle()
            self._steps = inner.left = max(0, self._outer.left) * number // of
            inner.cut = 0

    def _settle(self) -> None:
        outer, inner = self._outer, self._inner
        outer.left -= self._steps - max(0, inner.left)
        outer.cut += inner.cut + (inner.left < 0)


@contextmanager
def within(variable: ContextVar[Thing], value: Thing) -> Iterator[None]:
    """Set a context variable for the block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def shared_out(
    work: Callable[[Thing], Answer], things: Sequence[Thing], decided: Callable[[Answer], bool] = lambda _: True
) -> dict[Thing, Answer | None]:
    """Return `work` of each question about one contended group, within its allowance; None if that is too little.

    An answer that is not `decided` counts as none, but is kept if no better one is found.
    If the questions are many, the allowance grows with their number. Half of it is divided equally among all questions,
    so that the easy ones get an answer in any case. The rest is divided equally among those that need more, as long as
    that helps any of them. At last half of it goes to each.
    """
    whole = _current.get()
    if whole is None:
        return {thing: _answer(work, thing) for thing in things}
    found: dict[Thing, Answer | None] = dict.fromkeys(things)
    group = whole.group * max(PARTS.questions, len(things)) // PARTS.questions
    steps = min(max(0, whole.left), group)
    with _Part(whole, steps, whole.common) as outer:

        def each(asked: Sequence[Thing], kept: int) -> list[Thing]:
            needing = []
            for place, thing in enumerate(asked):
                try:
                    with _Part(outer, max(0, outer.left - kept) // (len(asked) - place), outer):
                        answer = found[thing] = work(thing)
                except UsedUp:
                    needing.append(thing)
                else:
                    if not decided(answer):
                        needing.append(thing)
            return needing

        before, needing = things, each(things, steps // 2 if len(things) > 1 else 0)
        while len(before) > len(needing) > 1:
            before, needing = needing, each(needing, 0)
        for thing in needing:
            with suppress(UsedUp), _Part(outer, max(0, outer.left) // 2, outer):
                found[thing] = work(thing)
    return found


def _answer(work: Callable[[Thing], Answer], thing: Thing) -> Answer | None:
    try:
        return work(thing)
    except UsedUp:
        return None
