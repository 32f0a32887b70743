"""Devices that differ in nothing that is looked at stand for each other."""

from __future__ import annotations

import pytest
from devices import claim, device, device_class, node, pod, read, request, resource_slice, snapshot

from kubelint_gpu.scheduler import fit

PAIR = "gpu.example.com/pair"


def near_equal(**more):
    """64 devices, seven of each pair, each with another amount of memory."""
    return [
        device(f"d{number:02}", pair=number // 7, capacity={"memory": f"{40_000 + number}Mi"}, **more)
        for number in range(64)
    ]


@pytest.mark.parametrize(("count", "possible"), [(7, True), (8, False)])
def test_amounts_that_nobody_asks_for_tell_no_devices_apart(count, possible):
    wanted = claim(*[request(f"r{number}") for number in range(count)], constraints=[{"matchAttribute": PAIR}])
    found = fit(read(pod("c")), snapshot(node(), resource_slice(*near_equal()), device_class(), wanted))
    assert found.unknown is None
    assert bool(found.fits) is possible


def test_amounts_that_a_selector_asks_for_tell_devices_apart():
    text = "device.capacity['gpu.example.com'].memory.compareTo(quantity('40063Mi')) >= 0"
    wanted = claim(request("r", selectors=[{"cel": {"expression": text}}]))
    objects = [node(), resource_slice(*near_equal()), device_class(), wanted]
    assert fit(read(pod("c")), snapshot(*objects)).fits
