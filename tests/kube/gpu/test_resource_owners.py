"""Who gives out which resource."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.gpu.resource_owners import owner_of


@pytest.mark.parametrize(
    "name", ["nvidia.com/gpu", "amd.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb", "rdma/ib"]
)
def test_what_device_plugins_advertise_belongs_to_nobody_else(name):
    assert owner_of(name) == ""


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("nvidia.com/gpumem", "HAMi"),
        ("cambricon.com/mlu.smlu.vmemory", "HAMi"),
        ("iluvatar.ai/BI-V150-vgpu", "HAMi"),
        ("volcano.sh/vgpu-memory-percentage", "Volcano"),
        ("aliyun.com/gpu-core.percentage", "the ACK scheduler"),
    ],
)
def test_names_of_extenders_and_webhooks_are_known(name, owner):
    assert owner_of(name) == owner
