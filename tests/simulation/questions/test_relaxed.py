"""A pinned rollout sticks beside whatever others do, and no search has to look at them.

A rollout that never ends by itself, beside others that may be rolled at the same moment.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rollout_objects import cluster, deployment, job, judged, node, recreated, same, workload

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

PINNED = {"nodeSelector": {"kubernetes.io/hostname": "n0"}}
HIGHER, LOWER = 1000, -1000


def at(one, priority):
    """A workload whose pods have a priority."""
    return replace(one, spec=replace(one.spec, priority=priority))


def first(mine, *others, on):
    return judged(mine, *on, beside=others)


FARM = [node(f"n{number}", 1) for number in range(12)]


def test_one_that_is_pinned_sticks_without_all_others():
    webs = [deployment(f"web{number}", 3, 0) for number in range(10)]
    found = first(deployment("w", 1, 1, **PINNED), *webs, on=FARM)
    assert (found.verdict, found.by) in {(Verdict.STUCK, "without-others"), (Verdict.STUCK, "counting-nodes")}
    assert found.runs.states < 100


def test_a_full_pool_sticks_beside_a_job_that_it_can_evict():
    """Before anything is rolled, the pool leaves the Job no GPU."""
    pool = [at(deployment(name, 2, 1, surge=1, unavailable=0), HIGHER) for name in ("a", "b")]
    found = first(*pool, at(job("batch", 1), LOWER), on=FARM[:4])
    assert (found.verdict, found.by) == (Verdict.STUCK, "without-weaker")


def test_it_only_may_beside_one_that_it_cannot_evict():
    """The Job may have had a GPU, which it gives back when it ends."""
    pool = [deployment(name, 2, 1, surge=1, unavailable=0) for name in ("a", "b")]
    found = first(*pool, job("batch", 1), on=FARM[:5])
    assert found.verdict is not Verdict.STUCK


OTHERS = {
    "a web server": lambda: deployment("web", 3, 0),
    "a class of lower priority": lambda: at(deployment("batch", 2, 0), LOWER),
    "a stateful one": lambda: workload("StatefulSet", "db", 2, 0),
    "one on other nodes": lambda: deployment("far", 2, 1, nodeSelector={"zone": "b"}),
}


@pytest.mark.parametrize("surge", [0, 1])
@given(st.lists(st.sampled_from(sorted(OTHERS)), unique=True))
def test_more_knowledge_of_what_does_not_matter_changes_no_verdict(surge, names):
    """Adding a workload that has room of its own leaves the verdict of the others as it is."""
    mine = deployment("w", 1, 1, surge=surge, unavailable=1 - surge, **PINNED)
    on = [*FARM[:3], *(node(f"m{number}", 1, zone="b") for number in range(4))]
    alone = first(mine, on=on)
    assert first(mine, *(OTHERS[name]() for name in names), on=on).verdict is alone.verdict
    assert alone.verdict is (Verdict.STUCK if surge else Verdict.COMPLETES)


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
