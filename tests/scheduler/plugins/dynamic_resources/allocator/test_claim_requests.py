"""What devices of a claim have in common."""

from __future__ import annotations

import pytest
from devices import (
    claim,
    device,
    device_class,
    first_available,
    node,
    pod,
    query,
    read,
    request,
    resource_slice,
    snapshot,
)

from kubelint_gpu.scheduler import fit

DEVICES = resource_slice(
    device("d0", numa=0, model="A"),
    device("d1", numa=1, model="A"),
    device("d2", numa=0, model="B"),
    device("d3", model="B"),
)


@pytest.mark.parametrize(
    ("requests", "constraint", "possible"),
    [
        ([request("r", 2)], {"matchAttribute": "gpu.example.com/numa"}, True),
        ([request("r", 3)], {"matchAttribute": "gpu.example.com/numa"}, False),
        ([request("r", 2), request("s", 2)], {"matchAttribute": "gpu.example.com/numa", "requests": ["r"]}, True),
        ([request("r", 2), request("s", 1)], {"matchAttribute": "gpu.example.com/none"}, False),
        ([request("r", 2)], {"matchAttribute": "other.example.com/numa"}, False),
        ([request("r"), request("s")], {"distinctAttribute": "gpu.example.com/numa"}, True),
        ([request("r"), request("s"), request("t")], {"distinctAttribute": "gpu.example.com/numa"}, False),
        # of several devices of one request only the last is compared
        ([request("r", 2)], {"distinctAttribute": "gpu.example.com/model"}, True),
        ([first_available("r", query(3), query(2))], {"matchAttribute": "gpu.example.com/numa"}, True),
        (
            [first_available("r", query(3), query(2))],
            {"matchAttribute": "gpu.example.com/numa", "requests": ["r/a1"]},
            True,
        ),
    ],
)
def test_a_constraint_is_kept(requests, constraint, possible):
    wanted = claim(*requests, constraints=[constraint])
    found = fit(read(pod("c")), snapshot(node(), DEVICES, device_class(), wanted))
    assert bool(found.fits) is possible


def test_values_of_different_kinds_are_different():
    one, other = device("d0", key=1), device("d1", key=True)
    wanted = claim(request("r", 2), constraints=[{"matchAttribute": "gpu.example.com/key"}])
    assert fit(read(pod("c")), snapshot(node(), resource_slice(one, other), device_class(), wanted)).fits == ()


def test_a_constraint_that_all_devices_cannot_keep_is_an_error():
    wanted = claim(request("r", allocationMode="All"), constraints=[{"matchAttribute": "gpu.example.com/numa"}])
    found = fit(read(pod("c")), snapshot(node(), DEVICES, device_class(), wanted))
    assert found.error.reasons == (
        (
            'running "DynamicResources" filter plugin: claim ns/c, request r: cannot add device gpu.example.com/n/d1 '
            "because a claim constraint would not be satisfied"
        ),
    )


@pytest.mark.parametrize(("version", "many", "possible"), [("1.34", 3, True), ("1.36", 3, False), ("1.34", 4, False)])
def test_the_scheduler_of_1_34_compares_no_values_and_asks_for_the_attribute_all_the_same(version, many, possible):
    requests = [request(name) for name in "rstu"[:many]]
    wanted = claim(*requests, constraints=[{"distinctAttribute": "gpu.example.com/numa"}])
    found = fit(read(pod("c")), snapshot(node(), DEVICES, device_class(), wanted, version=version))
    assert found.schedulable is possible
