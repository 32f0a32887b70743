"""The steps that an expression may take here are those of the budget of a run."""

from __future__ import annotations

import pytest

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.cel.cel_errors import NotKnown
from kubelint_gpu.kube.cel.evaluation_cost import COST_LIMIT, Cancelled, Evaluation


def test_an_evaluation_ends_after_the_steps_of_the_budget() -> None:
    run = Evaluation([])
    for _ in range(BUDGET.expression):
        run.spend(0)
    with pytest.raises(NotKnown):
        run.spend(0)


def test_what_costs_too_much_for_kubernetes_is_cancelled() -> None:
    with pytest.raises(Cancelled):
        Evaluation([]).spend(COST_LIMIT + 1)
