"""Partitions of a device."""

from __future__ import annotations

import pytest
from declared_devices import inventory_of, slices

from kubelint_gpu.scheduler import Snapshot, assume, attempt, read_cluster, read_pod


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


def test_fixed_mig_devices_lie_where_they_do_not_overlap():
    (found,) = slices("nodes: [{name: a, devices: [{model: A100-40GB, mig: {3g.20gb: 1, 2g.10gb: 1, 1g.5gb: 2}}]}]\n")
    devices = found["spec"]["devices"]
    taken = [name for device in devices for name in device["capacity"] if name.startswith("memorySlice")]
    assert len(devices) == 4
    assert len(taken) == len(set(taken)) == 8


@pytest.mark.parametrize(
    ("model", "profile", "memory"),
    [
        ("A100-SXM4-40GB", "1g.5gb+me", 4864),
        ("A100-PCIE-40GB", "2g.10gb", 9856),
        ("A100-SXM4-40GB", "3g.20gb", 19968),
        ("A100-80GB-PCIe", "1g.10gb", 9728),
        ("H100-80GB-HBM3", "1g.10gb", 9856),
        ("H100-80GB-HBM3", "3g.40gb", 40448),
        ("A30", "1g.6gb", 5952),
        ("H200", "1g.18gb", 18432),
    ],
)
def test_a_mig_device_has_the_memory_that_is_published_or_that_its_name_says(model, profile, memory):
    for mig in (f"{{{profile}: 1}}", "dynamic"):
        (found, *_) = [
            device
            for one in slices(f"nodes: [{{name: a, devices: [{{model: {model}, mig: {mig}}}]}}]\n")
            for device in one["spec"].get("devices", ())
            if device["attributes"].get("profile") == {"string": profile}
        ]
        assert found["capacity"]["memory"] == {"value": f"{memory}Mi"}


@pytest.mark.parametrize(
    ("model", "profile", "expected"),
    [
        ("A100-SXM4-40GB", "1g.5gb", (14, 1, 0, 0, 0)),
        ("A100-SXM4-40GB", "1g.5gb+me", (14, 1, 1, 1, 1)),
        ("A100-SXM4-40GB", "3g.20gb", (42, 3, 2, 0, 0)),
        ("H100-80GB-HBM3", "1g.10gb", (16, 1, 1, 1, 0)),
        ("A30", "2g.12gb", (28, 2, 2, 0, 0)),
    ],
)
def test_a_mig_device_tells_its_engines(model, profile, expected) -> None:
    (found,) = slices(f"nodes: [{{name: a, devices: [{{model: {model}, mig: {{{profile}: 1}}}}]}}]\n")
    capacity = found["spec"]["devices"][0]["capacity"]
    names = ("multiprocessors", "copyEngines", "decoders", "jpegEngines", "ofaEngines")
    assert tuple(int(capacity[name]["value"]) for name in names) == expected
