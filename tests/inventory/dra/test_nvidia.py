"""Devices as the driver of the vendor publishes them."""

from __future__ import annotations

import pytest
from declared_devices import inventory_of, loaded, slices


def test_a_gpu_model_is_published_as_the_vendors_driver_does_and_brings_its_classes():
    inventory = inventory_of("nodes: [{name: a, devices: [{model: H100, count: 8}]}]\n")
    (found,) = [each.value for each in inventory.of_kind("ResourceSlice")]
    device = found["spec"]["devices"][7]
    assert device["name"] == "gpu-7"
    assert device["attributes"]["productName"] == {"string": "NVIDIA H100 80GB HBM3"}
    assert device["attributes"]["architecture"] == {"string": "Hopper"}
    assert device["attributes"]["cudaComputeCapability"] == {"version": "9.0.0"}
    assert device["capacity"] == {"memory": {"value": "81559Mi"}}
    assert [each.name for each in inventory.of_kind("DeviceClass")] == [
        "gpu.nvidia.com",
        "mig.nvidia.com",
        "vfio.gpu.nvidia.com",
        "compute-domain-daemon.nvidia.com",
        "compute-domain-default-channel.nvidia.com",
    ]


@pytest.mark.parametrize(
    ("model", "memory"),
    [
        ("H100-PCIe", 81559),
        ("H200", 143771),
        ("A100-SXM4-80GB", 81920),
        ("L4", 23034),
        ("T4", 15360),
        ("GB200", 189471),
    ],
)
def test_memory_is_what_nvml_tells(model, memory):
    (found,) = slices(f"nodes: [{{name: a, devices: [{{model: {model}}}]}}]\n")
    assert found["spec"]["devices"][0]["capacity"] == {"memory": {"value": f"{memory}Mi"}}


@pytest.mark.parametrize("model", ["H10O", "RTX 2080 Ti"])
def test_a_gpu_of_an_unknown_model_has_all_that_the_driver_publishes(model):
    (known,) = slices("nodes: [{name: a, devices: [{model: L4}]}]\n")
    inventory, _ = loaded(f"nodes: [{{name: a, devices: [{{model: {model}}}]}}]\n")
    (found,) = [each.value for each in inventory.of_kind("ResourceSlice")]
    devices = [one["spec"]["devices"][0] for one in (known, found)]
    assert [*devices[0]["capacity"]] == [*devices[1]["capacity"]]
    assert sorted(devices[0]["attributes"]) == sorted(devices[1]["attributes"])


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
