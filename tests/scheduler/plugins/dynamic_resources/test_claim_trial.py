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
