"""Divides the budget of a run among its units: the results are the same for any number of processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from kubelint_gpu.budget import NORMAL, Effort
from kubelint_gpu.engine.executors.executor import Executor, untold
from kubelint_gpu.engine.executors.processes import ALONE
from kubelint_gpu.engine.results.kept_results import KeptResults
from kubelint_gpu.work import limited
from kubelint_gpu.workspace.apply_set import ApplySet

Answer = TypeVar("Answer")
_FIRST = 10
"""What part of the allowance of a group each of several units has at first; most need less."""


def coarse(steps: int) -> int:
    """Round down coarsely, so that one more file usually changes no share, and results for as many steps are reused."""
    unit = 1 << max(0, steps.bit_length() - 5)
    return steps // unit * unit


def within_budget(
    work: Callable[[ApplySet], Answer],
    units: Sequence[ApplySet],
    executor: Executor | None = None,
    tell: Callable[[int], None] = untold,
    effort: Effort = NORMAL,
    kept: KeptResults | None = None,
) -> list[Answer]:
    """Return `work(unit)` for each unit, in their order, within the budget of the run; `kept` results are reused.

    All units have equal shares. What they do not use is divided among those that had too little, which are judged
    again.
    """
    limits, executor = partial(_limited, work, effort.group), executor or ALONE
    whole = effort.run
    share = min(coarse(whole // max(1, len(units))), effort.group // _FIRST)
    first = max(effort.least, share) if len(units) > 1 else whole
    found = _asked(limits, [(unit, first) for unit in units], executor, tell, kept)
    short = [number for number, (_, _, cut) in enumerate(found) if cut]
    more = (whole - sum(first - left for _, left, _ in found)) // max(1, len(short))
    if more > first:
        again = _asked(limits, [(units[number], more) for number in short], executor, untold, kept)
        for number, one in zip(short, again, strict=True):
            found[number] = one
    return [answer for answer, _, _ in found]


def _limited(work: Callable[[ApplySet], Answer], group: int, one: tuple[ApplySet, int]) -> tuple[Answer, int, bool]:
    """The result of a unit with so many steps, the steps that are left, and whether something was cut off."""
    unit, steps = one
    with limited(steps, group) as allowance:
        answer = work(unit)
    if allowance.cut:
        unit.forget()
    return answer, max(0, allowance.left), bool(allowance.cut)


def _asked(
    limits: Callable[[tuple[ApplySet, int]], tuple[Answer, int, bool]],
    asked: Sequence[tuple[ApplySet, int]],
    executor: Executor,
    tell: Callable[[int], None],
    kept: KeptResults | None,
) -> list[tuple[Answer, int, bool]]:
    """The result of each unit with so many steps: the kept one, or a new one, which is then kept."""
    if kept is None:
        return executor.each(limits, asked, tell)
    keys = [kept.key(unit) for unit, _ in asked]
    found = [kept.recall(key, steps) if key is not None else None for key, (_, steps) in zip(keys, asked, strict=True)]
    todo = [number for number, one in enumerate(found) if one is None]
    done = len(asked) - len(todo)
    tell(done)
    made = executor.each(limits, [asked[number] for number in todo], lambda more: tell(done + more))
    for number, one in zip(todo, made, strict=True):
        found[number] = one
        key = keys[number]
        if key is not None:
            kept.keep(key, asked[number][1], one)
    return [one for one in found if one is not None]
