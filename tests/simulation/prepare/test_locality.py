"""Nodes that take a pod when nothing else runs, and pods it must be near to."""

from __future__ import annotations

from rollout_objects import cluster, node, pod

from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.simulation.prepare.coupling import companions, eligible_nodes, needs_others


def incoming(near="", **spec):
    affinity = {}
    if near:
        term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": near}}}
        affinity = {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    meta = {"name": "p", "namespace": "d", "labels": {"app": "p"}}
    return read_pod({"metadata": meta, "spec": {"containers": [{"name": "c"}], "priority": 0, **affinity, **spec}})


EMPTY = Snapshot.of(cluster(node("a"), node("b", zone="z"), node("c", pool="x")))
DB = read_pod(pod("db", "a", labels={"app": "db"}))


def test_only_what_the_nodes_are_decides():
    assert eligible_nodes(incoming(), EMPTY) == {"a", "b", "c"}
    assert eligible_nodes(incoming(nodeSelector={"pool": "x"}), EMPTY) == {"c"}


def test_a_pod_that_must_be_near_to_another_may_be_wherever_that_may():
    assert eligible_nodes(incoming(near="db"), EMPTY, [DB]) == {"a", "b", "c"}
    assert eligible_nodes(incoming(near="db"), EMPTY) == frozenset()


def test_companions_are_those_that_the_terms_select():
    assert companions(incoming(near="db"), [DB], EMPTY) == [DB]
    assert companions(incoming(near="web"), [DB], EMPTY) == []
    assert companions(incoming(), [DB], EMPTY) == []


def test_a_pod_that_attracts_itself_needs_nobody():
    assert needs_others(incoming(near="db"), EMPTY)
    assert not needs_others(incoming(near="p"), EMPTY)
    assert not needs_others(incoming(), EMPTY)
