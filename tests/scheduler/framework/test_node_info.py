"""What is used on a node; and the nodes of a cluster, sorted out once for all snapshots with the same nodes."""

from __future__ import annotations

import pytest
from plugin_objects import node as plain_node
from plugin_objects import pod

from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.scheduler import (
    Snapshot,
    fit,
    read_cluster,
    read_pod,
)
from kubelint_gpu.scheduler.framework.node_info import NodeSet, node_set
from kubelint_gpu.values import replace


def test_a_port_that_two_pods_share_is_taken_until_both_are_gone():
    port = [{"name": "c", "ports": [{"hostPort": 80}]}]
    snapshot = Snapshot.of(
        read_cluster([plain_node("n"), pod("a", "n", containers=port), pod("b", "n", containers=port)])
    )
    incoming = read_pod(pod(containers=port))
    snapshot = snapshot.remove("default/a")
    assert fit(incoming, snapshot).fits == ()
    assert fit(incoming, snapshot.remove("default/b")).fits == ("n",)


def node(name, zone="a", cpu="4", taints=()):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"zone": zone, "kubernetes.io/hostname": name}},
        "spec": {"taints": list(taints)},
        "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}},
    }


def cluster(*nodes):
    return read_cluster(nodes, version="1.34")


MANY = [node(f"n{number:02}", zone="ab"[number % 2]) for number in range(40)]


def test_the_same_nodes_have_one_set_whatever_else_the_cluster_has():
    one = cluster(*MANY)
    assert node_set(one.nodes) is node_set(replace(one, version="1.35").nodes)
    assert node_set(one.nodes) is not node_set(cluster(*MANY).nodes)


def test_nodes_are_alike_by_labels_taints_and_allocatable_and_not_by_what_each_has_for_itself():
    different = [node("x", cpu="8"), node("y", taints=[{"key": "k", "effect": "NoSchedule"}])]
    found = NodeSet(cluster(*MANY, *different).nodes)
    assert found.wide_labels == {"kubernetes.io/hostname"}
    assert len(set(found.likeness)) == 4
    assert found.values("zone")["b"] == tuple(f"n{number:02}" for number in range(1, 40, 2))


def test_two_nodes_of_one_name_are_refused():
    with pytest.raises(InvalidObject, match="two nodes have this name"):
        NodeSet(cluster(node("a"), node("b")).nodes + cluster(node("a")).nodes)


def test_a_node_more_is_sorted_in_and_leaves_the_other_snapshot_as_it_is():
    before = Snapshot.of(cluster(*MANY))
    (added,) = cluster(node("n05x")).nodes
    after = before.with_node(added)
    assert [info.name for info in after.nodes][5:8] == ["n05", "n05x", "n06"]
    assert (len(before.nodes), len(after.nodes)) == (40, 41)
    assert after.node("n39").name == "n39"
