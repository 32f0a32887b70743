"""Pods that keep another one off nodes, found by node."""

from __future__ import annotations

from rollout_objects import GPU, cluster, node, pod

from kubelint_gpu.kube.objects.node import read_node
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.facts import never, same_node
from kubelint_gpu.simulation.search.blocked import Candidates, Placed, rivals

A, B = read_node(node("a")), read_node(node("b"))
NEW = read_pod(pod("new", ""))
SNAPSHOT = Snapshot.of(cluster(node("a"), node("b")))


def placed(name, where):
    return Placed(name, False, where, 1, read_pod(pod(name, where.name)))


def test_of_a_resource_those_that_hold_some_of_it_block_on_their_node():
    keeps = rivals("NodeResourcesFit", NEW, SNAPSHOT, GPU)
    assert keeps(read_pod(pod("gpu", "a", 1))) is same_node
    assert keeps(read_pod(pod("none", "a", 0))) is never
    assert rivals("NodeResourcesFit", NEW, SNAPSHOT, "pods")(read_pod(pod("none", "a", 0))) is same_node


def test_of_a_plugin_that_looks_at_no_pod_nobody_blocks():
    assert rivals("NodeName", NEW, SNAPSHOT)(read_pod(pod("gpu", "a", 1))) is never


def test_candidates_are_found_where_they_reach():
    here, away, nowhere = placed("here", A), placed("away", B), placed("nowhere", A)
    found = Candidates()
    found.add(here, same_node)
    found.add(away, lambda mine, other: mine.name != other.name)
    found.add(nowhere, never)
    assert found.on(A) == [here, away]
    assert found.on(B) == []
