"""Rollouts that end in whatever order all that changes at the same moment does so."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node, same

from kubelint_gpu.simulation.bounds.always_ends import always_ends
from kubelint_gpu.simulation.evidence.watch import checked
from kubelint_gpu.simulation.questions.rollouts import judge


@pytest.mark.parametrize(("gpus", "ends"), [(2, False), (3, True)])
def test_a_pod_that_finds_room_beside_all_old_and_new_ones_always_ends(gpus, ends):
    found = []
    with checked(lambda _, claim, __: found.append(claim.situation)):
        judge(same(deployment("a"), deployment("b", gpus=1)), cluster(node("n", gpus)))
    situation = next(one for one in found if len(one.participants) == 2)
    assert [always_ends(situation, place) for place in (0, 1)] == [ends, ends]
