"""Shares of devices: what a request takes, and whether it is left."""

from __future__ import annotations

import pytest
from devices import claim, device, device_class, node, pod, read, request, resource_slice, snapshot

from kubelint_gpu.kube.dra.device import Capacity
from kubelint_gpu.scheduler import fit
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.consumable_capacity import consumed, has_left

RANGE = Capacity(80, default=10, minimum=10, maximum=40, step=10, ranged=True)
VALUES = Capacity(80, default=8, valid=(8, 16, 32))


@pytest.mark.parametrize(
    ("capacity", "asked", "taken"),
    [
        (Capacity(80), None, 80),
        (Capacity(80), 3, 3),
        (RANGE, None, 10),
        (RANGE, 1, 10),
        (RANGE, 10, 10),
        (RANGE, 11, 20),
        (VALUES, None, 8),
        (VALUES, 9, 16),
        (VALUES, 33, 33),
    ],
)
def test_what_is_asked_for_is_rounded_up_by_the_policy(capacity, asked, taken):
    asks = {} if asked is None else {"memory": asked}
    assert consumed(asks, {"memory": capacity}) == {"memory": taken}


@pytest.mark.parametrize(
    ("capacity", "asked", "before", "left"),
    [
        (RANGE, 40, 40, True),
        (RANGE, 40, 41, False),
        (RANGE, 41, 0, False),
        (VALUES, 33, 0, False),
        (VALUES, 32, 48, True),
        (Capacity(80), 81, 0, False),
    ],
)
def test_there_is_no_more_than_there_is_and_no_more_than_the_policy_allows(capacity, asked, before, left):
    assert has_left({"memory": asked}, {"memory": capacity}, {"memory": before}, {}) is left


def test_a_capacity_that_a_device_has_not_is_not_left():
    assert not has_left({"cores": 1}, {"memory": RANGE}, {}, {})


def shared(**policy):
    found = device("d0", capacity={"memory": "80Gi"})
    found["allowMultipleAllocations"] = True
    found["capacity"]["memory"]["requestPolicy"] = policy
    return resource_slice(found)


def test_without_the_feature_a_device_is_whole_or_not_at_all():
    here = snapshot(node(), shared(default="10Gi"), device_class(), claim(request("r", 2)), version="1.34")
    assert fit(read(pod("c")), here).fits == ()
