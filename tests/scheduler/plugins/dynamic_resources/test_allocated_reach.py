"""Which nodes reach the devices that claims have already."""

from __future__ import annotations

import pytest
from devices import device, device_class, held, node, pod, read, resource_slice, snapshot

from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.node_reason import ALLOCATED_ELSEWHERE
from kubelint_gpu.scheduler.placement.running_claims import with_allocations
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocated_reach import AllocatedReach, is_releasable, rejection
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.values import replace

BASE = (node(), node("m"), resource_slice(device("d0")), device_class())


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
