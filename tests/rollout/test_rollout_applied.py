"""What is applied together changes at the same moment: DaemonSets are workloads like others."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node, workload

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.transition import Transition

HOST = "kubernetes.io/hostname"
BY_ONE = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}


def applied(*changes, on):
    """The judgements of changes that are applied together, each as (old, new); `old` is None where nothing ran."""
    transitions = [
        Transition(new, old or new, rolls=bool(old) and old.spec != new.spec, known=bool(old), existing=bool(old))
        for old, new in changes
    ]
    return judge(transitions, cluster(*on))


def agent(gpus=1, **spec):
    return workload("DaemonSet", "agent", gpus=gpus, update=BY_ONE, **spec)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, deployment("web")),
        (deployment("web", 0), deployment("web", 1)),
        (deployment("web", gpus=0), deployment("web")),
        (workload("StatefulSet", "web", gpus=0), workload("StatefulSet", "web")),
    ],
)
def test_what_a_daemon_set_gives_up_in_the_same_apply_is_there_for_others(old, new):
    _, found = applied((agent(), agent(0)), (old, new), on=[node("n1"), node("n2")])
    assert found.verdict in (None, Verdict.COMPLETES)
    assert (found.placed, found.wanted) == (1, 1)


def test_what_a_daemon_set_keeps_is_there_for_nobody():
    _, found = applied((agent(), agent()), (deployment("web", gpus=0), deployment("web")), on=[node("n1"), node("n2")])
    assert found.placed == 0


def test_two_that_swap_nodes_for_a_host_port_wait_for_each_other_for_ever():
    def on(name, host):
        return deployment(name, gpus=0, port=80, nodeSelector={HOST: host})

    found = applied((on("a", "n1"), on("a", "n2")), (on("b", "n2"), on("b", "n1")), on=[node("n1"), node("n2")])
    assert [one.verdict for one in found] == [Verdict.STUCK, Verdict.STUCK]
