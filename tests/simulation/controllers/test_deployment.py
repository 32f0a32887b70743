"""What the controller of a Deployment says of a rollout, against the controller's own steps.

Every table and trace of a Deployment's arithmetic, with the numbers written here.
"""

from __future__ import annotations

import pytest
from rollout_objects import deployment

from kubelint_gpu.kube.objects.rolling import DeploymentStrategy, IntOrPercent
from kubelint_gpu.simulation.controllers.deployment import (
    Availability,
    DeploymentController,
    ReplicaSets,
    ScaledReplicaSets,
    is_complete,
    proportionally,
    resolve,
    sync,
)


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


DEFAULT = DeploymentStrategy()


def strategy(surge: str, unavailable: str) -> DeploymentStrategy:
    def amount(text: str) -> IntOrPercent:
        return IntOrPercent(int(text.rstrip("%")), percent=text.endswith("%"))

    return DeploymentStrategy(max_surge=amount(surge), max_unavailable=amount(unavailable))


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable"),
    [(0, 0, 0), (1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 1, 1), (5, 2, 1), (8, 2, 2), (10, 3, 2), (12, 3, 3)],
)
def test_the_default_quarter_rounds_surge_up_and_unavailable_down(replicas, surge, unavailable):
    found = resolve(DEFAULT, replicas)
    if replicas:
        assert (found.surge, found.unavailable) == (surge, unavailable)
    else:
        assert found.unavailable == 0


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "expected"),
    [
        (1, "0", "25%", (0, 1)),
        (1, "0%", "1%", (0, 1)),
        (2, "1%", "0", (1, 0)),
        (2, "0", "50%", (0, 1)),
        (3, "0", "30%", (0, 1)),
        (4, "100%", "0", (4, 0)),
        (2, "1", "5", (1, 2)),
        (2, "3", "0", (3, 0)),
    ],
)
def test_bounds_are_never_both_zero_and_unavailable_never_exceeds_replicas(replicas, surge, unavailable, expected):
    found = resolve(strategy(surge, unavailable), replicas)
    assert (found.surge, found.unavailable) == expected


def test_one_replica_with_defaults_waits_for_ever_once_its_surge_pod_is_created():
    first = sync(DEFAULT, 1, ReplicaSets((1,)), Availability((1,), 0))
    assert first == ReplicaSets((1,), 1)
    assert sync(DEFAULT, 1, first, Availability((1,), 0)) == first


def test_the_old_pod_goes_once_the_new_one_is_available():
    assert sync(DEFAULT, 1, ReplicaSets((1,), 1), Availability((1,), 1)) == ReplicaSets((0,), 1)


def test_without_surge_the_old_pod_goes_first():
    rolling = strategy("0", "1")
    first = sync(rolling, 1, ReplicaSets((1,)), Availability((1,), 0))
    assert first == ReplicaSets((0,), 0)
    assert sync(rolling, 1, first, Availability((0,), 0, 1)) == ReplicaSets((0,), 1)


def test_four_replicas_with_defaults_pass_through_a_full_cluster():
    now = sync(DEFAULT, 4, ReplicaSets((4,)), Availability((4,), 0))
    assert now == ReplicaSets((3,), 1)
    now = sync(DEFAULT, 4, now, Availability((3,), 0))
    assert now == ReplicaSets((3,), 2)
    now = sync(DEFAULT, 4, now, Availability((3,), 1))
    assert now == ReplicaSets((2,), 2)
    now = sync(DEFAULT, 4, now, Availability((2,), 1))
    assert now == ReplicaSets((2,), 3)


@pytest.mark.parametrize("replicas", [2, 3])
def test_two_or_three_replicas_with_defaults_stop_after_the_first_surge_pod(replicas):
    now = sync(DEFAULT, replicas, ReplicaSets((replicas,)), Availability((replicas,), 0))
    assert now == ReplicaSets((replicas,), 1)
    assert sync(DEFAULT, replicas, now, Availability((replicas,), 0)) == now


def test_a_broken_old_pod_is_not_removed_while_the_new_one_uses_the_budget_up():
    now = ReplicaSets((1,), 1)
    assert sync(DEFAULT, 1, now, Availability((0,), 0)) == now


def test_broken_old_pods_are_cleaned_up_where_the_budget_allows():
    now = sync(DEFAULT, 4, ReplicaSets((4,)), Availability((2,), 0))
    assert now == ReplicaSets((3,), 1)
    now = sync(DEFAULT, 4, now, Availability((2,), 0))
    assert now == ReplicaSets((3,), 2)
    now = sync(DEFAULT, 4, now, Availability((2,), 1))
    assert now == ReplicaSets((2,), 2)


def test_a_third_template_removes_the_pod_that_never_started_and_then_waits_again():
    """Fix forward out of a stuck rollout: the healthy oldest pod is skipped, the pending one cleaned up."""
    now = sync(DEFAULT, 1, ReplicaSets((1, 1)), Availability((1, 0), 0))
    assert now == ReplicaSets((1, 0), 0)
    now = sync(DEFAULT, 1, now, Availability((1, 0), 0))
    assert now == ReplicaSets((1, 0), 1)
    assert sync(DEFAULT, 1, now, Availability((1, 0), 0)) == now


def test_undo_of_a_stuck_rollout_removes_the_pending_pod():
    assert sync(DEFAULT, 1, ReplicaSets((1,), 1), Availability((0,), 1)) == ReplicaSets((0,), 1)


def test_a_stuck_rollout_moves_again_once_the_strategy_has_no_surge():
    assert sync(strategy("0", "1"), 1, ReplicaSets((1,), 1), Availability((1,), 0)) == ReplicaSets((0,), 1)


def test_ten_replicas_three_and_two_move_in_steps_of_two():
    rolling = strategy("3", "2")
    now = sync(rolling, 10, ReplicaSets((10,)), Availability((10,), 0))
    assert now == ReplicaSets((8,), 3)
    now = sync(rolling, 10, now, Availability((8,), 0))
    states = [(now.old[0], now.new)]
    available = 0
    while now.old[0]:
        available += 2
        for _ in range(4):
            now = sync(rolling, 10, now, Availability(now.old, available))
        states.append((now.old[0], now.new))
    assert states == [(8, 5), (6, 7), (4, 9), (2, 10), (0, 10)]


def test_recreate_waits_until_no_old_pod_is_left():
    recreate = DeploymentStrategy(recreate=True)
    now = sync(recreate, 2, ReplicaSets((2,)), Availability((2,), 0, 2))
    assert now == ReplicaSets((0,), None)
    assert sync(recreate, 2, now, Availability((0,), 0, 1)) == now
    assert sync(recreate, 2, now, Availability((0,), 0, 0)) == ReplicaSets((0,), 2)


def test_a_paused_deployment_does_nothing():
    now = ReplicaSets((2,))
    assert sync(DeploymentStrategy(paused=True), 2, now, Availability((2,), 0)) == now


def test_a_rollout_is_complete_when_all_are_new_and_available():
    assert is_complete(2, ReplicaSets((0,), 2), Availability((0,), 2), 0)
    assert not is_complete(2, ReplicaSets((0,), 2), Availability((0,), 1), 0)
    assert not is_complete(2, ReplicaSets((0,), 2), Availability((0,), 2), 1)


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
