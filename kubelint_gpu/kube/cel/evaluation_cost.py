"""The cost of an evaluation, by the measure of cel-go and in own steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubelint_gpu.budget import BUDGET, STEPS
from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import weight

COST_LIMIT = 1_000_000
"""The most that an expression of `resource.k8s.io` may cost for one device (CELSelectorExpressionMaxCost)."""
TOO_LONG = "the expression takes more steps than are tried"
_PER_STEP = 64


class Evaluation:
    """One evaluation: the values of its variables, and its cost."""

    __slots__ = ("cost", "slots", "steps")

    def __init__(self, slots: list[Any]) -> None:
        self.slots = slots
        self.cost = 0
        self.steps = 0

    def spend(self, cost: int, steps: int = 1) -> None:
        """Add the cost and the steps of an operation.

        Raises:
            EvaluationError: the expression exceeds its cost limit.
            NotKnown: it takes more steps than are tried here.
        """
        self.cost += cost
        self.steps += steps
        if self.cost > COST_LIMIT:
            raise Cancelled("operation cancelled: actual cost limit exceeded")
        if self.steps > BUDGET.expression:
            raise NotKnown(TOO_LONG)

    def of_a_run(self) -> int:
        """The evaluation's part of the steps of a run."""
        return min(self.steps, BUDGET.expression) // STEPS.evaluated

    def made(self, value: Any) -> Any:
        """Return a new value after its size is added to the steps. Raises NotKnown if it is too large."""
        self.steps += weight(value) // _PER_STEP
        return value


class Cancelled(EvaluationError):  # noqa: N818 - it steers the evaluation
    """An error that `||` does not absorb."""


class Failure:
    """The value of a comprehension's variable after a step failed."""

    __slots__ = ("error",)

    def __init__(self, error: EvaluationError) -> None:
        self.error = error


Step = Callable[[Evaluation], Any]
