"""What each workload of a run may take where, worked out once."""

from __future__ import annotations

from rollout_objects import cluster, deployment, node, pod, same, workload

from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun


def test_a_deployment_demands_its_replicas_and_its_surge_on_all_nodes_that_take_its_pods():
    run = PreparedRun(same(deployment(replicas=2, surge=1, unavailable=0)), cluster(node("n", 4), node("m", 0)))
    (demand,) = run.demands
    assert demand.nodes == run.eligible[0] == {"n"}
    assert (demand.most, demand.whole, demand.rest) == (7, 2, 2)
    assert demand.simple


def test_a_workload_that_may_miss_a_pod_has_one_less_while_it_waits():
    run = PreparedRun(same(deployment(replicas=2, surge=0, unavailable=1)), cluster(node("n", 4)))
    assert (run.demands[0].whole, run.demands[0].rest) == (2, 1)


def test_a_daemon_set_has_few_pods_on_a_node():
    run = PreparedRun(same(workload("DaemonSet", "d")), cluster(node("n", 4)))
    assert run.demands[0].on_each == 4
    assert not run.demands[0].simple


def test_running_pods_of_nobody_leave_less():
    run = PreparedRun(same(deployment()), cluster(node("n", 4), pod("other", "n", gpus=3)))
    gpu = "nvidia.com/gpu"
    assert [one.meta.name for one in run.rest] == ["other"]
    assert run.residual(run.rest)["n"][gpu] == run.cluster.nodes[0].allocatable[gpu] - 3
