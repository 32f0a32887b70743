"""What would have to happen so that a pod fits on a node."""

from __future__ import annotations

import pytest
from gpu_objects import gpu_node, gpu_pod
from plugin_objects import HOST, ZONE, node, pod

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.explain.cluster_changes import (
    LabelSet,
)
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


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@pytest.mark.parametrize(
    ("expression", "label", "expected"),
    [
        ({"operator": "In", "values": ["x", "y"]}, None, "x"),
        ({"operator": "NotIn", "values": ["x"]}, "x", None),
        ({"operator": "Exists"}, None, "true"),
        ({"operator": "DoesNotExist"}, "x", None),
        ({"operator": "Gt", "values": ["4"]}, "3", "5"),
        ({"operator": "Lt", "values": ["4"]}, "7", "3"),
    ],
)
def test_the_label_that_would_have_to_be_set(expression, label, expected):
    terms = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "pool", **expression}]}]}
    incoming = pod(affinity={"nodeAffinity": {REQUIRED: terms}})
    (one,) = explained(incoming, node("a", labels={} if label is None else {"pool": label})).classes
    assert one.remedies[0].changes == (LabelSet("pool", expected),)
    assert one.unmet[0].actual == (() if label is None else (label,))


@pytest.mark.parametrize("key", [HOST, ZONE, "nvidia.com/gpu.product", "node.kubernetes.io/instance-type"])
def test_labels_that_say_what_a_node_is_are_not_set_but_a_node_that_has_them_joins(key):
    (one,) = explained(gpu_pod(nodeSelector={key: "x"}), gpu_node("a", 1)).classes
    assert one.remedies == ()
    assert one.joining.labels == ((key, "x"),)
    assert (one.joining.node.name == "x") == (key == HOST)
