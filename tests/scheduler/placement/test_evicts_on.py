"""Who could evict whom on a node that two kinds of pods fill."""

from __future__ import annotations

import pytest

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.placement.filling import evicts_on

NODE = {
    "kind": "Node",
    "metadata": {"name": "gpu-1"},
    "status": {"allocatable": {"cpu": "64", "pods": "110", "nvidia.com/gpu": "8"}},
}
EMPTY = Snapshot.of(read_cluster([NODE]))


def pod(name, priority, gpus, policy="PreemptLowerPriority"):
    resources = {"limits": {"nvidia.com/gpu": gpus}}
    spec = {
        "priority": priority,
        "preemptionPolicy": policy,
        "containers": [{"name": "main", "image": "image", "resources": resources}],
    }
    return read_pod({"kind": "Pod", "metadata": {"name": name, "namespace": "ml"}, "spec": spec})


@pytest.mark.parametrize(
    ("attacker", "holder", "holders", "evicted"),
    [
        (pod("batch", 10, 4), pod("server", 1, 4), 2, True),
        (pod("batch", 10, 4), pod("server", 1, 4), 1, True),
        (pod("batch", 10, 1), pod("server", 1, 8), 1, True),
        (pod("batch", 1, 4), pod("server", 1, 4), 2, False),
        (pod("batch", 0, 4), pod("server", 1, 4), 2, False),
        (pod("batch", 10, 4, "Never"), pod("server", 1, 4), 2, False),
        (pod("batch", 10, 16), pod("server", 1, 4), 2, False),
        (pod("batch", 10, 4), pod("server", 1, 16), 2, False),
        (pod("batch", 10, 4), pod("server", 1, 4), 0, False),
    ],
)
def test_only_a_higher_priority_that_may_preempt_evicts(attacker, holder, holders, evicted):
    assert evicts_on("gpu-1", attacker, holder, holders, EMPTY) is evicted


def test_nobody_is_evicted_from_a_node_that_is_not_there():
    assert evicts_on("gpu-2", pod("batch", 10, 4), pod("server", 1, 4), 1, EMPTY) is False
