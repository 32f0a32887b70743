"""Pods of others that are driven from their nodes come again elsewhere, and may take what a rollout frees."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node, pod, recreated, same

from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict

HERE = {"nodeSelector": {"zone": "here"}}
NODES = [node("n", zone="here"), node("m", 2, zone="there")]


def small(priority=-5, owner=("ReplicaSet", "other"), **spec):
    return pod("other", "m", 1, owner=owner, priority=priority, **spec)


def large(gpus=2, **spec):
    """A workload that never finds its place beside pods of others."""
    return deployment("large", 1, gpus, surge=1, unavailable=0, nodeSelector={"zone": "there"}, **spec)


def judged(other, *running, priority=-5):
    mine = recreated("w", priority=priority, **HERE)
    return judge(same(mine, other), cluster(*NODES, *running))[0]


def test_who_is_driven_from_another_node_may_take_the_place_that_a_rollout_frees():
    found = judged(large(), small())
    assert found.verdict is Verdict.MAY_STICK
    assert found.runs.trace is not None
    assert {holder.owner for lack in found.runs.trace.waiting[0].lacks for holder in lack.holders} == {
        "ReplicaSet/d/other"
    }
    assert judged(large(), small(), priority=0).verdict is Verdict.COMPLETES, "it evicts the one that came"


@pytest.mark.parametrize(
    ("other", "running"),
    [
        (large(), small(priority=0)),
        (large(preemptionPolicy="Never"), small()),
        (large(gpus=1), small()),
        (large(), small(owner=None)),
        (large(), small(owner=("DaemonSet", "other"))),
        (large(), small(owner=("Job", "other"), restartPolicy="Never")),
        (large(), small(nodeSelector={"zone": "there"})),
    ],
    ids=["no lower priority", "evicts nobody", "has room", "nobody's", "daemon", "ends", "bound to its zone"],
)
def test_who_is_not_driven_away_or_cannot_come_is_in_nobodys_way(other, running):
    assert judged(other, running).verdict is Verdict.COMPLETES


def test_who_is_driven_away_may_drive_away_others_of_lower_priority():
    nodes = [node("n", zone="here"), node("m", 2, zone="there"), node("o", zone="third")]
    third = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["here"]}]}]}}}  # fmt: skip
    first = pod("first", "m", 1, owner=("ReplicaSet", "first"), priority=-5, affinity=third)
    second = pod("second", "o", 1, owner=("ReplicaSet", "second"), priority=-9)
    mine = recreated("w", priority=-9, **HERE)
    assert judge(same(mine, large()), cluster(*nodes, first, second))[0].verdict is Verdict.MAY_STICK
    assert judge(same(mine, large()), cluster(*nodes, first))[0].verdict is Verdict.COMPLETES


def test_rollouts_of_the_same_moment_see_whom_they_drive_away():
    mine = recreated("w", priority=-5, **HERE)
    other = recreated("large", 1, 2, nodeSelector={"zone": "there"})
    (found,) = judge_together(same(mine, other), cluster(*NODES, small()))
    assert found.verdict is not Verdict.COMPLETES


def test_who_finds_room_once_nothing_terminates_drives_nobody_away():
    nodes = [node("n", 4, zone="here"), node("m", 4, zone="there")]
    running = [pod(name, name[-1], 1, owner=("ReplicaSet", "other"), labels={"app": "o"}, priority=-5) for name in "nm"]
    mine = deployment("w", 2, 1, 1, 0, **HERE)
    other = deployment("x", 2, 1, 1, 0, nodeSelector={"zone": "there"})
    alone, beside = (judge(same(*ones), cluster(*nodes, *running))[0] for ones in ([mine], [mine, other]))
    assert (beside.verdict, beside.runs.states) == (Verdict.COMPLETES, alone.runs.states)
