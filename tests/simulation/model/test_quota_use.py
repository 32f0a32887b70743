"""What a quota lets Jobs and replicas make beside each other."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, job, node, quota

from kubelint_gpu.simulation.questions.gang import gang
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.simulation.search.verdict import Verdict


def test_jobs_that_a_quota_lets_make_no_pod_hold_nobody_up():
    found = gang([job("a", 2), job("b", 2)], cluster(node("n", 4), quota(0)))
    assert (found.verdict, found.lone) == (None, ("Job/d/a", "Job/d/b"))


def test_jobs_can_hold_each_other_in_a_quota_where_the_nodes_have_room_for_all():
    nodes = [node("n", 4)]
    found = gang([job("a", 2), job("b", 2)], cluster(*nodes, quota(2)))
    assert found.verdict is Verdict.MAY_STICK
    assert [(one.running, one.wanted) for one in found.held] == [(1, 2), (1, 2)]
    assert gang([job("a", 2), job("b", 2)], cluster(*nodes, quota(3))).verdict is Verdict.COMPLETES


@pytest.mark.parametrize(("allowed", "placed"), [(0, 0), (2, 2), (9, 3)])
@pytest.mark.parametrize("one", [deployment(replicas=3), job("j", 3)])
def test_a_quota_bounds_how_many_pods_can_be_placed(one, allowed, placed):
    assert placeable(one, cluster(node("n", 4), quota(allowed)), 3) == placed
