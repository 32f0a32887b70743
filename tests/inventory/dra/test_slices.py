"""Devices of concise nodes: the slices that a driver would publish, and what the scheduler makes of them."""

from __future__ import annotations

import json

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.scheduler import Snapshot, assume, attempt, read_cluster, read_pod

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: '1.36'\n"


def loaded(text, head=HEAD):
    return load([read("cluster.yaml", (head + text).encode())])


def inventory_of(text):
    inventory, errors = loaded(text)
    assert errors == ()
    return inventory


def slices(text):
    return [each.value for each in inventory_of(text).of_kind("ResourceSlice")]


def placed(inventory, *, profiles, constraint=""):
    """How many pods, each with a claim for some MIG profiles, find a node one after the other."""
    requests = [
        {
            "name": f"r{number}",
            "exactly": {
                "deviceClassName": "mig.nvidia.com",
                "selectors": [{"cel": {"expression": f"device.attributes['gpu.nvidia.com'].profile == '{profile}'"}}],
            },
        }
        for number, profile in enumerate(profiles)
    ]
    devices = {"requests": requests, "constraints": [{"matchAttribute": constraint}] if constraint else []}
    template = {"kind": "ResourceClaimTemplate", "metadata": {"name": "mig"}, "spec": {"spec": {"devices": devices}}}
    cluster = read_cluster(
        [*(each.value for each in inventory.objects), template], version=inventory.kubernetes_version
    )
    snapshot = Snapshot.of(cluster)
    for count in range(100):
        pod = read_pod(
            {
                "metadata": {"name": f"p{count}", "uid": f"p{count}"},
                "spec": {
                    "priority": 0,
                    "containers": [{"name": "c"}],
                    "resourceClaims": [{"name": "mig", "resourceClaimTemplateName": "mig"}],
                },
            }
        )
        found = attempt(pod, snapshot)
        if not found.fit.schedulable:
            assert found.fit.unknown is None
            return count
        snapshot = assume(pod, snapshot, found.fit.fits[0])
    raise AssertionError("there is no end")


def test_the_devices_of_a_driver_are_one_slice_a_node_and_its_values_are_typed():
    text = """
nodes:
  - name: a
    devices:
      - driver: gpu.example.com
        count: 2
        names: gpu-{}
        attributes: {model: LATEST, healthy: true, numa: [0, 1], version: {version: 1.2.3}}
        capacity: {memory: 80Gi}
        taints: [{key: k, effect: NoSchedule}]
"""
    (found,) = slices(text)
    assert found["spec"]["nodeName"] == "a"
    assert found["spec"]["pool"] == {"name": "a", "generation": 1, "resourceSliceCount": 1}
    assert [device["name"] for device in found["spec"]["devices"]] == ["gpu-0", "gpu-1"]
    assert found["spec"]["devices"][1] == {
        "name": "gpu-1",
        "attributes": {
            "model": {"string": "LATEST"},
            "healthy": {"bool": True},
            "numa": {"int": 1},
            "version": {"version": "1.2.3"},
        },
        "capacity": {"memory": {"value": "80Gi"}},
        "taints": [{"key": "k", "effect": "NoSchedule"}],
    }


def test_each_node_of_a_pool_has_devices_of_its_own():
    found = slices("pools: [{name: p, count: 3, template: {devices: [{driver: d.example, count: 1}]}}]\n")
    assert [one["spec"]["nodeName"] for one in found] == ["p-1", "p-2", "p-3"]
    assert [one["spec"]["pool"]["name"] for one in found] == ["p-1", "p-2", "p-3"]


def test_a_gpu_model_is_published_as_the_vendors_driver_does_and_brings_its_classes():
    inventory = inventory_of("nodes: [{name: a, devices: [{model: H100, count: 8}]}]\n")
    (found,) = [each.value for each in inventory.of_kind("ResourceSlice")]
    device = found["spec"]["devices"][7]
    assert device["name"] == "gpu-7"
    assert device["attributes"]["productName"] == {"string": "NVIDIA H100 80GB HBM3"}
    assert device["attributes"]["architecture"] == {"string": "Hopper"}
    assert device["attributes"]["cudaComputeCapability"] == {"version": "9.0.0"}
    assert device["capacity"] == {"memory": {"value": "81920Mi"}}
    assert [each.name for each in inventory.of_kind("DeviceClass")] == ["gpu.nvidia.com", "mig.nvidia.com"]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB"),
        ("A100-PCIE-40GB", "NVIDIA A100-PCIE-40GB"),
        ("NVIDIA-A100-80GB-PCIe", "NVIDIA A100 80GB PCIe"),
        ("V100-SXM2-16GB", "Tesla V100-SXM2-16GB"),
        ("L40S", "NVIDIA L40S"),
    ],
)
def test_the_product_is_called_as_the_driver_calls_it(model, name):
    (found,) = slices(f"nodes: [{{name: a, devices: [{{model: {model}}}]}}]\n")
    assert found["spec"]["devices"][0]["attributes"]["productName"] == {"string": name}


