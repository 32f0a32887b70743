"""The search for devices against a plain one: every choice, in the order of the allocator, without any shortcut."""

from __future__ import annotations

import random
import time
from itertools import combinations

import pytest
from devices import (
    claim,
    device,
    device_class,
    first_available,
    held,
    node,
    pod,
    query,
    read,
    request,
    resource_slice,
    snapshot,
)

from kubelint_gpu.scheduler import Code, attempt, fit
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import pre_filter

MODELS = ("A", "B")


def case(seed):
    """Devices, which of them are held, and claims, as plain data."""
    r = random.Random(seed)
    devices = [
        {
            "model": r.choice(MODELS),
            "numa": r.choice((0, 1)),
            "memory": r.choice((40, 80)),
            **({"rack": 1} if r.random() < 0.7 else {}),
        }
        for _ in range(r.randint(1, 6))
    ]
    taken = {place for place in range(len(devices)) if r.random() < 0.2}

    def wish():
        return {
            "count": r.choice((1, 1, 1, 2, 3)),
            "model": r.choice((None, None, *MODELS)),
            "memory": r.choice((None, None, 80)),
            "all": r.random() < 0.1,
        }

    claims = [
        {
            "requests": [[wish() for _ in range(r.choice((1, 1, 2)))] for _ in range(r.choice((1, 1, 2, 3)))],
            "same": r.choice((None, None, "numa", "model", "rack")),
        }
        for _ in range(r.choice((1, 1, 2)))
    ]
    return devices, taken, claims


def solve(devices, taken, claims):
    """The first choice of devices for each request that is a solution; None where there is none."""

    def suits(wish, place):
        found = devices[place]
        return wish["model"] in (None, found["model"]) and found["memory"] >= (wish["memory"] or 0)

    def choices(wish, used):
        able = [place for place in range(len(devices)) if suits(wish, place)]
        if wish["all"]:
            if able and not any(place in used for place in able):
                yield tuple(able)
            return
        yield from combinations([place for place in able if place not in used], wish["count"])

    def agree(key, chosen):
        values = [devices[place].get(key) for place in chosen]
        return None not in values and len(set(values)) <= 1

    def step(number, position, used, chosen, mine):
        if number == len(claims):
            return chosen
        requests, key = claims[number]["requests"], claims[number]["same"]
        if position == len(requests):
            return step(number + 1, 0, used, [*chosen, mine], ())
        for wish in requests[position]:
            for some in choices(wish, used):
                together = (*mine, *some)
                if key is None or agree(key, together):
                    found = step(number, position + 1, used | set(some), chosen, together)
                    if found is not None:
                        return found
        return None

    return step(0, 0, frozenset(taken), [], ())


def objects(devices, taken, claims):
    made = [
        device(
            f"d{place}",
            model=one["model"],
            numa=one["numa"],
            capacity={"memory": f"{one['memory']}Gi"},
            **({"rack": 1} if "rack" in one else {}),
        )
        for place, one in enumerate(devices)
    ]

    def asked(wish):
        selectors = []
        if wish["model"]:
            selectors.append(f"device.attributes['gpu.example.com'].model == '{wish['model']}'")
        if wish["memory"]:
            selectors.append("device.capacity['gpu.example.com'].memory.compareTo(quantity('80Gi')) >= 0")
        return query(wish["count"], *selectors, **({"allocationMode": "All"} if wish["all"] else {}))

    found = [node(), device_class(), resource_slice(*made)]
    found += [held(f"d{place}") for place in taken]
    for number, one in enumerate(claims):
        requests = [
            {"name": f"r{place}", "exactly": asked(wishes[0])}
            if len(wishes) == 1
            else first_available(f"r{place}", *map(asked, wishes))
            for place, wishes in enumerate(one["requests"])
        ]
        same = [{"matchAttribute": f"gpu.example.com/{one['same']}"}] if one["same"] else []
        found.append(claim(*requests, name=f"c{number}", constraints=same))
    return found


