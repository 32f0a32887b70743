"""Who gives out which resource.

Who answers to a scheduler's name, and who removes a gate.
"""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.gpu.resource_owners import GATES, SCHEDULERS, gate_owner, owner_of


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


@pytest.mark.parametrize(
    ("gate", "owner"),
    [
        ("kueue.x-k8s.io/admission", "Kueue"),
        ("kueue.x-k8s.io/other", "a controller of kueue.x-k8s.io"),
        ("jobset.x-k8s.io/gate", "a controller of x-k8s.io"),
        ("podgroup.grove.io/ready", "a controller of grove.io"),
        ("example.com/hold", ""),
        ("notgrove.io/hold", ""),
        ("grove.io", ""),
        ("", ""),
    ],
)
def test_a_gate_is_removed_by_its_controller_or_by_one_of_its_domain(gate, owner):
    assert gate_owner(gate) == owner


def test_nobody_stands_for_the_default_scheduler():
    assert "default-scheduler" not in SCHEDULERS
    assert all(gate_owner(gate) == owner for gate, owner in GATES.items())
