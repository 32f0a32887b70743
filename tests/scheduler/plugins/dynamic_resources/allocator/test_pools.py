"""Which slices a node reaches, and in which order their devices are tried.

Devices that differ in nothing that is looked at stand for each other.
"""

from __future__ import annotations

import pytest
from devices import claim, device, device_class, node, pod, read, request, resource_slice, snapshot

from kubelint_gpu.kube.dra.resource_slice import read_resource_slice
from kubelint_gpu.kube.objects.node import read_node
from kubelint_gpu.scheduler import fit
from kubelint_gpu.scheduler.framework.release import behaviour
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import SliceIndex
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of


def view(*slices, name="n", release="1.36", **labels):
    index = SliceIndex([read_resource_slice(one) for one in slices], (), features_of(behaviour(release)))
    return index.view(read_node(node(name, **labels)))


def names(*slices, **more):
    return [str(slot.id) for slot in view(*slices, **more).slots if slot.reached]


def test_devices_come_by_driver_pool_and_name_of_the_slice():
    found = names(
        resource_slice(device("z"), name="b", count=2),
        resource_slice(device("y"), name="a", count=2),
        resource_slice(device("x"), name="c", driver="a.example.com"),
        resource_slice(device("w"), name="d", pool="a"),
    )
    assert found == ["a.example.com/n/x", "gpu.example.com/a/w", "gpu.example.com/n/y", "gpu.example.com/n/z"]


def test_pools_with_binding_conditions_come_last():
    bound = {**device("x"), "bindingConditions": ["ready"], "bindingFailureConditions": ["failed"]}
    assert names(resource_slice(bound, pool="a"), resource_slice(device("y"), name="t", pool="b")) == [
        "gpu.example.com/b/y",
        "gpu.example.com/a/x",
    ]


@pytest.mark.parametrize(
    ("spec", "reached"),
    [
        ({"allNodes": True}, True),
        (
            {
                "nodeSelector": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
                }
            },
            True,
        ),
        (
            {
                "nodeSelector": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}]
                }
            },
            False,
        ),
        ({}, False),
    ],
)
def test_a_slice_says_which_nodes_reach_it(spec, reached):
    assert bool(names(resource_slice(device("x"), node="", pool="p", **spec), zone="a")) is reached


def test_each_device_may_say_which_nodes_reach_it():
    mine, theirs = {**device("x"), "nodeName": "n"}, {**device("y"), "nodeName": "m"}
    both = resource_slice(mine, theirs, node="", pool="p", perDeviceNodeSelection=True)
    assert names(both) == ["gpu.example.com/p/x"]
    assert names(both, name="m") == ["gpu.example.com/p/y"]


def test_only_the_newest_generation_of_a_pool_counts():
    old = resource_slice(device("x"), name="old", generation=1)
    new = resource_slice(device("y"), name="new", generation=2)
    assert names(old, new) == names(new, old) == ["gpu.example.com/n/y"]
    elsewhere = resource_slice(device("y"), name="new", generation=2, node="m", pool="n", count=2)
    assert (
        view(
            {**old, "spec": {**old["spec"], "pool": {"name": "n", "generation": 1, "resourceSliceCount": 2}}}, elsewhere
        ).pools
        == ()
    )


def test_a_pool_is_complete_with_its_slices_for_other_nodes():
    here = resource_slice(device("x"), name="a", count=2, pool="p")
    there = resource_slice(device("y"), name="b", count=2, pool="p", node="m")
    assert names(here, there) == ["gpu.example.com/p/x"]
    assert view(here, there).pools[0].incomplete is False
    assert view(here, there, release="1.34").pools[0].incomplete is True
    assert view(here).pools[0].incomplete is True


def test_slices_that_disagree_on_how_many_there_are_leave_it_open_whether_one_is_missing():
    one, other = resource_slice(device("x"), name="a", count=2), resource_slice(device("y"), name="b", count=3)
    (pool,) = view(one, other).pools
    assert (pool.disputed, pool.incomplete) == (True, True)
    (pool,) = view(one, resource_slice(device("y"), name="b", count=2)).pools
    assert (pool.disputed, pool.incomplete) == (False, False)
    (pool,) = view(resource_slice(device("x"), name="a", count=3), resource_slice(device("y"), name="b", count=4)).pools
    assert (pool.disputed, pool.incomplete) == (False, True)


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
