"""The budget of a run, shared out among its units: the same answers whatever the number of processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from kubelint_gpu.engine.processes import each, untold
from kubelint_gpu.simulation.budget import BUDGET, Budget
from kubelint_gpu.work import limited
from kubelint_gpu.workspace.apply_set import ApplySet

Answer = TypeVar("Answer")


def steps_of(units: Sequence[ApplySet], budget: Budget = BUDGET) -> int:
    """The steps of a run about some units."""
    documents = sum(len(reading.documents) for unit in units for reading in unit.readings)
    return budget.run_of(documents, max((len(unit.world.base.nodes) for unit in units), default=0))


def within_budget(
    work: Callable[[ApplySet], Answer],
    units: Sequence[ApplySet],
    processes: int,
    tell: Callable[[int], None] = untold,
    budget: Budget = BUDGET,
) -> list[Answer]:
    """`work` of each unit, in their order, within the budget of the run.

    All have equal shares of it; what these leave is shared out among those that had too little, which are asked anew.
    """

    def limits(one: tuple[ApplySet, int]) -> tuple[Answer, int, bool]:
        unit, steps = one
        with limited(steps) as allowance:
            answer = work(unit)
        if allowance.cut:
            unit.forget()
        return answer, max(0, allowance.left), bool(allowance.cut)

    whole = steps_of(units, budget)
    first = max(budget.least, whole // max(1, len(units)))
    found = each(limits, [(unit, first) for unit in units], processes, tell)
    short = [number for number, (_, _, cut) in enumerate(found) if cut]
    more = (whole - sum(first - left for _, left, _ in found)) // max(1, len(short))
    if more > first:
        again = each(limits, [(units[number], more) for number in short], processes)
        for number, one in zip(short, again, strict=True):
            found[number] = one
    return [answer for answer, _, _ in found]
