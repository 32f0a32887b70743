"""MIG profiles."""

from __future__ import annotations

import pytest

from kubelint_gpu.inventory.gpus.gpu_models import MODELS
from kubelint_gpu.inventory.gpus.mig import profile_of


def model(product):
    return next(found for found in MODELS if found.product == product)


@pytest.mark.parametrize(
    ("product", "resource", "profile"),
    [
        ("NVIDIA-A100-SXM4-80GB", "nvidia.com/mig-7g.79gb", "7g.80gb"),
        ("NVIDIA-A100-SXM4-80GB", "nvidia.com/mig-1g.10gb.me", "1g.10gb+me"),
        ("NVIDIA-A100-SXM4-80GB", "nvidia.com/mig-1g.5gb", None),
        ("NVIDIA-A100-SXM4-40GB", "nvidia.com/mig-1g.5gb.shared", "1g.5gb"),
        ("NVIDIA-L4", "nvidia.com/mig-1g.5gb", None),
    ],
)
def test_a_resource_name_is_a_profile_within_one_gigabyte(product, resource, profile):
    assert profile_of(model(product), resource) == profile
