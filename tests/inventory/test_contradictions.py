"""Where declarations contradict each other."""

from __future__ import annotations

import pytest
from raw_objects import CONCISE, loaded, raw_node, raw_pod

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import contradictions, load
from kubelint_gpu.inventory.view.table import render
from kubelint_gpu.kube.dra.resource_slice import ALL_FAIL, ATTEMPTS_FAIL, NONE_TAKEN
from kubelint_gpu.values import replace


@pytest.mark.parametrize(
    ("labels", "allocatable", "message"),
    [
        (
            {"nvidia.com/gpu.count": "8"},
            {"nvidia.com/gpu": "7"},
            "node a: its labels say 8 of nvidia.com/gpu, allocatable says 7",
        ),
        (
            {"nvidia.com/gpu.count": "2", "nvidia.com/gpu.replicas": "4"},
            {"nvidia.com/gpu": "2"},
            "node a: its labels say 2 times 4 of nvidia.com/gpu, allocatable says 2",
        ),
        (
            {"nvidia.com/mig.strategy": "mixed", "nvidia.com/gpu.count": "1", "nvidia.com/mig-1g.5gb.count": "7"},
            {"nvidia.com/mig-1g.5gb": "6"},
            "node a: its labels say 7 of nvidia.com/mig-1g.5gb, allocatable says 6",
        ),
        (
            {"nvidia.com/gpu.product": "Tesla-T4"},
            {},
            "node a: its label says Tesla-T4, allocatable has no GPU",
        ),
        (
            {
                "nvidia.com/gpu.product": "Tesla-T4-SHARED",
                "nvidia.com/gpu.replicas": "1",
                "nvidia.com/gpu.count": "1",
            },
            {"nvidia.com/gpu": "1"},
            "node a: Tesla-T4-SHARED is shared, but nvidia.com/gpu.replicas is 1",
        ),
    ],
)
def test_labels_that_contradict_allocatable_are_found(labels, allocatable, message):
    inventory, errors = loaded(raw_node("a", labels, allocatable))
    assert errors == ()
    (warning,) = contradictions(inventory)
    assert (warning.severity, warning.message) == ("warning", message)


def test_a_raw_pod_on_an_unknown_node_is_a_contradiction_and_no_error():
    inventory, errors = loaded(raw_node("gpu-1"), raw_pod("p", "gpu-2"))
    assert errors == ()
    (warning,) = contradictions(inventory)
    assert warning.message == "pod d/p: it runs on node gpu-2, which is not declared"
    assert warning.hint == 'did you mean "gpu-1"?'


def test_equal_nodes_of_a_pool_contradict_once():
    text = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
