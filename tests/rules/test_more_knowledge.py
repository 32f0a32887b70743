"""More knowledge never makes a finding less certain: what cannot change an answer leaves it as it is."""

from __future__ import annotations

from collections import Counter

import pytest

from docs.catalogue.example import examples, outcome
from kubelint_gpu.findings.catalogue import folders

WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: other-%(number)d, namespace: apart}
spec:
  replicas: 1
  selector: {matchLabels: {app: other-%(number)d}}
  template:
    metadata: {labels: {app: other-%(number)d}}
    spec:
      containers: [{name: c, image: i:1, resources: {requests: {cpu: 1m, memory: 1Mi}, limits: {memory: 1Mi}}}]
---
"""
AUTOSCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: other, namespace: apart}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: other-0}
  minReplicas: 1
  maxReplicas: 2
---
"""
PRIORITY_CLASS = """\
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: nobodys}
value: 7
preemptionPolicy: Never
---
"""
UNREACHABLE = """\
apiVersion: v1
kind: Node
metadata: {name: apart-%(number)d, labels: {kubernetes.io/hostname: apart-%(number)d}}
spec: {taints: [{key: apart, effect: NoSchedule}]}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
---
"""
OF_CPU_REQUESTS = "KLG209"
"""A note for pods without CPU requests: it holds if other pods of the unit have some."""
FIRST = {"no-class-declared", "inventory-without-classes", "quantity", "raw-node", "unknown-field"}
"""Examples without any PriorityClass, or without any node that can be read: there the first one is news."""
OTHERS = "".join(WORKLOAD % {"number": number} for number in range(5))
NODES = "".join(UNREACHABLE % {"number": number} for number in range(3))
EXAMPLES = [
    example
    for folder in folders().values()
    for kind in ("bad", "good")
    for example in examples(folder, kind)
    if not example.is_kustomization and example.name not in FIRST
]
OF_ROLLOUTS = [example for example in EXAMPLES if example.kind == "bad" and example.code < "KLG110"]


def found(example, beside="", declared=""):
    """The code, severity, certainty and place of each finding in an example, beside further objects."""
    told = outcome(example, beside=beside.encode(), declared=declared.encode()).findings
    return Counter(
        (one.code, one.severity, one.certainty, one.place)
        for one in told
        if one.place.path not in ("beside.yaml", "declared.yaml") and one.code != OF_CPU_REQUESTS
    )


def assert_unchanged(example):
    """Five workloads with room of their own, an autoscaler of one, a class of nobody, nodes that no pod can reach."""
    more = f"{OTHERS}{AUTOSCALER}{PRIORITY_CLASS}"
    assert found(example, more, NODES if example.inventory else "") == found(example)


@pytest.mark.parametrize("example", OF_ROLLOUTS, ids=str)
def test_what_does_not_matter_changes_no_finding_of_a_rollout(example):
    assert_unchanged(example)


@pytest.mark.thorough
@pytest.mark.parametrize("example", [one for one in EXAMPLES if one not in OF_ROLLOUTS], ids=str)
def test_what_does_not_matter_changes_no_finding(example):
    assert_unchanged(example)


def test_what_matters_changes_findings():
    """The first class that is declared tells that classes are declared."""
    example = next(one for one in examples(folders()["KLG301"], "bad") if one.name == "no-class-declared")
    assert found(example, PRIORITY_CLASS) != found(example)
