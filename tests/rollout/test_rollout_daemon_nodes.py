"""Nodes that only a daemon pod tolerates: the DaemonSet controller's tolerations count in every judgement of it."""

from __future__ import annotations

import pytest
from rollout_objects import deployment, judged, node, workload

from kubelint_gpu.simulation.search.verdict import Verdict

SURGING = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
ADDED = [
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
]


def tainted(name, key, effect, gpus=1):
    return {**node(name, gpus), "spec": {"taints": [{"key": key, "effect": effect}]}}


@pytest.mark.parametrize(("key", "effect"), ADDED)
def test_a_surging_daemon_set_is_stuck_on_a_node_that_its_pods_alone_tolerate(key, effect):
    found = judged(workload("DaemonSet", update=SURGING), tainted("n", key, effect), node("m", 2))
    assert (found.verdict, found.room.wanted, found.room.placed) == (Verdict.STUCK, 2, 2)
    assert found.room.eligible == {"n", "m"}


@pytest.mark.parametrize(("key", "effect"), ADDED)
def test_a_daemon_set_has_its_pods_on_such_a_node(key, effect):
    found = judged(workload("DaemonSet"), tainted("n", key, effect), node("m", 2))
    assert (found.verdict, found.room.wanted, found.room.placed) == (Verdict.COMPLETES, 2, 2)


def test_on_the_hosts_network_it_needs_no_other_network():
    taint = ("node.kubernetes.io/network-unavailable", "NoSchedule")
    found = judged(workload("DaemonSet", update=SURGING, hostNetwork=True), tainted("n", *taint))
    assert (found.verdict, found.room.wanted) == (Verdict.STUCK, 1)
    assert judged(workload("DaemonSet", update=SURGING), tainted("n", *taint)).room.wanted == 0


def test_its_pods_hold_what_others_want_on_such_a_node():
    one = deployment(surge=0, unavailable=1, tolerations=[{"operator": "Exists"}])
    cordoned = tainted("n", *ADDED[0])
    assert judged(one, cordoned, beside=(workload("DaemonSet", "agent"),)).room.placed == 0
    assert judged(one, {**cordoned, **node("n", 2)}, beside=(workload("DaemonSet", "agent"),)).room.placed == 1
