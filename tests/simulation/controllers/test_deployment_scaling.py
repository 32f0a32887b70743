"""How a Deployment is scaled while it is rolled."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.rolling import DeploymentStrategy, IntOrPercent
from kubelint_gpu.simulation.controllers.deployment_sync import ScaledReplicaSets, proportionally, resolve


def strategy(surge: str, unavailable: str) -> DeploymentStrategy:
    def amount(text: str) -> IntOrPercent:
        return IntOrPercent(int(text.rstrip("%")), percent=text.endswith("%"))

    return DeploymentStrategy(max_surge=amount(surge), max_unavailable=amount(unavailable))


@pytest.mark.parametrize(
    ("before", "replicas", "surge", "expected"),
    [
        ((8, 5, 13), 15, "3", (11, 7)),
        ((8, 5, 13), 5, "3", (5, 3)),
        ((1, 1, 2), 2, "1", (1, 2)),
        ((1, 1, 2), 4, "1", (2, 3)),
        ((8, 5, 13), 0, "3", (0, 0)),
    ],
)
def test_scaling_in_mid_rollout_is_proportional(before, replicas, surge, expected):
    old, new, most = before
    sizes, size = proportionally(
        replicas,
        (ScaledReplicaSets(old, most),),
        ScaledReplicaSets(new, most),
        resolve(strategy(surge, "0"), replicas).surge,
    )
    assert (sizes[0], size) == expected


def test_scaling_a_single_active_replica_set_sets_it():
    assert proportionally(5, (ScaledReplicaSets(0),), ScaledReplicaSets(3), 2) == ((0,), 5)
    assert proportionally(5, (ScaledReplicaSets(0),), ScaledReplicaSets(0), 2) == ((0,), 5)
