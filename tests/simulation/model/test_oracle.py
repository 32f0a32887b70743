"""ReadWriteOnce volumes while nothing is rolled: no two pods on different nodes ever run with one.

kube-scheduler binds the second pod to another node; the attach/detach controller refuses the volume (1.34).
"""

from __future__ import annotations

import pytest
from rollout_objects import apart, claim, deployment, judged, mounted, node, pod, recreated

from kubelint_gpu.simulation.search.verdict import Verdict

DISK = claim("disk", "ReadWriteOnce")


@pytest.mark.parametrize("strategy", [{"surge": 0, "unavailable": 1}, {"surge": 1, "unavailable": 0}, {}])
def test_replicas_that_find_no_room_on_one_node_never_all_start(strategy):
    found = judged(deployment(replicas=2, volumes=mounted("disk"), **strategy), node("a"), node("b"), *DISK)
    assert (found.verdict, found.room.placed, found.room.alone) == (None, 1, 1)
    (lack,) = found.room.waiting.lacks
    assert lack.plugin == "VolumeAttach"
    assert [(holder.owner, holder.count) for holder in lack.holders] == [("Deployment/d/w", 1)]


def test_anti_affinity_keeps_the_second_pod_from_the_disk_of_the_first():
    one = recreated(replicas=2, gpus=0, volumes=mounted("disk"), affinity=apart("w"))
    assert judged(one, node("a"), node("b"), *DISK).room.placed == 1


def test_replicas_that_find_room_on_one_node_start_there():
    one = recreated(replicas=2, volumes=mounted("disk"))
    assert judged(one, node("a", 2), node("b", 1), *DISK).room.placed == 2
    lone = judged(deployment(replicas=2, surge=0, unavailable=1, volumes=mounted("disk")), node("a", 2), *DISK)
    assert lone.verdict is Verdict.COMPLETES


def test_a_new_pod_may_be_bound_to_another_node_than_the_one_that_has_the_disk():
    one = deployment(replicas=2, surge=0, unavailable=1, volumes=mounted("disk"))
    found = judged(one, node("a", 2), node("b", 2), *DISK)
    assert (found.verdict, found.room.placed) == (Verdict.MAY_STICK, 2)
    assert any("2 on " in step.message for step in found.runs.trace.steps[:1])


def test_two_workloads_with_one_disk_share_its_node():
    other = deployment("v", volumes=mounted("disk"))
    one = deployment(surge=0, unavailable=1, volumes=mounted("disk"))
    assert judged(one, node("a"), node("b"), *DISK, beside=(other,)).verdict is None
    assert judged(one, node("a", 2), *DISK, beside=(other,)).verdict is Verdict.COMPLETES


def test_a_disk_that_is_no_attached_one_is_shared_by_all_nodes():
    found = claim("disk", "ReadWriteOnce")
    found[1]["spec"]["nfs"] = {"server": "s", "path": "/"}
    del found[1]["spec"]["csi"]
    one = deployment(replicas=2, surge=0, unavailable=1, volumes=mounted("disk"))
    assert judged(one, node("a"), node("b"), *found).verdict is Verdict.COMPLETES


def test_pods_that_are_known_to_run_decide_where_the_disk_is():
    one = deployment(replicas=2, surge=0, unavailable=1, volumes=mounted("disk"))
    there = [pod(f"w-{name}", "b", owner=("ReplicaSet", "w-abc"), volumes=mounted("disk")) for name in "xy"]
    found = judged(one, node("a", 1), node("b", 2), *DISK, *there)
    assert found.verdict is Verdict.MAY_STICK
    assert "2 on b" in found.runs.trace.steps[0].message
