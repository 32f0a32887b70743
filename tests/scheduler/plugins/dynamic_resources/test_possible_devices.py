"""Which devices of a node a pod could have, whoever has them."""

from __future__ import annotations

from devices import claim, device, device_class, held, node, pod, read, request, resource_slice, snapshot

from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.possible_devices import possible_devices

A = "device.attributes['gpu.example.com'].model == 'A'"
DEVICES = resource_slice(device("d0", model="A"), device("d1", model="B"), device("d2", model="A"))
BASE = (node(), DEVICES, device_class(), held("d0"), claim(request("r", 1, A)))


def names(found):
    return None if found is None else [one.device for one in found]


def test_what_others_have_counts_unless_only_what_is_free_is_asked_for():
    here = snapshot(*BASE)
    assert names(possible_devices(read(pod("c")), here, "n")) == ["d0", "d2"]
    assert names(possible_devices(read(pod("c")), here, "n", holdings(here))) == ["d2"]


def test_a_pod_that_needs_none_there_could_have_none():
    here = snapshot(*BASE)
    assert possible_devices(read(pod()), here, "n") is None
    assert possible_devices(read(pod("c")), here, "elsewhere") is None
