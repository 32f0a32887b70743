"""Which resources count GPUs, or what is scheduled like them."""

from __future__ import annotations

import pytest

from kubelint_gpu.inventory.gpus.accelerators import has_accelerators, is_accelerator


@pytest.mark.parametrize(
    "resource",
    ["nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "amd.com/cpx_nps4", "gpu.intel.com/xe", "aws.amazon.com/neuron"],
)
def test_gpus_their_parts_and_their_like_count(resource):
    assert is_accelerator(resource)
    assert has_accelerators({"cpu": 4, resource: 1})


@pytest.mark.parametrize(
    "resource",
    ["cpu", "nvidia.com/gpu-memory", "gpu.intel.com/i915_monitoring", "aws.amazon.com/neuroncore", "example.com/gpu"],
)
def test_handles_memory_and_second_views_do_not(resource):
    assert not is_accelerator(resource)
    assert not has_accelerators({resource: 1})


def test_a_node_that_has_none_left_has_none():
    assert not has_accelerators({"nvidia.com/gpu": 0})
