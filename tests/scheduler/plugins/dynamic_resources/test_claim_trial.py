"""Claims that a pod might have are asked of the allocator."""

from __future__ import annotations

from devices import claim, device, device_class, held, node, request, resource_slice

from kubelint_gpu.kube.dra.claim import read_resource_claim
from kubelint_gpu.scheduler import Snapshot, read_cluster
from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial

CLASS = device_class()


def trial(*objects, version="1.36"):
    return ClaimTrial(read_cluster(objects, version=version))


def spec(*requests):
    return read_resource_claim(claim(*requests)).spec


def test_devices_that_are_held_count_as_free():
    here = trial(node(), resource_slice(device("d0")), CLASS, held("d0"))
    assert here.asked(spec(request("r", 1))).fits == ("n",)
    assert here.asked(spec(request("r", 2))).served is False
    assert here.is_local(spec(request("r", 1)))


def test_the_empty_cluster_is_asked_where_nothing_is_allocated():
    objects = node(), resource_slice(device("d0")), CLASS, claim(request("r", 1))
    for further, same in (((), True), ((held("d0"),), False)):
        cluster = read_cluster((*objects, *further), version="1.36")
        empty = Snapshot.of(cluster)
        assert (ClaimTrial(cluster, empty).snapshot is empty) is same


def test_devices_of_all_nodes_bind_to_none():
    here = trial(node("a"), node("b"), resource_slice(device("d0"), node="", pool="p", allNodes=True), CLASS)
    assert not here.is_local(spec(request("r", 1)))


def test_the_selector_of_an_error_is_told():
    here = trial(node(), resource_slice(device("d0")), CLASS)
    outcome = here.asked(spec(request("r", 1, "true", "device.attributes['x'].y == 1")))
    assert outcome.selector is not None
    failure, found = outcome.selector
    assert (failure.number, failure.device_class, found.id.device) == (1, "", "d0")
    assert failure.error == "no such key: y"


def test_missing_slices_make_a_pool_doubtful():
    assert [one.incomplete for one in trial(node(), resource_slice(device("d0"), count=2), CLASS).doubtful_pools] == [
        True
    ]
    assert not trial(node(), resource_slice(device("d0")), CLASS).doubtful_pools


def test_a_selector_that_fails_only_in_another_order_is_told_where_there_is_no_fixed_one():
    slices = resource_slice(device("d0", model="A")), resource_slice(device("n0"), name="t", driver="nic.example.com")
    asked = spec(request("r", 1, "device.attributes['gpu.example.com'].model == 'A'"))
    for version, told in (("1.34", "n0"), ("1.36", None)):
        here = trial(node(), *slices, CLASS, version=version)
        assert here.asked(asked).served
        found = here.failure_in_some_order(asked)
        assert (found and found[1].id.device) == told
        assert here.failure_in_some_order(asked, frozenset()) is None
    guarded = spec(
        request("r", 1, "device.driver == 'gpu.example.com' && has(device.attributes['gpu.example.com'].model)")
    )
    assert trial(node(), *slices, CLASS, version="1.34").failure_in_some_order(guarded) is None
    # nobody comes to what stands after a device that fits
    late = resource_slice(device("d0", model="A"), device("d1"))
    assert trial(node(), late, CLASS, version="1.34").failure_in_some_order(asked) is None
