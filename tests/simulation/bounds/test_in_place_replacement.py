"""Rollouts that need no place but those that their own pods leave."""

from __future__ import annotations

import pytest
from core_objects import cores, of_cores
from left_out import without
from rollout_objects import cluster

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.work import limited


def rolled(new, *beside, on, old=None):
    """The judgement of one workload that changes at a known moment, while nothing else does."""
    stays = [Transition(one, one, rolls=False, known=True) for one in beside]
    return judge([Transition(new, old or new, known=True), *stays], cluster(*on))[0]


EVERYDAY = (cores("Deployment", "web", "1", 8), cores("Deployment", "api", "500m", 4))


def test_a_daemon_set_whose_pods_come_back_to_their_nodes_ends_beside_others_that_keep_theirs():
    found = rolled(cores("DaemonSet", "agent", "100m"), *EVERYDAY, on=of_cores(4, 5, 6, 7, 8))
    assert (found.verdict, found.runs.searched) == (Verdict.COMPLETES, False)


def test_the_pods_of_a_daemon_set_are_counted_once_for_all_nodes():
    agent, nodes = cores("DaemonSet", "agent", "100m"), of_cores(*[4, 8] * 400)
    with limited(8_000):
        found = rolled(agent, *EVERYDAY, on=nodes)
    assert (found.verdict, found.runs.searched) == (Verdict.COMPLETES, False)


@pytest.mark.parametrize(("cpu", "verdict"), [("100m", Verdict.COMPLETES), ("1100m", Verdict.MAY_STICK)])
def test_a_daemon_pod_may_shrink_where_it_comes_back_but_not_grow(cpu, verdict):
    web = cores("Deployment", "web", "1", 4)
    old, new = (cores("DaemonSet", "agent", one) for one in ("200m", cpu))
    found = rolled(new, web, on=of_cores(4, 4), old=old)
    assert found.verdict is verdict
    assert found.runs.searched is not (verdict is Verdict.COMPLETES)


def test_a_daemon_set_with_surge_does_not_come_back_to_a_place_that_was_left():
    surging = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    agent = cores("DaemonSet", "agent", "1", update=surging)
    found = rolled(agent, cores("Deployment", "web", "1", 2), on=of_cores(2, 2))
    assert found.verdict is Verdict.STUCK


def test_a_stateful_set_with_smaller_pods_takes_the_places_of_its_larger_ones():
    others = [cores("Deployment", "web", "1", 3)]
    old, new = (cores("StatefulSet", "db", cpu, 3) for cpu in ("2", "1500m"))
    found = rolled(new, *others, on=of_cores(3, 3, 3), old=old)
    assert (found.verdict, found.runs.searched) == (Verdict.COMPLETES, False)
    with without("in-place-replacement"):
        assert rolled(new, *others, on=of_cores(3, 3, 3), old=old).verdict is Verdict.COMPLETES


def test_the_search_says_the_same_of_a_daemon_set_beside_a_deployment():
    agent, web = cores("DaemonSet", "agent", "100m"), cores("Deployment", "web", "1", 3)
    found = rolled(agent, web, on=of_cores(3, 2))
    assert (found.verdict, found.runs.searched) == (Verdict.COMPLETES, False)
    with without("in-place-replacement"):
        searched = rolled(agent, web, on=of_cores(3, 2))
    assert (searched.verdict, searched.runs.searched) == (Verdict.COMPLETES, True)
