"""A rollout that never ends by itself, beside others that may be rolled at the same moment."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node, recreated, same, workload

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition

KEEPS = {"surge": 1, "unavailable": 0}
GIVES = {"surge": 0, "unavailable": 1}


def company(others, *nodes):
    found = judge(same(deployment(**KEEPS), *others), cluster(*nodes))[0]
    assert found.verdict is Verdict.STUCK
    return [one.meta.name for one in found.company]


@pytest.mark.parametrize(
    "other", [deployment("o", **GIVES), recreated("o"), workload("StatefulSet", "o", more={"serviceName": "o"})]
)
def test_a_neighbour_that_gives_its_pod_away_first_may_let_it_end(other):
    assert company([other], node("n", 2)) == ["o"]


def test_a_neighbour_that_keeps_its_pod_changes_nothing():
    assert company([deployment("o", **KEEPS)], node("n", 2)) == []
    assert company([deployment(f"o{number}", **KEEPS) for number in range(9)], node("n", 10)) == []


def test_a_neighbour_that_gives_away_too_little_changes_nothing():
    big = deployment("big", gpus=2, **KEEPS)
    found = judge(same(big, deployment("o", **GIVES)), cluster(node("n", 3)))[0]
    assert (found.verdict, found.company) == (Verdict.STUCK, ())


def test_a_neighbour_that_is_elsewhere_or_is_not_rolled_is_no_company():
    nodes = [node("n", 1), node("m", 1, pool="b")]
    apart = deployment("o", nodeSelector={"pool": "b"}, **GIVES)
    pinned = deployment(nodeSelector={"kubernetes.io/hostname": "n"}, **KEEPS)
    assert judge(same(pinned, apart), cluster(*nodes))[0].company == ()
    still = deployment("o", **GIVES)
    found = judge([*same(deployment(**KEEPS)), Transition(still, still, rolls=False)], cluster(node("n", 2)))[0]
    assert (found.verdict, found.company) == (Verdict.STUCK, ())


def test_many_neighbours_are_all_named_without_a_search():
    others = [deployment(f"o{number}", **GIVES) for number in range(4)]
    assert company(others, node("n", 5)) == ["o0", "o1", "o2", "o3"]


@pytest.mark.parametrize(("surge", "named"), [(0, ["o"]), (1, [])])
def test_a_daemon_set_that_gives_its_pod_away_may_let_it_end(surge, named):
    daemons = workload("DaemonSet", "o", update={"rollingUpdate": {"maxSurge": surge, "maxUnavailable": 1 - surge}})
    assert company([daemons], node("n", 2)) == named


def test_a_daemon_set_that_holds_too_little_changes_nothing():
    daemons = workload("DaemonSet", "o", update={"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}})
    found = judge(same(deployment(gpus=2, **KEEPS), daemons), cluster(node("n", 3)))[0]
    assert (found.verdict, found.company) == (Verdict.STUCK, ())
