"""What there may be beyond the inventory."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

OPEN = """
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
complete: false
nodes:
  - name: n1
    labels: {kubernetes.io/hostname: n1, zone: a, gpu: l4}
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 1}
  - name: n2
    labels: {kubernetes.io/hostname: n2, zone: a}
    allocatable: {cpu: 16, memory: 64Gi}
priorityClasses:
  - {name: serving, value: 1000}
"""
PIN = "nodeSelector: {kubernetes.io/hostname: n1}"


def quota(most, key="requests.nvidia.com/gpu"):
    return (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
        f'spec: {{hard: {{{key}: "{most}"}}}}\n'
    )


def only(found, code):
    (one,) = [one for one in found if one.code == code]
    return one


@pytest.mark.parametrize(
    ("text", "code", "certainty"),
    [
        (deployment(spec="replicas: 2", pod=PIN), "KLG109", "certain"),
        (deployment(spec="replicas: 2"), "KLG109", "possible"),
        (deployment(spec="replicas: 2", limits="{cpu: 1}") + quota(1, "pods"), "KLG109", "certain"),
        (
            deployment(spec="replicas: 2\nserviceName: chat", pod=PIN).replace("kind: Deployment", "kind: StatefulSet"),
            "KLG111",
            "certain",
        ),
        (
            deployment(spec="replicas: 2\nserviceName: chat").replace("kind: Deployment", "kind: StatefulSet"),
            "KLG111",
            "possible",
        ),
    ],
    ids=["bound", "free", "quota", "set-bound", "set-free"],
)
def test_replicas_that_no_further_node_takes_are_too_many_for_certain(text, code, certainty):
    assert only(findings(text, OPEN), code).certainty == certainty
