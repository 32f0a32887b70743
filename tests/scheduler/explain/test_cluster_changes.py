"""Changes of the cluster that would let a pod find a node."""

from __future__ import annotations

from gpu_objects import GPU, gpu_node, gpu_pod
from plugin_objects import HOST

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.explain.cluster_changes import (
    LabelSet,
    PodsEnd,
    TaintGoes,
    Uncordoned,
)
from kubelint_gpu.scheduler.explain.explanation import explain


def explained(incoming, *objects, version="1.34"):
    return explain(read_pod(incoming), Snapshot.of(read_cluster(objects, version=version)))


def test_taints_labels_and_cordons_are_lifted_together_and_before_pods_end():
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    objects = [
        gpu_node("a", 1, unschedulable=True, taints=[taint]),
        gpu_pod("old", on="a", owner="Job/old"),
    ]
    (one,) = explained(gpu_pod(nodeSelector={"pool": "gpu"}), *objects).classes
    (remedy,) = one.remedies
    assert [type(change) for change in remedy.changes] == [Uncordoned, TaintGoes, LabelSet, PodsEnd]
    assert remedy.changes[2] == LabelSet("pool", "gpu")
    assert [str(taint) for taint in one.taints] == ["gpu=yes:NoSchedule"]


def test_a_node_that_joins_has_enough_and_no_taint_that_keeps_the_pod_away():
    taint = {"key": "t", "effect": "NoSchedule"}
    (one,) = explained(gpu_pod(gpus=4, nodeSelector={"pool": "new"}), gpu_node("a", 2, taints=[taint])).classes
    assert one.status.plugin == "TaintToleration"
    (other,) = explained(gpu_pod(gpus=4, nodeSelector={"pool": "new"}), gpu_node("a", 2)).classes
    assert (other.joining.labels, other.joining.allocatable) == ((("pool", "new"),), ((GPU, 4),))


def test_a_pod_that_is_pinned_to_a_node_gains_nothing_from_another():
    (one,) = explained(gpu_pod(nodeSelector={HOST: "a"}), gpu_node("a", 1), gpu_pod("old", on="a")).classes
    assert one.joining is None
