"""Who holds devices, and in whose way."""

from __future__ import annotations

from devices import claim, device, device_class, held, node, pod, read, request, resource_slice, snapshot, template

from kubelint_gpu.scheduler.attempt import assume
from kubelint_gpu.scheduler.plugins.dynamic_resources.device_holders import blockers, possible_devices, stock
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings

TWO = resource_slice(device("d0", model="A"), device("d1", model="B"))
OTHER = resource_slice(device("d0", model="A"), name="t", node="m")
A = "device.attributes['gpu.example.com'].model == 'A'"
BASE = (node(), TWO, device_class(), template(request()))


def names(pods):
    return [one.meta.name for one in pods]


def test_a_pod_without_claims_is_blocked_by_nobody():
    here = snapshot(*BASE)
    assert blockers(read(pod()), here, "n") == ()


def test_blockers_are_those_whose_devices_the_pod_could_have():
    user = pod("held-d0", name="other", node="n")
    here = snapshot(*BASE, user, held("d0"), held("d1", by=""), claim(request("r", 1, A)), claim(request(), name="any"))
    (found,) = blockers(read(pod("c")), here, "n")
    assert (str(found.device), found.claim, names(found.users)) == ("gpu.example.com/n/d0", "ns/held-d0", ["other"])
    several = blockers(read(pod("any")), here, "n")
    assert [(one.device.device, names(one.users)) for one in several] == [("d0", ["other"]), ("d1", [])]
    assert blockers(read(pod("c")), here, "nowhere") == ()


def test_what_a_pod_may_not_have_blocks_nothing():
    away = {**device("d0", model="A"), "taints": [{"key": "k", "effect": "NoSchedule"}]}
    here = snapshot(node(), resource_slice(away), device_class(), held("d0"), claim(request()))
    assert blockers(read(pod("c")), here, "n") == ()


def test_a_shared_device_is_free_as_long_as_enough_is_left_of_it():
    shared = {**device("d0"), "allowMultipleAllocations": True, "capacity": {"memory": {"value": "80Gi"}}}
    asked = {**request(), "exactly": {**request()["exactly"], "capacity": {"requests": {"memory": "50Gi"}}}}
    here = snapshot(node(), resource_slice(shared, device("d1")), device_class(), template(asked), version="1.36")
    assert stock(read(pod(templates=("t",))), here, "n") == (1, 1)
    after = assume(read(pod(templates=("t",))), here, "n")
    assert stock(read(pod(templates=("t",), name="q")), after, "n") == (0, 1)


def part(name, size):
    return {**device(name, size=size), "consumesCounters": [{"counterSet": "c", "counters": {"m": {"value": size}}}]}


def test_a_device_is_kept_by_those_who_take_its_counters():
    sets = {"sharedCounters": [{"name": "c", "counters": {"m": {"value": "4"}}}]}
    slices = resource_slice(name="sets", count=2, **sets), resource_slice(part("a", "4"), part("b", "2"), count=2)
    size = "device.attributes['gpu.example.com'].size == '{}'"
    whole, half = claim(request("r", 1, size.format(4)), name="whole"), claim(request("r", 1, size.format(2)))
    here = snapshot(node(), *slices, device_class(), held("b"), whole, half, pod("held-b", name="other", node="n"))
    (found,) = blockers(read(pod("whole")), here, "n")
    assert (found.thing, names(found.users)) == ("counters of gpu.example.com/n/b", ["other"])
    (found,) = blockers(read(pod("c")), here, "n")
    assert found.thing == "gpu.example.com/n/b"


DEVICES = resource_slice(device("d0", model="A"), device("d1", model="B"), device("d2", model="A"))
HELD = (node(), DEVICES, device_class(), held("d0"), claim(request("r", 1, A)))


def devices_of(found):
    return None if found is None else [one.device for one in found]


def test_what_others_have_counts_unless_only_what_is_free_is_asked_for():
    here = snapshot(*HELD)
    assert devices_of(possible_devices(read(pod("c")), here, "n")) == ["d0", "d2"]
    assert devices_of(possible_devices(read(pod("c")), here, "n", holdings(here))) == ["d2"]


def test_a_pod_that_needs_none_there_could_have_none():
    here = snapshot(*HELD)
    assert possible_devices(read(pod()), here, "n") is None
    assert possible_devices(read(pod("c")), here, "elsewhere") is None
