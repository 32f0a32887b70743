"""The steps that an expression may take here are those of the budget of a run."""

from __future__ import annotations

import pytest

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.cel.cel_errors import NotKnown
from kubelint_gpu.kube.cel.evaluation_cost import Evaluation


def test_an_evaluation_ends_after_the_steps_of_the_budget() -> None:
    run = Evaluation([])
    for _ in range(BUDGET.expression):
        run.spend()
    with pytest.raises(NotKnown):
        run.spend()
