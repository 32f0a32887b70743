"""DaemonSets whose pods outrank those that are in their way."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node, pod, same, workload
from verdict_evidence.watch import checked

from kubelint_gpu.simulation.bounds.always_ends import always_ends
from kubelint_gpu.simulation.questions.rollouts import judge

NODES = (node("n", 2), node("m", 2))


def situations(workloads, *objects):
    """What each question that a decider answers was asked about, by the workload."""
    found = {}

    def keep(_, claim, __):
        situation, (position, *_) = claim.situation, claim.positions
        found.setdefault(situation.participants[position].new.key, (situation, position))

    with checked(keep):
        judge(same(*workloads), cluster(*objects))
    return found


@pytest.mark.parametrize(
    ("priority", "gpus", "surge", "standing", "ends"),
    [
        (100, 1, 0, 0, True),
        (0, 1, 0, 0, False),  # equals take its place and do not give way
        (100, 2, 1, 0, False),  # it needs room beside its own pod
        (100, 2, 0, 1, False),  # a pod beside it outranks it
    ],
)
def test_a_daemon_set_that_outranks_all_others_finds_room(priority, gpus, surge, standing, ends):
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": 1 - surge}}
    one = workload("DaemonSet", "d", gpus=gpus, update=strategy, priority=priority)
    others = [pod("x", "n", standing, priority=1000)] if standing else []
    found = situations([one, deployment("w", 4)], *NODES, *others)
    assert always_ends(*found["DaemonSet/d/d"]) is ends
