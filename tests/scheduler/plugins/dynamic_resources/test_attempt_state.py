"""What one attempt to place a pod with claims remembers from node to node."""

from __future__ import annotations

import pytest
from devices import claim, device, device_class, held, node, pod, read, request, resource_slice, snapshot

from kubelint_gpu.scheduler import Snapshot, attempt, fit
from kubelint_gpu.scheduler.framework.node_reason import ALLOCATED_ELSEWHERE
from kubelint_gpu.scheduler.placement.running_claims import with_allocations
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import AllocatedReach, is_releasable, rejection
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.values import replace

ONE = resource_slice(device("d0", model="A", numa=0), device("d1", model="B", numa=1))
CLASS = device_class("gpu", "device.driver == 'gpu.example.com'")
ERROR = 'running "DynamicResources" filter plugin: '

BASE = (node(), node("m"), resource_slice(device("d0")), device_class())


def test_an_allocated_claim_that_nobody_else_uses_is_given_back_where_no_node_reaches_it():
    elsewhere = held("d0", name="c", by="p", pool="gone")
    found = attempt(read(pod("c")), snapshot(node(), ONE, CLASS, elsewhere))
    assert "deallocation of ResourceClaim completed, preemption: " in found.message


def test_it_is_not_where_another_pod_has_it_of_which_no_unique_id_is_known():
    taken = {"resource": "pods", "name": "other"}
    elsewhere = held("d0", name="c", by="other", pool="gone")
    captured = {**elsewhere, "status": {**elsewhere["status"], "reservedFor": [taken]}}
    waiting = pod("c")
    del waiting["metadata"]["uid"]
    found = attempt(read(waiting), snapshot(node(), ONE, CLASS, captured))
    assert "still not schedulable, preemption: " in found.message


def test_it_is_kept_where_every_node_that_does_not_reach_it_lacks_devices_for_the_others():
    elsewhere = held("d0", name="c", by="p", pool="gone")
    found = attempt(read(pod("c", "two")), snapshot(node(), ONE, CLASS, elsewhere, claim(request("r", 3), name="two")))
    assert "1 cannot allocate all claims. still not schedulable, preemption: " in found.message
    cordoned = {**node(), "spec": {"unschedulable": True}}
    found = attempt(read(pod("c")), snapshot(cordoned, ONE, CLASS, elsewhere))
    assert "1 node(s) were unschedulable. still not schedulable, preemption: " in found.message


def test_a_runtime_error_on_one_node_ends_the_attempt_though_another_node_fits():
    good = resource_slice(device("d0", model="A"), name="good", node="a", pool="a")
    bad = resource_slice(device("d0"), name="bad", node="b", pool="b")
    wanted = claim(request("r", 1, "device.attributes['gpu.example.com'].model == 'A'"))
    found = attempt(read(pod("c")), snapshot(node("a"), node("b"), good, bad, CLASS, wanted))
    assert found.fit.fits == ("a",)
    assert found.fit.takers == ()
    assert not found.fit.schedulable
    assert found.preemption is None
    assert found.message == f"{ERROR}claim ns/c: selector #0: CEL runtime error: no such key: model"


def test_the_tests_of_equal_nodes_are_shared_and_nodes_of_other_devices_are_told_apart():
    nodes = [node(f"n{number:02}") for number in range(40)]
    slices = [
        resource_slice(
            device("d0", model="A" if number % 2 else "B", uuid=f"u{number}"), name=f"s{number}", node=f"n{number:02}"
        )
        for number in range(40)
    ]
    wanted = claim(request("r", 1, "device.attributes['gpu.example.com'].model == 'A'"))
    here = snapshot(*nodes, *slices, CLASS, wanted, held("d0", pool="n01"))
    found = fit(read(pod("c")), here, by_class=True)
    assert found.fits == fit(read(pod("c")), here, by_class=False).fits
    assert len(found.fits) == 19
    assert len(found.classes) == 3


def test_an_attempt_that_fails_in_one_order_of_pools_is_made_again_where_a_release_has_no_order():
    """Played with 1.34.1 and 1.36.3."""
    port = resource_slice(device("port", speed=1), name="port", driver="a.example.com")
    big = device_class("big", "device.attributes['gpu.example.com'].model == 'A'")
    there = (node(), ONE, port, big, claim(request("r", of="big")))
    assert fit(read(pod("c")), snapshot(*there, version="1.34")).fits == ("n",)
    assert "no such key: model" in attempt(read(pod("c")), snapshot(*there)).message
    two = (node(), ONE, port, big, claim(request("r", 2, of="big")))
    assert "no such key: model" in attempt(read(pod("c")), snapshot(*two, version="1.34")).message


def test_what_slices_disagree_about_is_not_known():
    there = [resource_slice(device(f"d{count}"), name=f"s{count}", count=count) for count in (2, 3)]
    found = fit(read(pod("c")), snapshot(node(), CLASS, *there, claim(request())))
    assert found.classes[0].status.reasons == ("the slices of pool n disagree on resourceSliceCount",)


def test_a_node_that_does_not_reach_them_is_told_where_they_are():
    here = snapshot(*BASE, held("d0", by=""))
    reach = AllocatedReach(holdings(here).claims, here)
    away = here.node("m")
    assert not reach.is_missing(here.node("n"))
    assert reach.is_missing(away)
    (reason,) = reach.status(away).reasons
    assert str(reason) == ALLOCATED_ELSEWHERE
    assert reason.told == "cannot reach claim ns/held-d0, which is allocated to n"


@pytest.mark.parametrize(("by", "expected"), [("p", True), ("", True), ("other", False)])
@pytest.mark.parametrize("running", [False, True])
def test_devices_that_only_the_pod_itself_uses_are_taken_back(by, expected, running):
    here = snapshot(*BASE, held("d0", by=by))
    if running:
        # what is reserved is had by who runs, and the pod itself does not
        here = Snapshot.of(with_allocations(replace(here.cluster, devices_known=True)))
        expected = by == ""
    claims, own = tuple(objects_of(here).claims.values()), read(pod("held-d0"))

    def releasable(name):
        rejected = [(here.node(name), rejection(ALLOCATED_ELSEWHERE))]
        return is_releasable(own, claims, holdings(here).claims, rejected, here)

    assert releasable("m") is expected
    assert not releasable("n")
