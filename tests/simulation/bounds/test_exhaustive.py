"""The search through every order of events: where it begins."""

from __future__ import annotations

import pytest
from rollout_objects import node, workload

from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ({"type": "Recreate"}, Verdict.COMPLETES),
        ({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}, Verdict.STUCK),
    ],
)
def test_old_pods_that_find_no_place_are_replaced_like_others(update, expected):
    # one of three old pods has its two GPUs; three new ones that want one each have room when it is gone
    old, new = (workload("Deployment", "w", 3, gpus, update=update) for gpus in (2, 1))
    (found,) = judge([Transition(new, old)], read_cluster([node("n", 3)]))
    assert (found.verdict, found.room.placed) == (expected, 3)
