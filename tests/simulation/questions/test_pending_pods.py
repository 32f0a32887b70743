"""Pods of others that the inventory shows waiting: what a rollout frees, they may take (rollouts.md 3.3)."""

from __future__ import annotations

import pytest
from rollout_objects import (
    GPU,
    apart,
    claim,
    cluster,
    deployment,
    job,
    judged,
    mounted,
    node,
    pod,
    recreated,
    same,
    workload,
)

from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition


def waiting(name="other", gpus=1, *, owner=None, namespace="o", **spec):
    found = pod(name, "", gpus, owner=owner, **spec)
    del found["spec"]["nodeName"]
    found["metadata"]["namespace"] = namespace
    found["status"] = {"phase": "Pending"}
    return found


def daemons():
    return workload("DaemonSet", "w", update={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}})


@pytest.mark.parametrize(
    "one",
    [recreated(), deployment(surge=0, unavailable=1), workload("StatefulSet", "w"), daemons()],
    ids=["Recreate", "maxUnavailable", "StatefulSet", "DaemonSet"],
)
def test_who_waits_already_may_take_the_place_that_the_old_pod_leaves(one):
    found = judged(one, node("a"), waiting())
    assert found.verdict is Verdict.MAY_STICK
    told = [step.message for step in found.runs.trace.steps]
    assert "Pod o/other waits for a node" in told[0]
    assert any("binds Pod o/other to a" in message for message in told)
    (mine,) = [waits for waits in found.runs.trace.waiting if waits.owner == one.key]
    assert [holder.owner for lack in mine.lacks for holder in lack.holders] == ["Pod/o/other"]
    assert judged(one, node("a")).verdict is Verdict.COMPLETES


def test_the_pod_of_a_replica_set_of_others_counts_as_well():
    one = waiting(owner=("ReplicaSet", "other-abc"))
    assert judged(recreated(), node("a"), one).verdict is Verdict.MAY_STICK


def test_the_old_pod_is_kept_anyhow_where_none_may_be_unavailable():
    assert judged(deployment(), node("a", 2), waiting()).verdict is Verdict.MAY_STICK
    assert judged(deployment(), node("a", 3), waiting()).verdict is Verdict.COMPLETES
    assert judged(deployment(), node("a", 1), waiting()).verdict is Verdict.STUCK


@pytest.mark.parametrize(
    "other",
    [
        waiting(gpus=2),
        waiting(gpus=0),
        waiting(nodeSelector={"zone": "b"}),
        waiting(schedulingGates=[{"name": "later"}]),
        waiting(schedulerName="nobody"),
        waiting(restartPolicy="Never"),
        waiting(owner=("Job", "train")),
    ],
    ids=["too large", "wants none", "elsewhere", "gated", "not served", "ends", "job"],
)
def test_who_cannot_take_the_place_or_gives_it_back_is_in_nobodys_way(other):
    assert judged(recreated(), node("a"), other).verdict is Verdict.COMPLETES


def test_who_is_evicted_for_the_new_pod_is_in_its_way_for_a_while_only():
    assert judged(recreated(priority=10), node("a"), waiting()).verdict is Verdict.COMPLETES
    assert judged(recreated(priority=10, preemptionPolicy="Never"), node("a"), waiting()).verdict is Verdict.MAY_STICK


def test_who_finds_room_elsewhere_may_be_bound_before_the_rollout_begins_or_later():
    assert judged(recreated(), node("a"), node("b"), waiting()).verdict is Verdict.COMPLETES
    pinned = recreated(nodeSelector={"kubernetes.io/hostname": "a"})
    assert judged(pinned, node("a"), node("b"), waiting()).verdict is Verdict.MAY_STICK


def test_who_waits_counts_in_a_quota_all_the_time():
    full = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "d"},
        "spec": {"hard": {"pods": "2"}},
    }
    one, other = deployment(surge=1, unavailable=0), waiting(namespace="d", owner=("ReplicaSet", "other"))
    assert judged(one, node("a", 2), node("b", 3), full, other).verdict is Verdict.STUCK
    assert judged(one, node("a", 2), node("b", 3), full).verdict is Verdict.COMPLETES
    for never in ({"schedulingGates": [{"name": "later"}]}, {"schedulerName": "nobody"}, {"gpus": 9}):
        other = waiting(namespace="d", owner=("ReplicaSet", "other"), **never)
        assert judged(one, node("a", 2), node("b", 3), full, other).verdict is Verdict.STUCK
    ends = waiting(namespace="d", owner=("Job", "train"))
    assert judged(one, node("a", 2), node("b", 3), full, ends).verdict is Verdict.COMPLETES


