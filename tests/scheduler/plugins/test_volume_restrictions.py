"""Exclusive claims and disks that cannot be mounted twice."""

from __future__ import annotations

import pytest
from plugin_objects import claim, node, pod, snapshot, storage_class, uses, verdicts, volume

from kubelint_gpu.scheduler import read_pod
from kubelint_gpu.scheduler.plugins.volume_restrictions import DISK_REASON, NAME, PLUGIN

OLD = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
NEW = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
NODES = (node("a"), node("b"))
EXCLUSIVE = (claim("data", bound="pv", mode="ReadWriteOncePod"), volume("pv", phase="Bound"))


def disk(kind, **source):
    return [{"name": "disk", kind: source}]


def test_a_missing_claim_ends_the_attempt():
    assert verdicts(pod(volumes=uses("data")), *NODES, plugin=NAME) == 'persistentvolumeclaim "data" not found'


@pytest.mark.parametrize(("version", "reason"), [("1.33", OLD), ("1.34", NEW)])
def test_an_exclusive_claim_in_use_anywhere_closes_every_node(version, reason):
    found = verdicts(
        pod(volumes=uses("data")), *NODES, *EXCLUSIVE, pod("user", "a", volumes=uses("data")), version=version
    )
    assert found == {"a": ("Unschedulable", reason), "b": ("Unschedulable", reason)}


def test_an_exclusive_claim_is_told_by_namespace():
    stranger = pod("user", "a", namespace="other", volumes=uses("data"))
    assert verdicts(pod(volumes=uses("data")), *NODES, *EXCLUSIVE, stranger) == {"a": None, "b": None}


def test_other_access_modes_are_not_enforced():
    objects = (claim("data", bound="pv"), volume("pv", phase="Bound"), pod("user", "a", volumes=uses("data")))
    assert verdicts(pod(volumes=uses("data")), *NODES, *objects) == {"a": None, "b": None}


@pytest.mark.parametrize(
    ("mine", "theirs", "conflict"),
    [
        (disk("awsElasticBlockStore", volumeID="v", readOnly=True), None, True),
        (disk("awsElasticBlockStore", volumeID="v"), disk("awsElasticBlockStore", volumeID="w"), False),
        (disk("gcePersistentDisk", pdName="d", readOnly=True), None, False),
        (disk("gcePersistentDisk", pdName="d"), disk("gcePersistentDisk", pdName="d", readOnly=True), True),
        (disk("gcePersistentDisk", pdName="d"), disk("gcePersistentDisk", pdName="e"), False),
        (disk("iscsi", iqn="i"), None, True),
        (disk("iscsi", iqn="i", readOnly=True), None, False),
        (disk("iscsi", iqn="i"), disk("awsElasticBlockStore", volumeID="i"), False),
        (disk("rbd", monitors=["m", "n"], image="i"), disk("rbd", monitors=["n"], pool="rbd", image="i"), True),
        (disk("rbd", monitors=["m"], image="i"), disk("rbd", monitors=["n"], image="i"), False),
        (disk("rbd", monitors=["m"], image="i"), disk("rbd", monitors=["m"], pool="p", image="i"), False),
        (disk("rbd", monitors=["m"], image="i"), disk("rbd", monitors=["m"], image="j"), False),
        (disk("rbd", monitors=["m"], image="i", readOnly=True), None, False),
        (disk("rbd", monitors="m", image=3), disk("rbd", monitors=["m", 4], image=3), False),
        (disk("awsElasticBlockStore", volumeID="v"), disk("emptyDir"), False),
    ],
)
def test_a_disk_conflicts_with_its_like_on_the_same_node(mine, theirs, conflict):
    found = verdicts(pod(volumes=mine), *NODES, pod("user", "a", volumes=mine if theirs is None else theirs))
    assert found == {"a": ("Unschedulable", DISK_REASON) if conflict else None, "b": None}


def test_the_disk_is_named_before_the_claim():
    volumes = [*uses("data"), *disk("iscsi", iqn="i")]
    found = verdicts(pod(volumes=volumes), *NODES, *EXCLUSIVE, pod("user", "a", volumes=volumes))
    assert found == {"a": ("Unschedulable", DISK_REASON), "b": ("Unschedulable", NEW)}


def test_pods_without_such_volumes_are_not_looked_at():
    objects = (claim("data"), storage_class("fast"))
    for volumes in ([], disk("emptyDir"), uses("data")):
        assert PLUGIN.pre_filter(read_pod(pod(volumes=volumes)), snapshot(*NODES, *objects)).skip


def test_evicting_the_user_frees_the_claim_and_so_does_a_stranger_with_a_claim_of_that_name():
    """Upstream compares names without namespaces when it takes a pod off."""
    stranger = pod("stranger", "a", namespace="other", volumes=uses("data"))
    seen = snapshot(*NODES, *EXCLUSIVE, pod("user", "a", volumes=uses("data")), stranger, pod("idle", "a"))
    state = PLUGIN.pre_filter(read_pod(pod(volumes=uses("data"))), seen).state
    info = seen.node("a")
    for gone, reasons in (("user", None), ("stranger", None), ("idle", (NEW,))):
        pods = tuple(one for one in info.pods if one.meta.name == gone)
        found = PLUGIN.filter(PLUGIN.without(state, pods, info), info.without(pods))
        assert (found and found.reasons) == reasons
