"""What would have to happen so that a pod fits on a node."""

from __future__ import annotations

from gpu_objects import gpu_node, gpu_pod

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.explain.explanation import explain


def explained(incoming, *objects, version="1.34"):
    return explain(read_pod(incoming), Snapshot.of(read_cluster(objects, version=version)))


def kinds(found):
    return [tuple(type(change).__name__ for change in remedy.changes) for remedy in found.remedies]


def test_a_pod_that_never_preempts_spares_everybody():
    held = gpu_pod("low", on="a", priority=0)
    (one,) = explained(gpu_pod(priority=10, preemptionPolicy="Never"), gpu_node("a", 1), held).classes
    assert one.eviction is None
    assert "preemptionPolicy=Never" in one.spared


def test_a_node_is_opened_before_anything_ends_on_it():
    (one,) = explained(gpu_pod(), {**gpu_node("a", 1), "spec": {"unschedulable": True}}).classes
    assert kinds(one) == [("Uncordoned",)]


def test_a_node_that_is_too_small_would_have_to_grow():
    (one,) = explained(gpu_pod(gpus=2), gpu_node("a", 1)).classes
    assert kinds(one) == [("CapacityGrows",)]
