"""What is said of nodes with one verdict."""

from __future__ import annotations

from gpu_objects import GPU, explained, gpu_node, gpu_pod
from plugin_objects import node


def test_what_is_lacking_is_named_in_the_order_of_the_scheduler():
    (one,) = explained(gpu_pod(gpus=2), gpu_node("a", 1)).classes
    assert one.lacking == (GPU,)
    assert not one.fits


def test_a_rejection_for_pod_slots_lacks_pods():
    full = node("a")
    full["status"]["allocatable"]["pods"] = "0"
    (one,) = explained(gpu_pod(), full).classes
    assert one.lacking == ("pods", GPU)


def test_what_fits_and_what_other_plugins_reject_lacks_nothing():
    found = explained(gpu_pod(nodeSelector={"a": "b"}), gpu_node("a", 1))
    assert [one.lacking for one in found.classes] == [()]
    assert [one.lacking for one in explained(gpu_pod(), gpu_node("a", 1)).classes] == [()]


def test_a_pod_fits_where_any_class_of_nodes_takes_it():
    found = explained(gpu_pod(), gpu_node("a", 1), node("b"))
    assert found.fits
    assert [(one.nodes, one.fits) for one in found.classes] == [(("a",), True), (("b",), False)]
