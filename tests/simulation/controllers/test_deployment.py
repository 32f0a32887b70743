"""What the controller of a Deployment says of a rollout, against the controller's own steps."""

from __future__ import annotations

import pytest
from rollout_objects import deployment

from kubelint_gpu.kube.objects.rolling import DeploymentStrategy, IntOrPercent
from kubelint_gpu.simulation.controllers.deployment import DeploymentController
from kubelint_gpu.simulation.controllers.deployment_sync import Availability, ReplicaSets, is_complete, sync


@pytest.mark.parametrize("replicas", range(1, 9))
@pytest.mark.parametrize(
    ("surge", "unavailable"), [(surge, lacks) for surge in range(4) for lacks in range(4) if surge or lacks]
)
def test_the_slots_a_rollout_needs_are_those_of_an_exhaustive_simulation(replicas, surge, unavailable):
    """Interchangeable places: the controller's own arithmetic, run until nothing moves, agrees with the closed form."""
    rolling = DeploymentStrategy(max_surge=IntOrPercent(surge), max_unavailable=IntOrPercent(unavailable))
    needed = DeploymentController(deployment(), rolling).places_needed(replicas)
    for slots in range(replicas, 2 * replicas + 2):
        now, ready = ReplicaSets((replicas,)), 0
        for _ in range(20 * replicas):
            now = sync(rolling, replicas, now, Availability(now.old, min(ready, now.new or 0)))
            ready = min(now.new or 0, slots - now.old[0])
        finished = is_complete(replicas, now, Availability(now.old, ready), now.old[0])
        assert finished == (slots >= needed), (slots, now)
