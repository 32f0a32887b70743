"""Topologies of Kueue whose levels no node has."""

from __future__ import annotations

import pytest
from checks_units import findings

TOPOLOGY = """apiVersion: kueue.x-k8s.io/v1beta1
kind: Topology
metadata: {name: racks}
spec:
  levels:
    - nodeLabel: block
    - nodeLabel: rack
    - nodeLabel: kubernetes.io/hostname
"""
NODES = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
complete: true
nodes:
  - {name: a, labels: {block: one, rack: one}, allocatable: {cpu: 8}}
  - {name: b, labels: {block: two}, allocatable: {cpu: 8}}
"""


def told(text, inventory=NODES):
    return [(one.place.line, one.severity, one.message) for one in findings(text, inventory, "KLG405")]


def test_a_topology_of_labels_that_a_node_has_is_silent():
    assert told(TOPOLOGY) == []


@pytest.mark.parametrize(
    ("text", "nodes", "message"),
    [
        (TOPOLOGY.replace("rack\n", "rak\n"), NODES, "no node has the label rak: "),
        (
            TOPOLOGY,
            NODES.replace("{block: one, rack: one}", "{rack: one}"),
            "no node that has the labels of the levels before has the label rack: ",
        ),
    ],
)
def test_the_level_from_which_on_no_node_has_all_labels_is_told(text, nodes, message):
    assert told(text, nodes) == [(7, "error", f"{message}Kueue places no pod by this topology")]


def test_it_is_possible_only_if_there_may_be_more_nodes():
    (found,) = told(TOPOLOGY.replace("rack\n", "rak\n"), NODES.replace("complete: true", "complete: false"))
    assert found[1] == "warning"


@pytest.mark.parametrize("other", ["example.com/v1", "topology.node.k8s.io/v1alpha1"])
def test_topologies_of_others_are_left_alone(other):
    assert told(TOPOLOGY.replace("kueue.x-k8s.io/v1beta1", other).replace("rack\n", "rak\n")) == []


def test_nothing_is_said_without_nodes():
    assert told(TOPOLOGY, "") == []


@pytest.mark.parametrize("level", ["[rack]", "{a: b}", "3", "null"])
def test_a_level_that_is_no_label_is_left_to_the_api_server(level):
    assert told(TOPOLOGY.replace("nodeLabel: rack", f"nodeLabel: {level}")) == []
    assert told(TOPOLOGY.replace("- nodeLabel: rack", f"- {level}")) == []
