"""The pods of a workload, put on nodes one after the other."""

from __future__ import annotations

import pytest
from checks_units import GPU_NODE, deployment, unit

from kubelint_gpu.explain.moment_pods import created_like, filled, with_daemons, with_placed


@pytest.mark.parametrize(("gpus", "placed", "full"), [(1, 1, True), (2, 2, False)])
def test_replicas_are_placed_until_the_nodes_are_full(gpus, placed, full):
    found = unit(deployment(spec="replicas: 2"), GPU_NODE % gpus)
    workload = found.subjects[0].workload
    pods, is_full = filled(workload, found.running)
    assert ([name for _, name in pods], is_full) == (["gpu-1"] * placed, full)
    assert len(with_placed(found.running, pods).pods) == placed
    assert pods[0][0].meta.name == "chat-old-0"
    assert created_like(workload, "new").meta.owner.name == "chat"


def test_pods_of_daemon_sets_run_already_in_a_rollout():
    daemons = deployment(name="agent", limits="{cpu: 1}").replace("kind: Deployment", "kind: DaemonSet")
    found = unit(f"{deployment()}---\n{daemons}", GPU_NODE % 1)
    assert len(with_daemons(found, found.subjects[0], found.running).pods) == 1
    assert with_daemons(found, found.subjects[1], found.running) is found.running
