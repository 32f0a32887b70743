"""DaemonSets that a taint keeps from some of the GPU nodes that they choose by label."""

from __future__ import annotations

import pytest
from checks_units import findings

DAEMON = """apiVersion: apps/v1
kind: DaemonSet
metadata: {name: metrics, namespace: ml}
spec:
  selector: {matchLabels: {app: metrics}}
  template:
    metadata: {labels: {app: metrics}}
    spec:
      nodeSelector: {pool: gpu}
      containers: [{name: main, image: x}]
"""
NODES = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - {name: a, labels: {pool: gpu}, allocatable: {cpu: 8, nvidia.com/gpu: 1}}
  - {name: b, labels: {pool: gpu}, taints: ["kind=batch:NoSchedule"], allocatable: {cpu: 8, nvidia.com/gpu: 1}}
"""
TAINT = "kind=batch:NoSchedule"


def told(text=DAEMON, inventory=NODES):
    return [(one.severity, one.message) for one in findings(text, inventory, "KLG202")]


def test_a_gpu_node_that_it_chooses_and_does_not_tolerate_is_a_note():
    message = f"it makes no pod on b, which it chooses by label: it does not tolerate {TAINT}"
    assert told() == [("note", message)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("      nodeSelector: {pool: gpu}\n", ""),
        ("      nodeSelector: {pool: gpu}\n", "      nodeSelector: {kubernetes.io/os: linux}\n"),
        ("      containers:", "      tolerations: [{operator: Exists}]\n      containers:"),
        ("kind: DaemonSet", "kind: Deployment"),
    ],
)
def test_it_is_silent_where_the_label_or_the_toleration_says_otherwise(old, new):
    assert told(DAEMON.replace(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            f'taints: ["{TAINT}"], allocatable: {{cpu: 8, nvidia.com/gpu: 1}}',
            f'taints: ["{TAINT}"], allocatable: {{cpu: 8}}',
        ),
        (TAINT, "node.kubernetes.io/unreachable:NoExecute"),
        (TAINT, "kind=batch:PreferNoSchedule"),
    ],
)
def test_nodes_without_gpus_or_with_a_passing_taint_are_left_alone(old, new):
    assert NODES.replace(old, new) != NODES
    assert told(inventory=NODES.replace(old, new)) == []


def test_what_makes_no_pod_at_all_is_told_once():
    (found,) = told(inventory=NODES.replace("labels: {pool: gpu}, allocatable", "labels: {pool: cpu}, allocatable"))
    assert found[0] == "error"
