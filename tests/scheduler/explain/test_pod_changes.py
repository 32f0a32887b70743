"""Whose pods would have to end for a pod that waits."""

from __future__ import annotations

import pytest
from gpu_objects import gpu_node, gpu_pod

from kubelint_gpu.kube.objects.meta import Owner
from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.explain.cluster_changes import (
    ChangedCluster,
    PodsEnd,
    after,
)
from kubelint_gpu.scheduler.explain.explanation import explain


def explained(incoming, *objects, version="1.34"):
    return explain(read_pod(incoming), Snapshot.of(read_cluster(objects, version=version)))


def kinds(found):
    return [tuple(type(change).__name__ for change in remedy.changes) for remedy in found.remedies]


def test_no_more_pods_are_asked_to_end_than_must():
    objects = [gpu_node("a", 4), *[gpu_pod(f"p{number}", on="a", owner="Job/j") for number in range(4)]]
    (one,) = explained(gpu_pod(gpus=2), *objects).classes
    (ending,) = one.remedies[0].changes
    assert isinstance(ending, PodsEnd)
    assert ending.owners == ((Owner("Job", "default", "j"), 2),)


def test_several_owners_are_named_where_none_alone_has_enough():
    objects = [gpu_node("a", 2), gpu_pod("x", on="a", owner="Job/x"), gpu_pod("y", on="a", owner="Job/y")]
    (one,) = explained(gpu_pod(gpus=2), *objects).classes
    (ending,) = one.remedies[0].changes
    assert [owner.name for owner, _ in ending.owners] == ["x", "y"]


def test_pods_that_are_being_deleted_come_first():
    leaving = gpu_pod("z", on="a", owner="Job/z")
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    (one,) = explained(gpu_pod(), gpu_node("a", 2), gpu_pod("a", on="a", owner="Job/a"), leaving).classes
    assert one.remedies[0].changes[0].terminating
    assert [holder.terminating for holder in one.holders] == [False, True]


def test_nobody_waits_for_the_pods_of_a_daemon_set_to_end():
    (one,) = explained(gpu_pod(), gpu_node("a", 1), gpu_pod("d", on="a", owner="DaemonSet/d")).classes
    assert kinds(one) == [("CapacityGrows",)]


def test_pods_that_are_not_there_cannot_end():
    objects = [gpu_node("a", 1), gpu_pod("old", on="a")]
    found = explained(gpu_pod(), *objects)
    ending = found.classes[0].remedies[0].changes[0]
    with pytest.raises(KeyError, match="default/old"):
        after(ChangedCluster(Snapshot.of(read_cluster(objects[:1])), "a"), ending)
