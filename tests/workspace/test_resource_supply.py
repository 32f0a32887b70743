"""What gives extended resources out."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
complete: true
nodes: [{name: gpu-1, allocatable: {cpu: 64, memory: 512Gi}, gpus: {model: L40S, count: 8}}]
"""


def asking(number):
    resources = {"limits": {"nvidia.com/gpu": str(number)}}
    spec = {"containers": [{"name": "c", "image": "i", "resources": resources}]}
    return read_pod({"metadata": {"name": "p", "namespace": "ns"}, "spec": spec})


def supply(*more):
    found = (read("inventory.yaml", "---\n".join(more).encode()),)
    declared, errors = load(found)
    return ApplySet((), ClusterContext(declared, found, errors)).supply


def test_the_nodes_advertise_what_they_have():
    found = supply(NODES)
    assert "nvidia.com/gpu" in found.advertised
    assert not found.given_out_elsewhere("nvidia.com/gpu")
    assert found.mapped == frozenset()
    assert found.lacks_served("nvidia.com/gpu", asking(9)) == ""


@pytest.mark.parametrize(
    ("number", "says"),
    [(3, "3 devices of DeviceClass gpu.nvidia.com: the largest has 2"), (1, "1 device of DeviceClass gpu.nvidia.com")],
)
def test_what_is_lacking_of_devices_is_told_by_numbers(number, says):
    nodes = "nodes:\n  - {name: a, allocatable: {cpu: 8, memory: 8Gi}, devices: [{model: H100-80GB-HBM3, count: 2}]}\n"
    found = supply(f'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.36"\n{nodes}')
    told = found.lacks_served("nvidia.com/gpu", asking(number))
    assert told == f"no node has {says}; it serves nvidia.com/gpu"


@pytest.mark.parametrize(("version", "elsewhere"), [("1.33", False), ("1.34", True)])
def test_a_class_gives_out_a_resource_only_where_it_has_the_field_for_it(version, elsewhere):
    devices = (
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
        "spec: {extendedResourceName: nvidia.com/gpu}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\n"
        "metadata: {name: s}\nspec: {driver: gpu.example.com, nodeName: gpu-1, devices: [{name: d}],\n"
        "  pool: {name: p, generation: 1, resourceSliceCount: 1}}\n"
    )
    nodes = NODES.replace("gpus: {model: L40S, count: 8}", "labels: {a: b}")
    found = supply(nodes + f'kubernetesVersion: "{version}"\n', devices)
    assert found.mapped == {"nvidia.com/gpu", "deviceclass.resource.kubernetes.io/gpu"}
    assert found.given_out_elsewhere("nvidia.com/gpu") is elsewhere
