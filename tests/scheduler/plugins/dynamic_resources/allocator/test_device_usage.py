"""How much of a shared device is used.

Shares of devices: what a request takes, and whether it is left.

Devices that share parts of a GPU.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from devices import claim, device, device_class, held, node, pod, read, request, resource_slice, snapshot

from kubelint_gpu.kube.dra.device import Capacity
from kubelint_gpu.scheduler import fit
from kubelint_gpu.scheduler.attempt import assume
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import (
    Holdings,
    consumed,
    has_left,
    usage_of,
)


def shared(**policy):
    found = device("d0", capacity={"memory": "80Gi"})
    found["allowMultipleAllocations"] = True
    found["capacity"]["memory"]["requestPolicy"] = policy
    return resource_slice(found)


def test_claims_share_a_device_until_it_is_used_up():
    policy = {"default": "10Gi", "validRange": {"min": "10Gi", "step": "10Gi"}}
    wanted = [claim(request("r", capacity={"requests": {"memory": "35Gi"}}), name=name) for name in "abc"]
    here = snapshot(node(), shared(**policy), device_class(), *wanted)
    for name in "ab":
        assert fit(read(pod(name, name=name)), here).fits == ("n",)
        here = assume(read(pod(name, name=name)), here, "n")
    assert fit(read(pod("c", name="c")), here).rejections["n"].reasons == ("cannot allocate all claims",)


def test_a_share_that_another_claim_has_counts():
    policy = {"default": "10Gi"}
    other = held("d0", shareID="1", consumedCapacity={"memory": "75Gi"})
    here = snapshot(node(), shared(**policy), device_class(), other, claim(request()))
    assert fit(read(pod("c")), here).fits == ()


def test_a_share_without_capacity_is_another_usage_than_none():
    """Counters see the device as taken."""
    pools = [SimpleNamespace(driver="gpu.example.com", name="n")]
    view = SimpleNamespace(slots=[SimpleNamespace(id="d0"), SimpleNamespace(id="d1")], elsewhere=(), pools=pools)
    free, one, two = (
        usage_of(view, Holdings({}, frozenset(), frozenset(shared), {}, frozenset({("gpu.example.com", "n")})))
        for shared in ((), ("d0",), ("d1",))
    )
    assert len({free.key, one.key, two.key}) == 3
    assert one.consumed == (None, None)


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


def test_without_the_feature_a_device_is_whole_or_not_at_all():
    here = snapshot(node(), shared(default="10Gi"), device_class(), claim(request("r", 2)), version="1.34")
    assert fit(read(pod("c")), here).fits == ()


def counted(name, amount, counter_set="gpu-0"):
    used = {"counterSet": counter_set, "counters": {"memory": {"value": f"{amount}Gi"}}}
    return {**device(name, size=amount), "consumesCounters": [used]}


def pool(*devices, sets=("gpu-0",), **more):
    counters = [{"name": name, "counters": {"memory": {"value": "40Gi"}}} for name in sets]
    return [
        resource_slice(name="a", count=2, sharedCounters=counters, **more),
        resource_slice(*devices, name="b", count=2, **more),
    ]


def fits(here, *claims):
    return bool(fit(read(pod(*claims)), here).fits)


WHOLE = pool(counted("whole", 40), counted("half-0", 20), counted("half-1", 20), counted("half-2", 20))
SIZE = "device.attributes['gpu.example.com'].size == {}"


def test_partitions_exclude_the_whole_and_each_other():
    half, full = SIZE.format(20), SIZE.format(40)
    objects = node(), *WHOLE, device_class()
    assert fits(snapshot(*objects, claim(request("r", 2, half))), "c")
    assert not fits(snapshot(*objects, claim(request("r", 3, half))), "c")
    assert not fits(snapshot(*objects, claim(request("r", 1, full), request("s", 1, half))), "c")
    assert not fits(snapshot(*objects, held("half-1"), claim(request("r", 1, full))), "c")
    assert not fits(snapshot(*objects, held("whole"), claim(request("r", 1, half))), "c")


def test_counter_sets_are_apart():
    both = pool(counted("a", 40, "gpu-0"), counted("b", 40, "gpu-1"), sets=("gpu-0", "gpu-1"))
    assert fits(snapshot(node(), *both, device_class(), claim(request("r", 2))), "c")


def test_a_counter_that_is_not_there_makes_the_pool_invalid():
    found = fit(read(pod("c")), snapshot(node(), *pool(counted("a", 40, "gpu-9")), device_class(), claim(request())))
    assert found.rejections["n"].reasons == ("invalid resource pools were encountered",)


def test_pools_of_two_drivers_count_apart():
    mine = pool(counted("a", 40), driver="a.example.com")
    theirs = pool(counted("b", 40, "nic-0"), sets=("nic-0",), driver="b.example.com")
    for one in theirs:
        one["metadata"]["name"] += "-b"
    wanted = claim(
        request("r", 1, "device.driver == 'a.example.com'"), request("s", 1, "device.driver == 'b.example.com'")
    )
    assert fits(snapshot(node(), *mine, *theirs, device_class(), wanted), "c")


def test_before_1_36_counters_are_not_known():
    devices = resource_slice(counted("whole", 40), counted("half", 20))
    assert fits(snapshot(node(), devices, device_class(), claim(request("r", 2)), version="1.34"), "c")
