"""Which labels describe the GPUs of a node."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.gpu.gpu_labels import HOSTNAME, MODEL, POOL, is_gpu_label


@pytest.mark.parametrize(
    "key", [*MODEL, "nvidia.com/gpu.memory", "nvidia.com/mig-1g.5gb.count", "beta.amd.com/gpu.vram"]
)
def test_model_memory_and_number_describe_gpus(key):
    assert is_gpu_label(key)


@pytest.mark.parametrize("key", [*POOL, HOSTNAME, "nvidia.com/cuda.driver.major", "nvidia.com/gpu.present.not"])
def test_pools_names_and_drivers_do_not(key):
    assert not is_gpu_label(key)
