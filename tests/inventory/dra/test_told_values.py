"""What a concise node tells of its GPUs, and what nothing tells."""

from __future__ import annotations

import pytest
from declared_devices import loaded, slices

from kubelint_gpu.inventory.dra.told_values import untold

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
