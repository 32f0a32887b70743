"""The steps of an evaluation, by which it is bounded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubelint_gpu.budget import BUDGET, STEPS
from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import weight

TOO_LONG = "the expression takes more steps than are tried"
_PER_STEP = 64


class Evaluation:
    """One evaluation: the values of its variables, and its steps.

    The scheduler cancels an expression by another measure, which no expression reaches in so few steps.
    """

    __slots__ = ("slots", "steps")

    def __init__(self, slots: list[Any]) -> None:
        self.slots = slots
        self.steps = 0

    def spend(self, steps: int = 1) -> None:
        """Add the steps of an operation.

        Raises:
            NotKnown: these are more than are tried.
        """
        self.steps += steps
        if self.steps > BUDGET.expression:
            raise NotKnown(TOO_LONG)

    def of_a_run(self) -> int:
        """The evaluation's part of the steps of a run."""
        return min(self.steps, BUDGET.expression) // STEPS.evaluated

    def made(self, value: Any) -> Any:
        """Return a new value after its size is added to the steps.

        Raises:
            NotKnown: it is too large.
        """
        self.steps += weight(value) // _PER_STEP
        return value


class Failure:
    """The value of a comprehension's variable after a step failed."""

    __slots__ = ("error",)

    def __init__(self, error: EvaluationError) -> None:
        self.error = error


Step = Callable[[Evaluation], Any]
