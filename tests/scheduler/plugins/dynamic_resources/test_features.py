"""What a release knows of devices."""

from __future__ import annotations

from devices import device, node, resource_slice

from kubelint_gpu.kube.dra.resource_slice import read_device_taint_rule, read_resource_slice
from kubelint_gpu.kube.objects.node import read_node
from kubelint_gpu.scheduler.framework.release import behaviour
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import SliceIndex
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of


def view(*slices, name="n", release="1.36", **labels):
    index = SliceIndex([read_resource_slice(one) for one in slices], (), features_of(behaviour(release)))
    return index.view(read_node(node(name, **labels)))


def test_what_a_release_does_not_know_is_not_there():
    full = {
        **device("x"),
        "taints": [{"key": "k", "effect": "NoSchedule"}],
        "allowMultipleAllocations": True,
        "consumesCounters": [{"counterSet": "c", "counters": {"m": {"value": "1"}}}],
    }
    (slot,) = view(resource_slice(full), release="1.34").slots
    assert (slot.device.taints, slot.device.shareable, slot.device.consumes) == ((), False, ())


def test_rules_taint_devices_where_a_cluster_has_any():
    rule = {
        "metadata": {"name": "r"},
        "spec": {"deviceSelector": {"device": "x"}, "taint": {"key": "k", "effect": "NoSchedule"}},
    }
    slices = [read_resource_slice(resource_slice(device("x"), device("y")))]
    for release, tainted in (("1.36", [1, 0]), ("1.34", [0, 0])):
        index = SliceIndex(slices, (read_device_taint_rule(rule),), features_of(behaviour(release)))
        assert [len(slot.device.taints) for slot in index.view(read_node(node("n"))).slots] == tainted
