"""Who competes with whom."""

from __future__ import annotations

import pytest
from rollout_objects import apart, cluster, deployment, node, quota, same

from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun, competing

HOST = "kubernetes.io/hostname"


def groups(pair, *objects):
    """Whether two workloads are in one group."""
    run = PreparedRun(same(*pair), cluster(*objects))
    found = competing(run, (0, 1), run.rest)
    return found.root(0) == found.root(1)


@pytest.mark.parametrize(("gpus", "compete"), [(2, True), (100, False)])
def test_those_compete_for_whom_there_may_be_too_little_together(gpus, compete):
    assert groups((deployment("a"), deployment("b")), node("n", gpus)) is compete


def test_those_on_different_nodes_do_not():
    one = deployment("a", nodeSelector={HOST: "n"})
    other = deployment("b", nodeSelector={HOST: "m"})
    assert not groups((one, other), node("n", 1), node("m", 1))


def test_those_that_keep_each_other_away_do_wherever_there_is_room():
    assert groups((deployment("a", affinity=apart("b")), deployment("b")), node("n", 100), node("m", 100))


@pytest.mark.parametrize(("gpus", "compete"), [(9, True), (10, False)])
def test_those_that_one_quota_may_refuse_do(gpus, compete):
    """Of each there are five pods at most: twice those before and after, and one that surges."""
    assert groups((deployment("a"), deployment("b")), node("n", 100), quota(gpus)) is compete


def test_those_whose_pods_are_one_a_node_compete_only_where_one_of_each_is_too_much():
    mine, theirs = (deployment(name, 3, affinity=apart(name)) for name in ("a", "b"))
    nodes = [node(name, 2) for name in ("n", "m", "k")]
    assert not groups((mine, theirs), *nodes)
    assert groups((mine, theirs), *nodes[:2], node("k", 1))
    assert groups((mine, deployment("b", 3)), *nodes)
    # where the label is missing the term forbids nothing
    del nodes[0]["metadata"]["labels"][HOST]
    assert groups((mine, theirs), *nodes)
