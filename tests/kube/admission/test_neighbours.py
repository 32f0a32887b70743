"""Who answers to a scheduler's name, and who removes a gate."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.admission.neighbours import GATES, SCHEDULERS, gate_owner


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
