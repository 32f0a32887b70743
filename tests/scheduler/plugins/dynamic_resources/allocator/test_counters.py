"""Devices that share parts of a GPU."""

from __future__ import annotations

from devices import claim, device, device_class, held, node, pod, read, request, resource_slice, snapshot

from kubelint_gpu.scheduler import fit


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
