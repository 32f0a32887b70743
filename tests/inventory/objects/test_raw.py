"""Raw objects, alone and beside the concise form; contradictions between them."""

from __future__ import annotations

import json

import pytest
from raw_objects import CONCISE, loaded, raw_node, raw_pod

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import contradictions, load

GPUS = {"tracker-node": ("NVIDIA-GeForce-RTX-3090", 1)} | {f"gpu-{n}": ("NVIDIA-A100-PCIE-40GB", 2) for n in (1, 2, 3)}


def tracker_nodes():
    names = [*GPUS, *(f"worker-{number}" for number in range(1, 7))]
    for name in names:
        labels = {"kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
        allocatable = {}
        if name in GPUS:
            product, count = GPUS[name]
            labels |= {
                "nvidia.com/gpu.present": "true",
                "nvidia.com/gpu.product": product,
                "nvidia.com/gpu.count": str(count),
            }
            allocatable = {"nvidia.com/gpu": str(count)}
        yield raw_node(name, labels, allocatable)


def test_both_forms_of_one_cluster_give_the_same_nodes():
    raw, raw_errors = loaded(*tracker_nodes())
    concise, concise_errors = load([read("concise.yaml", CONCISE.encode())])
    assert raw_errors == concise_errors == ()
    raw_nodes = {node.name: node for node in raw.of_kind("Node")}
    concise_nodes = {node.name: node for node in concise.of_kind("Node")}
    assert raw_nodes.keys() == concise_nodes.keys()
    for name, node in raw_nodes.items():
        other = concise_nodes[name]
        assert node.value["status"]["allocatable"] == other.value["status"]["allocatable"]
        assert node.typed.allocatable == other.typed.allocatable
        # The concise form knows what else feature discovery writes.
        assert node.value["metadata"]["labels"].items() <= other.value["metadata"]["labels"].items()
    assert raw.kubernetes_version == concise.kubernetes_version == "1.34"
    assert raw.complete
    assert concise.complete
    assert contradictions(raw) == contradictions(concise) == ()


def test_raw_objects_are_handed_on_as_they_are():
    reading = read("raw.json", json.dumps(raw_node("a")).encode())
    inventory, errors = load([reading])
    assert errors == ()
    assert inventory.objects[0].value is reading.documents[0].value
    assert inventory.objects[0].typed.name == "a"


def test_both_forms_may_be_mixed():
    more = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nrunning: [{name: p, node: a, gpus: 1}]\n"
    inventory, errors = loaded(raw_node("a", allocatable={"nvidia.com/gpu": "1"}), more=more)
    assert errors == ()
    assert [each.kind for each in inventory.objects] == ["Node", "Pod"]


def test_kinds_that_placement_does_not_depend_on_are_counted():
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    inventory, errors = loaded(raw_node("a"), config, config)
    assert errors == ()
    assert inventory.ignored == (("ConfigMap", 2),)


def test_a_list_without_items_is_an_empty_inventory():
    inventory, errors = loaded()
    assert errors == ()
    assert (inventory.objects, inventory.complete) == ((), False)


def test_an_api_group_of_another_project_does_not_make_a_node():
    _, (error,) = load([read("x.yaml", b"apiVersion: example.com/v1\nkind: Node\nmetadata: {name: a}\n")])
    assert error.message == "not an inventory: Node a says nothing about the nodes of a cluster"


def test_a_node_without_pods_stays_without_and_is_warned_about():
    value = raw_node("a")
    del value["status"]["allocatable"]["pods"]
    inventory, (warning,) = loaded(value)
    assert "pods" not in inventory.objects[0].value["status"]["allocatable"]
    assert (warning.severity, warning.message) == (
        "warning",
        "Node a has no allocatable pods, so no pod at all can run on it",
    )


@pytest.mark.parametrize(
    ("amount", "message"),
    [
        ("1x", 'Node a: status.allocatable.cpu "1x" is no quantity'),
        ("-1", "Node a: status.allocatable.cpu must be greater than or equal to 0, not -1"),
    ],
)
def test_bad_quantities_of_raw_objects_are_errors(amount, message):
    inventory, (error,) = loaded(raw_node("a", allocatable={"cpu": amount}))
    assert error.severity == "error"
    assert error.message.startswith(message)
    assert inventory.objects == ()


def test_a_raw_pod_gets_the_priority_of_its_class_and_no_default_after_the_fact():
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 5}
    default = {**high, "metadata": {"name": "default"}, "globalDefault": True, "value": 3}
    named, plain = raw_pod("named", "a", priorityClassName="high"), raw_pod("plain", "a")
    del named["spec"]["priority"], plain["spec"]["priority"]
    inventory, errors = loaded(raw_node("a"), high, default, named, plain)
    assert errors == ()
    specs = {each.name: each.value["spec"] for each in inventory.of_kind("Pod")}
    assert specs["named"]["priority"] == 5
    assert "priority" not in specs["plain"]
    assert "priority" not in named["spec"]


def test_a_person_may_mark_a_raw_node_unhealthy():
    inventory, _ = loaded(raw_node("a", annotations={"kubelint-gpu/unhealthy": "GPU 3"}), raw_node("b"))
    assert inventory.unhealthy == {"a"}


@pytest.mark.parametrize(
    ("labels", "allocatable"),
    [
        ({"nvidia.com/gpu.count": "2", "nvidia.com/gpu.replicas": "4"}, {"nvidia.com/gpu": "8"}),
        ({"nvidia.com/gpu.count": "2", "nvidia.com/gpu.replicas": "4"}, {"nvidia.com/gpu.shared": "8"}),
        ({"nvidia.com/gpu.count": "8"}, {"nvidia.com/gpu": "80", "volcano.sh/vgpu-number": "80"}),
        ({}, {"nvidia.com/gpu": "3"}),
    ],
)
def test_labels_that_agree_or_mean_something_else_are_left_alone(labels, allocatable):
    inventory, _ = loaded(raw_node("a", labels, allocatable))
    assert contradictions(inventory) == ()


def test_where_a_driver_gives_out_the_gpus_allocatable_rightly_has_none():
    resource_slice = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {"driver": "gpu.nvidia.com", "pool": {"name": "a", "resourceSliceCount": 1}, "nodeName": "a"},
    }
    inventory, _ = loaded(raw_node("a", {"nvidia.com/gpu.count": "8"}), resource_slice)
    assert contradictions(inventory) == ()


def test_pods_that_request_more_than_allocatable_are_found_and_finished_ones_hold_nothing():
    pods = [
        raw_pod("p", "a", {"cpu": "20"}),
        raw_pod("q", "a", {"cpu": "12500m"}),
        raw_pod("r", "a", {"cpu": "9"}, "Succeeded"),
    ]
    inventory, errors = loaded(raw_node("a"), *pods)
    assert errors == ()
    (warning,) = contradictions(inventory)
    assert warning.message == "node a: its pods request 32500m of cpu, allocatable is 32"


@pytest.mark.parametrize("taints", [None, [], [{"key": "k", "effect": "NoExecute"}]])
def test_a_cordoned_node_has_the_taint_that_the_node_lifecycle_controller_sets(taints):
    value = raw_node("n")
    value["spec"] = {"unschedulable": True, "taints": taints}
    inventory, errors = loaded(value)
    (found,) = inventory.of_kind("Node")
    assert errors == ()
    assert [str(taint) for taint in found.typed.taints][-1] == "node.kubernetes.io/unschedulable:NoSchedule"
    assert len(found.typed.taints) == len(taints or ()) + 1 == len(found.value["spec"]["taints"])
