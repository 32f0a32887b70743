"""The first pod that finds no node, and what evicting others gives it."""

from __future__ import annotations

from placed_objects import node, pod

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.placement.shortage import first_without_node, taken_with_evictions


def test_the_first_pod_that_finds_no_node_is_the_one_after_all_that_do():
    snapshot = Snapshot.of(read_cluster([node("a"), node("b")]))
    one = read_pod(pod(limits={"nvidia.com/gpu": 3}))
    assert first_without_node(one, snapshot, 1).fit.fits == ("b",)
    assert first_without_node(one, snapshot, 2).fit.fits == ()


def test_pods_are_evicted_only_when_no_node_has_room():
    low = [pod(f"low{number}", {"nvidia.com/gpu": 1}, nodeName="a") for number in range(2)]
    snapshot = Snapshot.of(read_cluster([node("a"), node("b"), *low]))
    high = read_pod(pod(limits={"nvidia.com/gpu": 1}, priority=9))
    assert taken_with_evictions(high, snapshot, 6) == (6, 0)
    assert taken_with_evictions(high, snapshot, 7) == (7, 1)
    assert taken_with_evictions(high, snapshot, 100) == (8, 2)
