"""What a quota counts beyond the pods that are known stays used, whatever is rolled."""

from __future__ import annotations

import pytest
from rollout_objects import budget, cluster, deployment, node, pod, recreated, same, workload

from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.simulation.prepare.budgets_and_quotas import with_unknown_use
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.transition import Transition

HIGH = {"priority": 10}


def quota(hard, used=None):
    return {
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "d"},
        "spec": {"hard": {"pods": str(hard)}},
        "status": {"hard": {"pods": str(hard)}, "used": {"pods": str(used)}} if used is not None else {},
    }


def unknown(used, replicas=2):
    cluster = read_cluster([node("n", 4), pod("stray", "n", 1), quota(9, used)])
    one = deployment(replicas=replicas)
    (found,) = with_unknown_use(cluster, [WorkloadChange(one, one, nodes=("n",))], ()).quotas
    return found.unknown


def test_what_the_status_counts_beyond_the_known_pods_is_somebodys():
    assert unknown(5) == {"pods": 2000}
    assert unknown(3) == {"pods": 0}
    assert unknown(1) == {"pods": 0}


def test_a_quota_without_status_has_no_unknown_use():
    assert unknown(None) == {"pods": 0}


def evicted(*objects, beside):
    """The workloads that some run of a rollout of higher priority evicts pods of."""
    one = recreated("high", 1, 1, **HIGH)
    old = recreated("high", 1, 0, **HIGH)
    found = judge([Transition(one, old), *same(*beside)], cluster(*objects))[0]
    return {each.owner.rpartition("/")[2] for each in found.runs.evicts}


def running(name, on):
    return pod(f"{name}-1-{on}", on, owner=("ReplicaSet", f"{name}-1"), labels={"app": name})


@pytest.mark.parametrize(
    ("limits", "victims"),
    [
        ({"minAvailable": 1}, {"b"}),
        ({"minAvailable": 0}, {"a", "b"}),
        # one of two should be there and is: the other one waits
        ({"maxUnavailable": 1}, {"b"}),
        ({"maxUnavailable": 2}, {"a", "b"}),
        ({"maxUnavailable": "50%"}, {"b"}),
        ({"minAvailable": "40%"}, {"b"}),
    ],
)
def test_pods_that_wait_count_among_those_that_should_be_there(limits, victims):
    nodes = [node("n"), node("m")]
    beside = (deployment("a", 2), deployment("b", 1))
    places = (running("a", "n"), running("b", "m"))
    assert evicted(*nodes, *places, budget("p", "a", **limits), beside=beside) == victims


def test_what_a_status_says_holds_for_its_moment_only():
    guard = {**budget("p", "a", minAvailable=1), "status": {"disruptionsAllowed": 1}}
    places = (running("a", "n"), running("b", "m"))
    found = evicted(node("n"), node("m"), *places, guard, beside=(deployment("a"), deployment("b")))
    assert found == {"b"}


def test_pods_without_a_controller_are_healthy_and_not_expected():
    bare = pod("x", "m", labels={"app": "a"}, priority=20)
    nodes, places = (node("n"), node("m", 2)), (running("a", "n"), running("b", "m"), bare)
    beside = (deployment("a", 1), deployment("b", 1))
    assert evicted(*nodes, *places, budget("p", "a", maxUnavailable=0), beside=beside) == {"a", "b"}


def test_a_share_of_a_kind_without_a_scale_lets_nothing_go():
    daemons = workload("DaemonSet", "a", nodeSelector={"kubernetes.io/hostname": "n"})
    beside = (daemons, deployment("b", nodeSelector={"kubernetes.io/hostname": "m"}))
    for limits, victims in (({"maxUnavailable": 1}, {"b"}), ({"minAvailable": 0}, {"a", "b"})):
        assert evicted(node("n"), node("m"), budget("p", "a", **limits), beside=beside) == victims


def test_pods_of_equal_priority_may_be_older_or_younger_than_those_of_the_inventory():
    outside = pod("x", "n", owner=("ReplicaSet", "x-1"), labels={"app": "x"})
    assert evicted(node("n", 2), outside, beside=(deployment("b"),)) == {"x-1", "b"}