def test_a_pod_of_another_known_scheduler_takes_the_place_just_as_well():
    assert judged(recreated(), node("a"), waiting(schedulerName="volcano")).verdict is Verdict.MAY_STICK


def test_own_pods_that_wait_are_no_strangers():
    own = waiting("w-abc-1", owner=("ReplicaSet", "w-abc"), namespace="d")
    assert judged(recreated(), node("a"), own).verdict is Verdict.COMPLETES


def test_who_waits_and_keeps_the_new_pod_at_a_distance_may_come_first():
    other = waiting(gpus=0, namespace="d", owner=("StatefulSet", "x"), affinity=apart("w"))
    assert judged(recreated(gpus=0), node("a"), other).verdict is Verdict.MAY_STICK
    assert judged(recreated(gpus=0), node("a"), node("b"), other).verdict is Verdict.COMPLETES


def test_a_claim_that_one_pod_can_use_may_be_taken_by_another():
    disk = claim("disk", "ReadWriteOncePod")
    one = recreated(gpus=0, volumes=mounted("disk"))
    other = waiting(gpus=0, namespace="d", owner=("StatefulSet", "x"), volumes=mounted("disk"))
    assert judged(one, node("a"), *disk, other).verdict is Verdict.MAY_STICK


def test_many_who_wait_for_the_same_are_not_more_than_those_who_can_come():
    others = [waiting(f"o-{number}", owner=("ReplicaSet", "o")) for number in range(60)]
    found = judged(recreated(replicas=3), node("a", 3), *others)
    assert found.verdict is Verdict.MAY_STICK
    assert found.runs.states < 5_000
    assert GPU in found.runs.trace.waiting[0].scheduler


def test_each_of_many_workloads_is_told_of_whoever_waits():
    ones = [deployment(f"w{number}", replicas=4, surge=0, unavailable=1) for number in range(12)]
    others = [waiting(f"o-{number}", owner=("ReplicaSet", f"o{number % 3}")) for number in range(60)]
    found = judge(same(*ones), cluster(*(node(f"n{number}", 4) for number in range(12)), *others))
    assert {one.verdict for one in found} == {Verdict.MAY_STICK}


def test_a_job_of_the_same_render_is_no_stranger():
    other = job("train", 1)
    own = waiting("train-x", owner=("Job", "train"), namespace="d", restartPolicy="Never")
    assert judged(recreated(), node("a"), own, beside=(other,)).verdict is Verdict.COMPLETES


def test_rollouts_of_the_same_moment_see_who_waits():
    ones = same(deployment("a", surge=0, unavailable=1), deployment("b", surge=1, unavailable=0))
    free = [node("n", 3)]
    assert [one.verdict for one in judge_together(ones, cluster(*free))] == [Verdict.COMPLETES]
    (found,) = judge_together(ones, cluster(*free, waiting()))
    assert found.verdict is Verdict.MAY_STICK
    assert found.runs.trace is not None
    assert [one.meta.name for one in found.workloads] == ["a", "b"]
    holders = {holder.owner for waits in found.runs.trace.waiting for lack in waits.lacks for holder in lack.holders}
    assert "Pod/o/other" in holders
    assert [one.verdict for one in judge_together(ones, cluster(node("n", 4), waiting()))] == [Verdict.COMPLETES]


def test_who_waits_is_seen_beside_what_changes_at_the_same_moment():
    def change(name, before, after, rolls, **more):
        old, new = (deployment(name, count, **more) for count in (before, after))
        return Transition(new, old, rolls=rolls, known=True)

    changes = [change("a", 1, 1, True, surge=1, unavailable=0), change("b", 2, 1, False)]
    assert judge(changes, cluster(node("n", 3)))[0].verdict is Verdict.COMPLETES
    assert judge(changes, cluster(node("n", 3), waiting()))[0].verdict is Verdict.MAY_STICK
    assert judge(changes, cluster(node("n", 4), waiting()))[0].verdict is Verdict.COMPLETES, "it finds room of its own"
    gives = [change("a", 1, 1, True, surge=1, unavailable=0), change("b", 1, 1, True, surge=0, unavailable=1)]
    pinned = waiting(nodeSelector={"zone": "b"})
    assert judge(gives, cluster(node("n", 3), node("m", 1, "b"), pinned))[0].verdict is Verdict.COMPLETES
