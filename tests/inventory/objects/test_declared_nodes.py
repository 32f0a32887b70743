"""What a ClusterInventory becomes: complete API objects, each with its place."""

from __future__ import annotations

import pytest
from declarations_of import POOL_TEXT, inventory_of, line_of, loaded, node

from kubelint_gpu.inventory.declarations.inventory import POOL, UNHEALTHY, UNLIMITED


def test_a_cordoned_node_has_the_taint_of_the_node_lifecycle_controller_once():
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    assert node("unschedulable: true")["spec"] == {"unschedulable": True, "taints": [taint]}
    written = "unschedulable: true\n    taints: ['k=v:NoExecute', 'node.kubernetes.io/unschedulable:NoSchedule']"
    assert node(written)["spec"]["taints"] == [{"key": "k", "value": "v", "effect": "NoExecute"}, taint]


def test_a_node_with_a_name_only_is_a_linux_amd64_node_without_limits():
    value = node("unschedulable: false")
    assert value["metadata"]["labels"] == {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": "m",
        "kubernetes.io/os": "linux",
    }
    assert value["status"]["allocatable"]["pods"] == "110"
    assert value["metadata"]["annotations"] == {UNLIMITED: "cpu,memory,ephemeral-storage"}
    assert value["spec"] == {}


def test_grace_nodes_are_arm64_and_a_label_of_ones_own_stands():
    assert node("gpus: {model: GB200, count: 4}")["metadata"]["labels"]["kubernetes.io/arch"] == "arm64"
    own = node("gpus: {model: GB200, count: 4}\n    labels: {kubernetes.io/arch: amd64, nvidia.com/gpu.count: '9'}")
    assert own["metadata"]["labels"]["kubernetes.io/arch"] == "amd64"
    assert own["metadata"]["labels"]["nvidia.com/gpu.count"] == "9"


def test_two_models_on_one_node_add_up_and_the_first_has_the_labels():
    inventory, errors = loaded("nodes:\n  - name: m\n    gpus: [{model: L4, count: 2}, {model: T4, count: 1}]\n")
    (declared,) = inventory.of_kind("Node")
    assert declared.value["status"]["allocatable"]["nvidia.com/gpu"] == "3"
    assert declared.value["metadata"]["labels"]["nvidia.com/gpu.product"] == "NVIDIA-L4"
    assert [error.severity for error in errors] == ["note"]
    assert "labels of only one of them" in errors[0].message


def test_reserved_is_subtracted_exactly():
    status = node("capacity: {cpu: 8, memory: 32Gi}\n    reserved: {cpu: 90m, memory: 1000M}")["status"]
    assert status["capacity"]["cpu"] == "8"
    assert status["allocatable"]["cpu"] == "7910m"
    assert status["allocatable"]["memory"] == str(32 * 2**30 - 10**9)


def test_taints_are_read_as_kubectl_writes_them():
    taints = node("taints: ['a=b:NoSchedule', 'c:NoExecute', {key: d, effect: PreferNoSchedule}]")["spec"]["taints"]
    assert taints == [
        {"key": "a", "value": "b", "effect": "NoSchedule"},
        {"key": "c", "effect": "NoExecute"},
        {"key": "d", "effect": "PreferNoSchedule"},
    ]


def test_a_pool_has_numbered_nodes_that_differ_in_nothing_but_their_names():
    inventory = inventory_of(POOL_TEXT)
    nodes = list(inventory.of_kind("Node"))
    assert [node.name for node in nodes] == ["gpu-1", "gpu-2", "gpu-3"]
    assert [node.value["metadata"]["labels"]["kubernetes.io/hostname"] for node in nodes] == ["gpu-1", "gpu-2", "gpu-3"]
    assert [node.typed.name for node in nodes] == ["gpu-1", "gpu-2", "gpu-3"]
    assert nodes[0].value["status"] is nodes[2].value["status"]
    assert nodes[0].value["metadata"]["annotations"][POOL] == "gpu"


def test_a_pool_that_can_grow_makes_the_inventory_incomplete_unless_it_says_otherwise():
    inventory = inventory_of(POOL_TEXT)
    assert not inventory.complete
    assert inventory.pools[0].room == 2
    assert inventory.pools[0].template.value["status"]["allocatable"]["nvidia.com/gpu"] == "2"
    assert inventory_of(POOL_TEXT + "complete: true\n").complete
    assert inventory_of(POOL_TEXT.replace("max: 5", "max: 3")).complete


def test_an_inventory_without_nodes_is_incomplete():
    assert not inventory_of("priorityClasses: [{name: a, value: 1}]\n").complete
    assert inventory_of("nodes: [{name: m}]\n").complete


def test_every_field_leads_back_to_the_line_it_follows_from():
    text = """nodes:
  - name: m
    labels:
      a: b
    allocatable:
      cpu: 8
    gpus:
      model: L4
      count: 2
    taints:
      - a:NoSchedule
"""
    inventory = inventory_of(text)
    assert line_of(inventory, "Node", "m", "metadata", "name") == 4
    assert line_of(inventory, "Node", "m", "metadata", "labels", "a") == 6
    assert line_of(inventory, "Node", "m", "metadata", "labels", "nvidia.com/gpu.product") == 10
    assert line_of(inventory, "Node", "m", "metadata", "labels", "nvidia.com/gpu.count") == 11
    assert line_of(inventory, "Node", "m", "status", "allocatable", "cpu") == 8
    assert line_of(inventory, "Node", "m", "status", "allocatable", "nvidia.com/gpu") == 11
    assert line_of(inventory, "Node", "m", "spec", "taints", 0, "effect") == 13
    assert line_of(inventory, "Node", "m", "status", "nodeInfo", "kubeletVersion") == 4


def test_unhealthy_nodes_are_named_with_their_reason():
    inventory = inventory_of(
        "nodes: [{name: a}, {name: b, unhealthy: true, reason: ECC}, {name: c, unhealthy: true}]\n"
    )
    assert inventory.unhealthy == {"b", "c"}
    nodes = {each.name: each.value for each in inventory.of_kind("Node")}
    assert nodes["b"]["metadata"]["annotations"][UNHEALTHY] == "ECC"


def test_settings_of_admission_and_scheduler_are_handed_on():
    inventory = inventory_of(
        """admission:
  extendedResourceToleration: true
  defaultTolerations: [{key: a, operator: Exists, resource: nvidia.com/gpu}]
scheduler:
  profiles: [{schedulerName: x, ignoredResources: [nvidia.com/gpumem]}]
  defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]
metadata: {name: staging}
"""
    )
    assert inventory.admission.extended_resource_toleration
    assert inventory.admission.default_tolerations[0]["resource"] == "nvidia.com/gpu"
    assert inventory.scheduler.profiles[0]["schedulerName"] == "x"
    assert inventory.scheduler.default_constraints[0]["topologyKey"] == "z"
    assert inventory.name == "staging"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('kubernetesVersion: "1.34"', "1.34"),
        ("kubernetesVersion: v1.34.1+k3s1", "1.34"),
        ('kubernetesVersion: "1.31"\nnodes: [{name: a, kubeletVersion: v1.30.2}]', "1.31"),
        ("nodes: [{name: a, kubeletVersion: v1.9.2}, {name: b, kubeletVersion: 1.33.0-gke.100}, {name: c}]", "1.33"),
        ("nodes: [{name: a}]", None),
    ],
)
def test_the_version_is_the_declared_one_else_that_of_the_newest_kubelet(text, expected):
    assert inventory_of(text + "\n").kubernetes_version == expected
