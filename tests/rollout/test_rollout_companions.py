"""Pods that must be near to pods of others: where these are, a rollout is judged like any other."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, job, judged, node, pod, recreated, same, workload

from kubelint_gpu.simulation.questions.drain import drain
from kubelint_gpu.simulation.questions.jobs_beside import starves
from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

HOST = "kubernetes.io/hostname"


def near(name, key=HOST, **more):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": name}}, **more}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def kept(replicas=1, **more):
    return deployment("a", replicas, surge=1, unavailable=0, affinity=near("b", **more))


@pytest.mark.parametrize(("gpus", "expected"), [(1, Verdict.STUCK), (2, Verdict.COMPLETES)])
def test_the_node_of_a_running_companion_decides(gpus, expected):
    found = judged(kept(), node("n", gpus), node("m", 4), pod("b-1", "n", 0, labels={"app": "b"}))
    assert (found.verdict, found.room.placed, found.room.eligible) == (expected, 1, {"n", "m"})


def test_a_zone_of_the_companion_has_room_on_another_node():
    companion = pod("b-1", "n", 0, labels={"app": "b"})
    assert judged(kept(key="zone"), node("n", 1), node("m", 1), companion).verdict is Verdict.COMPLETES
    assert judged(kept(key="zone"), node("n", 1), node("m", 1, zone="b"), companion).verdict is Verdict.STUCK


@pytest.mark.parametrize("priority", [0, 10])
def test_only_as_many_replicas_run_as_fit_beside_the_companion(priority):
    one = deployment("a", 5, surge=0, unavailable=1, affinity=near("b"), priority=priority)
    found = judged(one, node("n", 2), node("m", 2), pod("b-1", "n", 0, labels={"app": "b"}))
    assert (found.verdict, found.room.placed, found.room.wanted) == (None, 2, 5)


@pytest.mark.parametrize(("gpus", "expected"), [(1, Verdict.STUCK), (2, Verdict.COMPLETES)])
def test_a_companion_of_the_same_render_is_there_when_it_is_rolled(gpus, expected):
    beside = deployment("b", gpus=0, surge=0, unavailable=1, nodeSelector={HOST: "n"})
    found = judged(kept(), node("n", gpus), node("m", 0), beside=(beside,))
    assert (found.verdict, found.room.placed) == (expected, 1)
    (together,) = judge_together(same(kept(), beside), cluster(node("n", gpus), node("m", 0)))
    assert together.verdict is expected


def test_a_daemon_set_near_to_a_companion_of_the_same_render():
    surging = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    one, beside = workload("DaemonSet", "a", update=surging, affinity=near("b")), recreated("b", gpus=0)
    assert judged(one, node("n", 1), beside=(beside,)).verdict is Verdict.STUCK
    assert judged(one, node("n", 2), beside=(beside,)).verdict is Verdict.COMPLETES


@pytest.mark.parametrize(("gpus", "expected"), [(1, Verdict.STUCK), (2, Verdict.COMPLETES)])
def test_daemon_pods_of_the_same_render_are_companions(gpus, expected):
    daemons = workload("DaemonSet", "b", gpus=0, nodeSelector={HOST: "n"})
    found = judged(kept(), node("n", gpus), node("m", 4), beside=(daemons,))
    assert (found.verdict, found.room.placed, found.room.alone) == (expected, 1, 1)


def test_one_of_several_companions_may_give_way():
    daemons = workload("DaemonSet", "b", gpus=1)
    large = deployment("a", 1, 2, surge=0, unavailable=1, affinity=near("b", "zone"), priority=10)
    found = judged(large, node("n", 2), node("m", 1), beside=(daemons,))
    # it evicts the one on n, and the one on m stays near
    assert (found.room.placed, found.room.wanted, found.verdict) == (1, 1, None)
    smaller = deployment("a", 1, 1, surge=0, unavailable=1, affinity=near("b", "zone"), priority=10)
    found = judge([Transition(large, smaller), *same(daemons)], cluster(node("n", 2), node("m", 2)))[0]
    assert (found.room.placed, found.verdict) == (1, Verdict.COMPLETES)


def test_a_companion_that_nobody_runs_makes_no_node_eligible():
    found = judged(kept(), node("n"))
    assert (found.verdict, found.room.placed, found.room.eligible) == (None, 0, frozenset())
    elsewhere = {**pod("b-1", "n", 0), "metadata": {"name": "b-1", "namespace": "other", "labels": {"app": "b"}}}
    assert judged(kept(), node("n"), elsewhere).room.eligible == frozenset()
    assert judged(kept(namespaces=["other"]), node("n"), elsewhere).verdict is Verdict.STUCK


def test_a_node_without_the_label_of_the_topology_is_never_eligible():
    companion = pod("b-1", "n", 0, labels={"app": "b"})
    assert judged(kept(key="rack"), node("n", 1, rack="r"), node("m", 4), companion).room.eligible == {"n"}


def test_a_group_that_wants_to_be_together_starts_anywhere():
    one = deployment("b", 2, surge=1, unavailable=0, affinity=near("b"))
    assert judged(one, node("n", 2), node("m", 2)).verdict is Verdict.STUCK
    assert judged(one, node("n", 3), node("m", 3)).verdict is Verdict.COMPLETES


def test_a_drain_takes_the_companion_along():
    beside = deployment("b", gpus=0)
    found = drain([deployment("a", affinity=near("b")), beside], cluster(node("n"), node("m")))
    assert {(one.owner, one.stranded) for one in found} == {("Deployment/d/a", 0), ("Deployment/d/b", 0)}


def test_a_job_near_to_pods_that_end_does_not_starve_for_them():
    one = job("a", 1)
    nearby = replace(one, spec=deployment("a", affinity=near("b")).spec)
    assert starves(one, [deployment("w", 1)], cluster(node("n", 1)))
    assert not starves(nearby, [deployment("w", 1)], cluster(node("n", 2)))
