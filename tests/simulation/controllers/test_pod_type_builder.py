"""What a change says of itself, and what a controller's builder has noted."""

from __future__ import annotations

from rollout_objects import cluster, deployment, pod

from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.simulation.controllers.pod_type_builder import CollectedPods
from kubelint_gpu.simulation.model.pod_types import build_pod_types
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange

ONE = deployment(replicas=3)


def test_pods_that_wait_are_not_sure_of_their_places():
    waiting = read_pod(pod("w-1", ""))
    assert WorkloadChange(ONE, ONE).sure == 3
    assert WorkloadChange(ONE, ONE, waiting=(waiting,)).sure == 2
    assert WorkloadChange(ONE, ONE, existing=False).sure == 0


def test_the_nodes_of_a_daemon_set_before_a_change():
    change = WorkloadChange(ONE, ONE, nodes=("a", "b"), left=("c",), fresh=("b",))
    assert change.standing == ("a", "c")
    assert change.moved
    assert not WorkloadChange(ONE, ONE, nodes=("a",)).moved


def test_a_rolled_deployment_has_an_old_and_a_new_type():
    found = build_pod_types([WorkloadChange(ONE, ONE)], frozenset({0}), (), cluster())
    assert [kind.new for kind in found.kinds] == [False, True]
    assert (found.wanted, found.sure, found.members) == ((3, 0), (3, 0), ((0, 1),))


def test_known_pods_are_noted_with_their_nodes():
    running = read_pod(pod("w-1", "gpu-1"))
    collected = CollectedPods(cluster())
    number = collected.kind(running, 1, "Deployment/d/w", (running,))
    assert (number, collected.homes, collected.sure) == (0, [(0, "gpu-1")], [1])
