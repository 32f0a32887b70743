"""DaemonSets beside each other: who has the node is looked at in every order."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node, same, workload

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_daemon_sets_that_compete_are_looked_at_in_both_orders(order):
    one, two = workload("DaemonSet", "one", gpus=1), workload("DaemonSet", "two", gpus=2)
    pair = [(one, two)[place] for place in order]
    beside = deployment("dep", surge=1, unavailable=0)
    found = {
        judgement.workload.meta.name: judgement
        for judgement in judge(same(*pair, beside), cluster(node("n", 3), node("m", 2)))
    }
    assert [(found[name].room.placed, found[name].room.alone, found[name].room.wanted) for name in ("one", "two")] == [
        (1, 2, 2)
    ] * 2
    assert (found["dep"].room.placed, found["dep"].room.wanted) == (0, 1)


def test_daemon_sets_that_do_not_compete_change_nothing_for_each_other():
    found = judge(same(workload("DaemonSet", "one"), workload("DaemonSet", "two")), cluster(node("n", 2), node("m", 2)))
    assert [one.verdict for one in found] == [Verdict.COMPLETES] * 2
