"""A snapshot of a cluster: what it refuses, and that placing a pod leaves it as it was."""

from __future__ import annotations

import re

import pytest
from plugin_objects import node, pod

from kubelint_gpu.kube.objects.node import read_node
from kubelint_gpu.scheduler import (
    Cluster,
    InvalidObject,
    Snapshot,
    read_cluster,
    read_pod,
)


def test_two_nodes_of_one_name_are_refused():
    nodes = tuple(read_node(node(name)) for name in "nmn")
    with pytest.raises(InvalidObject, match=re.escape("Node n: metadata.name: two nodes have this name")):
        Snapshot.of(Cluster(nodes))


def test_a_cluster_of_an_unreadable_version_is_refused():
    with pytest.raises(ValueError, match="no version of Kubernetes"):
        Snapshot.of(read_cluster([], version="newest"))


def test_place_and_remove_leave_the_snapshot_as_it_was():
    snapshot = Snapshot.of(read_cluster([node("b"), node("a")]))
    one = read_pod(pod("one", containers=[{"name": "c", "resources": {"requests": {"cpu": "2"}}}]))
    placed = snapshot.place(one, "a").place(one, "a")
    assert [info.name for info in placed.nodes] == ["a", "b"]
    assert (placed.node("a").used, placed.pods) == ({"cpu": 4000}, (one, one))
    assert placed.remove("default/one").node("a").used == {"cpu": 2000}
    assert placed.remove("default/one", "a").remove("default/one").node("a").used == {}
    assert (snapshot.pods, snapshot.node("c")) == ((), None)
    with pytest.raises(KeyError, match="default/other"):
        placed.remove("default/other")
    with pytest.raises(KeyError, match="default/one"):
        placed.remove("default/one", "b")
    with pytest.raises(KeyError, match="c"):
        snapshot.place(one, "c")
