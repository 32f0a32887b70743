"""Workloads that are in each other's way before anything is rolled: DaemonSets, Jobs, quotas."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, job, node, quota, same, workload

from kubelint_gpu.simulation.questions.forced_rollback import forced_rollback
from kubelint_gpu.simulation.questions.gang import gang
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.explorer import Verdict


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_daemon_sets_that_compete_are_looked_at_in_both_orders(order):
    one, two = workload("DaemonSet", "one", gpus=1), workload("DaemonSet", "two", gpus=2)
    pair = [(one, two)[place] for place in order]
    beside = deployment("dep", surge=1, unavailable=0)
    found = {
        judgement.workload.meta.name: judgement
        for judgement in judge(same(*pair, beside), cluster(node("n", 3), node("m", 2)))
    }
    assert [(found[name].placed, found[name].alone, found[name].wanted) for name in ("one", "two")] == [(1, 2, 2)] * 2
    assert (found["dep"].placed, found["dep"].wanted) == (0, 1)


def test_daemon_sets_that_do_not_compete_change_nothing_for_each_other():
    found = judge(same(workload("DaemonSet", "one"), workload("DaemonSet", "two")), cluster(node("n", 2), node("m", 2)))
    assert [one.verdict for one in found] == [Verdict.COMPLETES] * 2


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


@pytest.mark.parametrize(("version", "waits"), [("1.34", False), ("1.35.2", True), ("1.35.4", False), ("1.36", False)])
def test_a_parallel_set_replaces_pods_that_never_fitted_where_it_does_not_count_them(version, waits):
    parallel = {"serviceName": "w", "podManagementPolicy": "Parallel"}
    old, new = (workload("StatefulSet", "w", 3, gpus, more=parallel) for gpus in (4, 1))
    found = forced_rollback(old, new, cluster(*[node(f"n{number}") for number in range(3)], version=version))
    assert (found is not None) is waits


def test_an_ordered_set_never_replaces_a_pod_that_never_fitted():
    old, new = (workload("StatefulSet", "w", 3, gpus, more={"serviceName": "w"}) for gpus in (4, 1))
    found = forced_rollback(old, new, cluster(*[node(f"n{number}") for number in range(3)]))
    assert found is not None
    assert [(one.pod, one.new) for one in found.waiting] == [("w-0", False)]
    assert forced_rollback(new, new, cluster(node("n", 3))) is None, "its pod fits, and the rollout ends"
