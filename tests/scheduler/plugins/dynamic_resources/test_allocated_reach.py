"""Which nodes reach the devices that claims have already."""

from __future__ import annotations

import pytest
from devices import device, device_class, held, node, pod, read, resource_slice, snapshot

from kubelint_gpu.scheduler.framework.node_reason import ALLOCATED_ELSEWHERE
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocated_reach import AllocatedReach, is_releasable, rejection
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings

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


@pytest.mark.parametrize(("by", "expected"), [("p", True), ("other", False)])
def test_devices_that_only_the_pod_itself_uses_are_taken_back(by, expected):
    here = snapshot(*BASE, held("d0", by=by))
    claims = tuple(objects_of(here).claims.values())
    rejected = [(here.node("m"), rejection(ALLOCATED_ELSEWHERE))]
    assert is_releasable(read(pod("held-d0")), claims, rejected) is expected
    assert not is_releasable(read(pod("held-d0")), claims, [(here.node("n"), rejection(ALLOCATED_ELSEWHERE))])