@pytest.mark.parametrize("part", range(8))
def test_the_first_solution_of_the_plain_search_is_what_is_allocated(part):
    solved = 0
    for seed in range(part * 250, (part + 1) * 250):
        devices, taken, claims = case(seed)
        here = snapshot(*objects(devices, taken, claims))
        found = pre_filter(read(pod(*[f"c{number}" for number in range(len(claims))])), here)
        status, allocated = found.state.status(here.nodes[0]), found.state.allocate(here.nodes[0])
        expected = solve(devices, taken, claims)
        if status is not None and status.code is Code.ERROR:
            # a constraint that a request for all devices breaks is an error: then there is no solution with it
            assert "because a claim constraint would not be satisfied" in status.reasons[0], seed
            continue
        if expected is None:
            assert status is not None, seed
            assert status.reasons == ("cannot allocate all claims",), seed
            continue
        assert status is None, seed
        got = [tuple(int(one.id.device[1:]) for one in allocation.devices) for _, allocation in allocated[0]]
        assert got == expected, seed
        solved += 1
    assert solved > 60


def hard(nodes):
    """Eight requests of which two must match in an attribute that no two devices share."""
    made = [
        resource_slice(
            *[device(f"d{place}", a=place // 7, b=place % 7, u=place) for place in range(64)],
            name=f"s{number}",
            node=f"n{number}",
        )
        for number in range(nodes)
    ]
    constraints = [
        {"matchAttribute": "gpu.example.com/a", "requests": ["r0", "r7"]},
        {"matchAttribute": "gpu.example.com/u", "requests": ["r5", "r7"]},
    ]
    wanted = claim(*[request(f"r{number}") for number in range(8)], constraints=constraints)
    return snapshot(*[node(f"n{number}") for number in range(nodes)], *made, device_class(), wanted)


def test_a_search_that_takes_too_long_is_given_up_and_says_so():
    started = time.process_time()
    found = attempt(read(pod("c")), hard(30))
    assert time.process_time() - started < 3
    assert not found.fit.schedulable
    assert found.fit.unknown.reasons == ("the search for devices was given up after 100000 tries",)
    assert found.message is None
    assert {status.code for status in found.fit.rejections.values()} == {Code.UNKNOWN}


def test_devices_that_nothing_tells_apart_are_tried_once():
    devices = [device(f"d{place}", numa=0, uuid=f"u{place}") for place in range(64)]
    wanted = claim(request("r", 32), request("last"), constraints=[{"matchAttribute": "gpu.example.com/numa"}])
    here = snapshot(node(), resource_slice(*devices), device_class(), wanted)
    text = 'running "DynamicResources" filter plugin: claim ns/c: number of requested devices 33 exceeds the claim limit of 32'
    assert attempt(read(pod("c")), here).message == text
    fewer = claim(request("r", 31), request("last", 1, "device.attributes['gpu.example.com'].numa == 5"), name="d")
    here = snapshot(node(), resource_slice(*devices), device_class(), fewer)
    started = time.process_time()
    assert fit(read(pod("d")), here).rejections["n"].reasons == ("cannot allocate all claims",)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("version", "fits", "last"),
    [
        ("1.34", "n", "cannot allocate all claims"),
        ("1.35", "n", "cannot allocate all claims"),
        ("1.36", "", "CEL runtime error: no such key: numa"),
    ],
)
def test_alternatives_for_all_devices_as_the_allocators_of_two_releases_take_them(version, fits, last):
    """Answers of kube-scheduler 1.34.1 and 1.36.3, of 1.35.0 as its source has it."""
    device_of = "device.attributes['gpu.example.com']"
    none, numa = f"{device_of}.model == 'C'", f"{device_of}.numa == 0"
    every = query(allocationMode="All")
    there = (node(), device_class(), resource_slice(device("d0", model="A", numa=0), device("d1", model="B")))
    goes_on = claim(first_available("r", query(1, none), every))
    other = claim(request("r", 1), name="two")
    assert "".join(fit(read(pod("c", "two")), snapshot(*there, goes_on, other, version=version)).fits) == fits
    second = claim(first_available("r", query(1, none, allocationMode="All"), query(1, numa, allocationMode="All")))
    assert last in attempt(read(pod("c")), snapshot(*there, second, version=version)).message
