"""Gated pods."""

from __future__ import annotations

from plugin_objects import node, pod, snapshot

from kubelint_gpu.scheduler import attempt, read_pod
from kubelint_gpu.scheduler.plugins.scheduling_gates import pre_enqueue


def gated(*names, **spec):
    return read_pod(pod(schedulingGates=[{"name": name} for name in names], **spec))


def test_a_gated_pod_waits_with_its_gates_in_the_order_of_the_spec():
    assert pre_enqueue(gated("z", "a")).reasons == ("waiting for scheduling gates: [z a]",)


def test_no_gates_are_no_rejection():
    assert pre_enqueue(gated()) is None
    assert pre_enqueue(read_pod(pod())) is None


def test_no_node_is_looked_at_for_a_gated_pod():
    found = attempt(gated("a", nodeSelector={"never": "there"}), snapshot(node("n")))
    assert found.held == "Scheduling is blocked due to non-empty scheduling gates"
    assert found.fit is None