def test_a_class_that_is_declared_is_not_made_up():
    raw = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu.nvidia.com"},
        "spec": {"selectors": []},
    }
    text = f"nodes: [{{name: a, devices: [{{model: L4}}]}}]\n---\n{json.dumps(raw)}\n"
    found = list(inventory_of(text).of_kind("DeviceClass"))
    assert sorted(each.name for each in found) == ["gpu.nvidia.com", "mig.nvidia.com"]
    assert next(each.value["spec"] for each in found if each.name == "gpu.nvidia.com") == {"selectors": []}


@pytest.mark.parametrize(
    ("profile", "most"),
    [("1g.10gb", 7), ("1g.10gb+me", 1), ("1g.20gb", 4), ("2g.20gb", 3), ("3g.40gb", 2), ("4g.40gb", 1), ("7g.80gb", 1)],
)
def test_a_gpu_that_is_divided_on_demand_holds_as_many_devices_as_the_vendor_says(profile, most):
    inventory = inventory_of("nodes: [{name: a, devices: [{model: H100, count: 2, mig: dynamic}]}]\n")
    assert placed(inventory, profiles=[profile]) == 2 * most


def test_a_layout_across_profiles_needs_a_gpu_of_its_own():
    inventory = inventory_of("nodes: [{name: a, devices: [{model: A100-80GB, count: 4, mig: dynamic}]}]\n")
    layout = ["1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"]
    assert placed(inventory, profiles=layout, constraint="gpu.nvidia.com/parentUUID") == 4


def test_pools_too_large_for_one_slice_have_several_that_count_themselves():
    found = slices("nodes: [{name: a, devices: [{model: H100, count: 9, mig: dynamic}]}]\n")
    counts = {one["spec"]["pool"]["resourceSliceCount"] for one in found}
    assert counts == {len(found)}
    assert all(len(one["spec"].get("devices", ())) <= 64 for one in found)
    assert all(len(one["spec"].get("sharedCounters", ())) <= 8 for one in found)


def test_fixed_mig_devices_lie_where_they_do_not_overlap():
    (found,) = slices("nodes: [{name: a, devices: [{model: A100-40GB, mig: {3g.20gb: 1, 2g.10gb: 1, 1g.5gb: 2}}]}]\n")
    devices = found["spec"]["devices"]
    taken = [name for device in devices for name in device["capacity"] if name.startswith("memorySlice")]
    assert len(devices) == 4
    assert len(taken) == len(set(taken)) == 8


def test_without_devices_nothing_is_known_of_devices():
    inventory = inventory_of("nodes: [{name: a}]\n")
    cluster = read_cluster([each.value for each in inventory.objects])
    pod = read_pod(
        {
            "metadata": {"name": "p"},
            "spec": {"containers": [{"name": "c"}], "resourceClaims": [{"name": "g", "resourceClaimName": "x"}]},
        }
    )
    assert attempt(pod, Snapshot.of(cluster)).fit.fits == ("a",)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (
            "nodes: [{name: a, devices: [{count: 2}]}]",
            4,
            30,
            "nodes[0].devices[0] needs 'model' (NVIDIA's driver), or 'driver' (any other)",
        ),
        (
            "nodes: [{name: a, devices: [{driver: d.e, names: x, count: 2}]}]",
            4,
            29,
            'two devices of d.e are called "x"',
        ),
        (
            "nodes: [{name: a, devices: [{driver: d.e, capacity: {memory: much}}]}]",
            4,
            62,
            (
                'nodes[0].devices[0].capacity.memory: "much" is no quantity; a number, then nothing, one of n u m k M G T '
                "P E, or one of Ki Mi Gi Ti Pi Ei"
            ),
        ),
    ],
)
def test_what_is_wrong_is_told_at_its_place(text, line, column, message):
    _, errors = loaded(text + "\n")
    assert [(error.span.line, error.span.column, error.message) for error in errors] == [(line, column, message)]


def test_an_unknown_model_and_a_layout_that_cannot_be_are_warnings():
    _, errors = loaded("nodes: [{name: a, devices: [{model: H10O}, {model: T4, mig: dynamic}]}]\n")
    assert [(error.severity, error.message) for error in errors] == [
        ("note", 'unknown GPU model "H10O", taken as product "H10O"'),
        ("warning", "T4 cannot be divided by MIG"),
    ]


def test_a_broken_raw_slice_is_an_error_at_its_field():
    text = """apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  allNodes: true
  devices:
    - name: gpu
      attributes: {model: {int: many}}
"""
    _, (error,) = loaded(text, head="")
    assert error.span.line == 10
    assert error.message == (
        'ResourceSlice s: spec.devices[0].attributes.model.int must be an integer, not the string "many"'
    )