pools: [{name: a, count: 50, template: {gpus: {model: L4, count: 8}, allocatable: {nvidia.com/gpu: 7}}}]
"""
    inventory, errors = load([read("c.yaml", text.encode())])
    assert errors == ()
    assert len(contradictions(inventory)) == 1


def test_a_namespace_may_be_declared_in_parts_that_do_not_contradict_each_other():
    part = "{apiVersion: v1, kind: Namespace, metadata: {name: team, labels: {%s}}}\n"
    inventory, errors = load((read("i.yaml", "---\n".join([part % "a: b", part % "c: d", CONCISE]).encode()),))
    assert not errors
    (only,) = inventory.of_kind("Namespace")
    assert only.value["metadata"]["labels"] == {"a": "b", "c": "d"}
    _, errors = load((read("i.yaml", "---\n".join([part % "a: b", part % "a: d", CONCISE]).encode()),))
    assert [one.message for one in errors] == ["Namespace team is declared twice"]


def a_slice(name, *devices, count=1, generation=1, **spec):
    pool = {"name": "p", "generation": generation, "resourceSliceCount": count}
    spec = {"driver": "gpu.example.com", "pool": pool, "nodeName": "a", "devices": list(devices), **spec}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec}


@pytest.mark.parametrize(
    ("slices", "why"),
    [
        ([a_slice("s", {"name": "d"}, count=2)], "1 of 2 slices of its newest generation, 1, are declared"),
        (
            [a_slice("old", {"name": "d"}), a_slice("s", {"name": "d"}, generation=2, count=2)],
            "1 of 2 slices of its newest generation, 2, are declared",
        ),
        ([a_slice(name, {"name": "d"}, count=2) for name in "st"], "duplicate device name d"),
        (
            [a_slice("s", {"name": "d", "consumesCounters": [{"counterSet": "x", "counters": {}}]})],
            "counter set x not found",
        ),
    ],
)
def test_a_pool_of_which_the_scheduler_takes_no_device_is_told(slices, why):
    inventory = replace(loaded(raw_node("a"), *slices)[0], kubernetes_version="1.36")
    assert [one.message for one in contradictions(inventory)] == [
        f"pool gpu.example.com/p: {why}: the scheduler takes none of its devices"
    ]
    assert not contradictions(loaded(raw_node("a"), a_slice("old", count=5), a_slice("s", generation=2))[0])


@pytest.mark.parametrize("version", ["1.34", "1.36"])
def test_devices_of_two_nodes_may_have_one_name(version):
    """Each node reaches its own slice of the pool; a third one for all nodes meets both."""
    slices = [a_slice(node, {"name": "d"}, nodeName=node, count=2) for node in "ab"]
    inventory = replace(loaded(raw_node("a"), raw_node("b"), *slices)[0], kubernetes_version=version)
    assert not contradictions(inventory)
    more = [a_slice(node, {"name": "d"}, nodeName=node, count=3) for node in "ab"]
    everywhere = a_slice("c", {"name": "d"}, allNodes=True, count=3)
    del everywhere["spec"]["nodeName"]
    inventory = replace(loaded(raw_node("a"), raw_node("b"), *more, everywhere)[0], kubernetes_version=version)
    (told,) = contradictions(inventory)
    assert "duplicate device name d" in told.message


@pytest.mark.parametrize(
    ("slices", "effect"),
    [
        ([a_slice("s", {"name": "d"}, count=2)], ALL_FAIL),
        ([a_slice("s", {"name": "d"}, count=2), a_slice("t", {"name": "e"}, count=3)], NONE_TAKEN),
        ([a_slice(name, {"name": "d"}, count=2) for name in "st"], ATTEMPTS_FAIL),
        (
            [a_slice("s", {"name": "d", "consumesCounters": [{"counterSet": "x", "counters": {}}]})],
            "its consumesCounters are dropped, or not heeded, as DRAPartitionableDevices is off by default in 1.34",
        ),
    ],
)
def test_until_1_34_the_devices_of_an_incomplete_pool_are_given_out(slices, effect):
    inventory, _ = loaded(raw_node("a"), *slices)
    found = contradictions(replace(inventory, kubernetes_version="1.34"))
    assert [one.message.rpartition(": ")[2] for one in found] == [effect]
    assert ("in an unusable pool" in render(replace(inventory, kubernetes_version="1.34"))) is (
        effect in (NONE_TAKEN, ATTEMPTS_FAIL)
    )


@pytest.mark.parametrize(("served", "told"), [("nvidia.com/gpu", 0), ("example.com/gpu", 1)])
def test_what_devices_serve_needs_no_allocatable(served, told):
    """Seen on a control plane 1.36.3: the node of a pod that got devices has none of the extended resource."""
    device_class = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu"},
        "spec": {"extendedResourceName": served},
    }
    pod = raw_pod("p", "a", {"nvidia.com/gpu": "1"})
    inventory, _ = loaded(raw_node("a"), pod, device_class)
    found = [one.message for one in contradictions(inventory)]
    assert found == ["node a: its pods request 1 of nvidia.com/gpu, allocatable is 0"] * told
