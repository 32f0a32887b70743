"""Which unread objects of the inventory may decide about which workloads."""

import json
from pathlib import Path

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import Inventory, load
from kubelint_gpu.inventory.declarations.declared import Unread
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.unread_objects import decisive

TERM = {"topologyKey": "a", "labelSelector": {}, "namespaceSelector": {}}
SPECS = {
    "plain": {},
    "volume": {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "x"}}]},
    "device": {"resourceClaims": [{"name": "g", "resourceClaimName": "x"}]},
    "class": {"priorityClassName": "x"},
    "runtime": {"runtimeClassName": "x"},
    "near": {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}}},
}


def deployment(more):
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "x"}], **more}}
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
    value = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    return read("web.yaml", json.dumps(value).encode())


@pytest.mark.parametrize(
    ("one", "decides"),
    [
        (Unread("Node", "x"), ""),
        (Unread("ResourceQuota", "x"), ""),
        (Unread("PersistentVolume", "x"), "volume"),
        (Unread("StorageClass", "x"), "volume"),
        (Unread("ResourceSlice", "x"), "device"),
        (Unread("DeviceClass", "x"), "device"),
        (Unread("PriorityClass", "x"), "class"),
        (Unread("PriorityClass"), "class"),
        (Unread("PriorityClass", "y"), ""),
        (Unread("PriorityClass", "y", default=True), "plain volume device runtime near"),
        (Unread("RuntimeClass", "x"), "runtime"),
        (Unread("RuntimeClass", "y"), ""),
        (Unread("Namespace", "lab"), "near"),
        (Unread("Pod", "p", "lab"), "near"),
        (Unread("Pod", "p", "default", labels=FrozenMap({"app": "other"})), "near"),
        (Unread("Pod", "p", "default", labels=FrozenMap({"app": "web"})), "plain volume device class runtime near"),
        (Unread("Pod", "p", "default", "Deployment/other"), "near"),
    ],
)
def test_an_object_decides_where_a_workload_can_use_it(one, decides):
    world = ClusterContext(Inventory(complete=True, closed=True, unread=(one,)))
    units = {name: ApplySet([deployment(more)], world) for name, more in SPECS.items()}
    assert [name for name, unit in units.items() if decisive(unit)] == decides.split()


def test_without_the_cluster_the_release_is_known_and_nothing_else():
    world = ClusterContext(Inventory(kubernetes_version="1.34", complete=True, closed=True))
    unit = ApplySet([deployment({})], world).without_cluster()
    assert not unit.has_nodes
    assert not unit.complete
    assert unit.minor_release == 34
    assert unit.manifests[0].path == str(Path("web.yaml"))


@pytest.mark.parametrize(
    ("model", "selector", "decides"),
    [
        ("A100", {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}, True),
        ("A100", {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB"}, True),
        ("A100", {"nvidia.com/gpu.memory": "40960"}, True),
        ("A100", {"nvidia.com/gpu.product": "NVIDIA-H200"}, False),
        ("A100", {"nvidia.com/gpu.family": "ampere"}, False),
        ("A100", {"nvidia.com/gpu.count": "2"}, False),
        ("A100-SXM4-40GB", {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}, False),
    ],
)
def test_a_model_that_may_be_another_decides_where_its_labels_are_asked_for(model, selector, decides):
    gpus = f"gpus: {{model: {model}, count: 2}}"
    text = f"apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes: [{{name: a, allocatable: {{cpu: 8, memory: 1Gi}}, {gpus}}}]\n"
    unit = ApplySet([deployment({"nodeSelector": selector})], ClusterContext(load([read("c.yaml", text.encode())])[0]))
    assert decisive(unit) == ((Unread("GPU model", model),) if decides else ())
    labelled = text.replace(gpus, f"{gpus}, labels: {{{json.dumps(selector)[1:-1]}}}")
    unit = ApplySet(
        [deployment({"nodeSelector": selector})], ClusterContext(load([read("c.yaml", labelled.encode())])[0])
    )
    assert decisive(unit) == ()
