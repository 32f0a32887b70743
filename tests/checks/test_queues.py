"""Workloads that Kueue never admits."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

JOB = """apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: serving
  labels: {kueue.x-k8s.io/queue-name: team}
spec:
  suspend: true
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: x, resources: {requests: {cpu: 2}, limits: {nvidia.com/gpu: 1}}}]
"""
QUEUES = """---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: team, namespace: serving}
spec: {clusterQueue: all}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [cpu, nvidia.com/gpu]
      flavors:
        - name: a
          resources: [{name: cpu, nominalQuota: 3}, {name: nvidia.com/gpu, nominalQuota: 1}]
        - name: b
          resources: [{name: cpu, nominalQuota: 4}, {name: nvidia.com/gpu, nominalQuota: 2}]
"""


def told(text):
    return [one.message.rpartition(":")[0] for one in findings(text) if one.code == "KLG206"]


MANY = ("parallelism: 2", "parallelism: 9")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([], ""),
        ([("clusterQueue: all", "clusterQueue: other")], "its ClusterQueue other is not among these manifests"),
        ([("  namespaceSelector: {}\n", "")], "without namespaceSelector it is for no namespace"),
        ([("[cpu, nvidia.com/gpu]", "[cpu]")], "its pods ask for nvidia.com/gpu, which no resource group covers in"),
        (
            [("nominalQuota: 4", "nominalQuota: 3500m")],
            "it asks for 4 of cpu, and no flavor has more than 3500m in ClusterQueue all",
        ),
        ([MANY], "it asks for 18 of cpu, and no flavor has more than 4 in ClusterQueue all"),
        ([("parallelism: 2", "parallelism: 9\n  completions: 2")], ""),
        ([MANY, ("  resourceGroups:", "  cohort: c\n  resourceGroups:")], ""),
        ([MANY, ("  labels:", "  annotations: {kueue.x-k8s.io/job-min-parallelism: '1'}\n  labels:")], ""),
    ],
)
def test_what_a_queue_does_not_have_is_never_admitted(changes, message):
    text = JOB + QUEUES
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    found = told(text)
    assert len(found) == bool(message)
    assert all(message in one for one in found)


def test_of_a_queue_that_is_declared_twice_nothing_is_said():
    text = (JOB + QUEUES).replace(*MANY)
    assert len(told(text)) == 1
    assert told(text + QUEUES[QUEUES.rindex("---") :]) == []


def test_pods_of_a_deployment_are_admitted_one_by_one():
    labels = "labels: {kueue.x-k8s.io/queue-name: team}"
    text = deployment(spec="replicas: 9").replace("metadata: {", f"metadata: {{{labels}, ", 1)
    assert told(f"{text}{QUEUES}") == []


BOTH = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: serving, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: x, resources: {limits: {nvidia.com/gpu: 2}}}]}}}
    Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: x, resources: {limits: {nvidia.com/gpu: 2}}}]}}}
"""


@pytest.mark.parametrize(
    ("quota", "expected"), [(3, []), (2, ["it asks for 4 of nvidia.com/gpu, and its flavors have only 3"])]
)
def test_the_templates_of_one_object_are_admitted_together(quota, expected):
    queues = QUEUES.replace(
        "{name: nvidia.com/gpu, nominalQuota: 2}", f"{{name: nvidia.com/gpu, nominalQuota: {quota}}}"
    )
    assert [one.partition("Kueue never admits it: ")[2].partition(" in ")[0] for one in told(BOTH + queues)] == expected


@pytest.mark.parametrize(("queue", "number"), [("team", 0), ("nope", 1), ("default", 0), ('"${QUEUE}"', 0)])
def test_a_queue_of_volcano_that_is_not_among_declared_ones_is_told(queue, number):
    job = """apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: serving}
spec:
  queue: %s
  tasks: [{replicas: 1, name: w, template: {spec: {containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]}}}]
"""
    declared = "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: team}\n"
    assert len(told(job % queue + declared)) == number
    assert told(job % queue) == []


def test_an_object_that_stands_twice_asks_for_no_more_than_it_does():
    queues = QUEUES.replace("{name: nvidia.com/gpu, nominalQuota: 2}", "{name: nvidia.com/gpu, nominalQuota: 3}")
    assert told(f"{BOTH}---\n{BOTH}{queues}") == []


def test_what_a_limit_range_adds_is_said():
    limits = (
        "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: serving}\n"
        "spec: {limits: [{type: Container, defaultRequest: {ephemeral-storage: 1Gi}}]}\n"
    )
    (found,) = told(JOB + QUEUES + limits)
    assert "its pods ask for ephemeral-storage (a LimitRange adds it), which" in found


ROLLS = """apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: llm, namespace: serving, labels: {kueue.x-k8s.io/queue-name: team}}
spec:
  replicas: 1
  rolloutStrategy: {rollingUpdateConfiguration: {maxUnavailable: 0, maxSurge: 1}}
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}, limits: {nvidia.com/gpu: 1}}}]}
"""
SERVES = deployment(spec="replicas: 3", limits="{cpu: 1, nvidia.com/gpu: 1}").replace(
    "namespace: serving}", "namespace: serving, labels: {kueue.x-k8s.io/queue-name: team}}", 1
)
ENDLESS = (
    "Kueue admits no new pod of a rollout, which takes 4 of nvidia.com/gpu with the old pods that stay, and its flavors "
    "have only 3"
)


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (SERVES, [], ENDLESS),
        (SERVES, [("nominalQuota: 2}", "nominalQuota: 3}")], ""),
        (SERVES, [("replicas: 3", "replicas: 4")], ""),
        (SERVES, [("replicas: 3", "replicas: 3\n  strategy: {type: Recreate}")], ""),
        (SERVES, [("replicas: 3", "replicas: 3\n  strategy: {rollingUpdate: {maxUnavailable: 1}}")], ""),
        (SERVES, [("  resourceGroups:", "  cohort: c\n  resourceGroups:")], ""),
        (ROLLS, [], ENDLESS),
        (ROLLS, [("maxUnavailable: 0, maxSurge: 1", "maxUnavailable: 1, maxSurge: 0")], ""),
        (ROLLS, [("size: 2", "size: 1")], ""),
    ],
)
def test_new_pods_that_a_queue_has_no_quota_for_beside_the_old_ones(text, changes, message):
    text += QUEUES
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    found = told(text)
    assert len(found) == bool(message)
    assert all(one.startswith(message) for one in found)
