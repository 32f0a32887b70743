"""Devices as the driver of the vendor publishes them."""

from __future__ import annotations

import pytest
from declared_devices import inventory_of, loaded, slices

from kubelint_gpu.inventory.dra.nvidia import untold


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


MEMORY = ("gpu.nvidia.com", "memory")
PRODUCT = "nvidia.com/gpu.product"


@pytest.mark.parametrize(
    ("labels", "devices", "expected"),
    [
        ("", "{model: L40}", ["46068Mi"]),
        ("nvidia.com/gpu.memory: '49140'", "{model: L40}", ["49140Mi"]),
        ("nvidia.com/gpu.memory: '49140'", "{model: L40, memory: 40000}", ["40000Mi"]),
        ("nvidia.com/gpu.memory: '49140'", "{model: Quadro RTX 8000}", ["49140Mi"]),
        # one that is not said to be of that product
        ("nvidia.com/gpu.memory: '49140'", "{model: L40}, {model: T4}", ["46068Mi", "15360Mi"]),
        (f"nvidia.com/gpu.memory: '49140', {PRODUCT}: NVIDIA-L40", "{model: L40}, {model: T4}", ["49140Mi", "15360Mi"]),
        (f"nvidia.com/gpu.memory: '49140', {PRODUCT}: NVIDIA-L40", "{model: T4}", ["15360Mi"]),
        # the label is that of whole GPUs, or of none
        ("nvidia.com/gpu.memory: '4864'", "{model: A100-SXM4-40GB, mig: {2g.10gb: 1}}", ["9856Mi"]),
        ("nvidia.com/gpu.memory: '0'", "{model: L40}", ["46068Mi"]),
        ("nvidia.com/gpu.memory: '95830'", "{model: H100}", ["95830Mi"]),
    ],
)
def test_labels_of_gpu_feature_discovery_tell_the_memory(labels, devices, expected):
    inventory, _ = loaded(f"nodes: [{{name: a, labels: {{{labels}}}, devices: [{devices}]}}]\n")
    (found,) = [each.value for each in inventory.of_kind("ResourceSlice")]
    assert [one["capacity"]["memory"]["value"] for one in found["spec"]["devices"]] == expected


def test_the_product_label_says_which_form_of_a_model_it_is():
    (found,) = slices(
        f"nodes: [{{name: a, labels: {{nvidia.com/gpu.memory: '81559', {PRODUCT}: NVIDIA-H100-PCIe}}, "
        "devices: [{model: H100}]}]\n"
    )
    assert found["spec"]["devices"][0]["attributes"]["productName"] == {"string": "NVIDIA H100 PCIe"}


@pytest.mark.parametrize(
    ("entry", "profile", "assumed"),
    [
        ({"model": "H100"}, "", False),
        ({"model": "L40"}, "", True),
        ({"model": "L40", "memory": "48Gi"}, "", False),
        ({"model": "L40", "capacity": {"gpu.nvidia.com/memory": "48Gi"}}, "", False),
        ({"model": "no such"}, "", True),
        ({"model": "H100"}, "3g.40gb", False),
        ({"model": "H100", "memory": "80Gi"}, "7g.80gb", True),
        ({"model": "H100", "capacity": {"memory": "80Gi"}}, "7g.80gb", False),
    ],
)
def test_memory_that_neither_the_entry_nor_its_model_tells_is_assumed(entry, profile, assumed):
    assert (MEMORY in untold(entry, profile)) is assumed


def test_what_an_unknown_model_does_not_tell_is_assumed_unless_it_is_declared():
    names = {name for _, name in untold({"model": "no such", "attributes": {"brand": "x"}}, "")}
    assert {"architecture", "cudaComputeCapability"} <= names
    assert "brand" not in names
    assert "architecture" not in {name for _, name in untold({"model": "T4"}, "")}
