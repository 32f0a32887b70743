"""Gangs that never have as many pods as must start together."""

from __future__ import annotations

import pytest
from checks_units import findings
from counted_calls import calls_of

from kubelint_gpu.kube.objects.collective import pod_groups

GROUP = """apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: pg, namespace: ml}
spec: {minMember: 3}
---
"""
JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  parallelism: 2
  completions: 2
  template:
    metadata: {annotations: {scheduling.k8s.io/group-name: pg}}
    spec:
      schedulerName: volcano
      restartPolicy: Never
      containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]
"""
TASKS = """apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  schedulerName: volcano
  minAvailable: 3
  tasks:
    - {name: a, replicas: 1, template: {spec: {containers: [{name: c, image: x}]}}}
    - {name: b, replicas: 1, template: {spec: {containers: [{name: c, image: x}]}}}
"""
MPI = """apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: pi, namespace: ml}
spec:
  launcherCreationPolicy: WaitForWorkersReady
  runPolicy: {schedulingPolicy: {minAvailable: 3}}
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: c, image: x}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: c, image: x}]}}}
"""
SERVE = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: serve
  namespace: ml
  annotations: {scheduling.volcano.sh/group-min-member: "2"}
spec:
  replicas: 2
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      schedulerName: volcano
      containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]
"""
STATEFUL = SERVE.replace("Deployment", "StatefulSet").replace("replicas: 2", "replicas: 2\n  serviceName: s")
NEVER = "no pod of it is ever placed"


def told(text, inventory=""):
    return [one.message for one in findings(text, inventory) if one.cause.startswith("minimum ")]


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (GROUP + JOB, [], f"minMember is 3, and its members are at most 2 pods (Job ml/train): {NEVER}"),
        (GROUP + JOB, [("minMember: 3", "minMember: 2")], ""),
        (GROUP + JOB, [("group-name: pg", "group-name: other")], ""),
        (GROUP + JOB, [("parallelism: 2", "parallelism: 2\n  suspend: true")], "at most 2 pods (Job ml/train)"),
        (TASKS, [], "minAvailable is 3, and its tasks have at most 2 pods: the webhook of Volcano refuses it"),
        (TASKS, [("minAvailable: 3", "minAvailable: 2")], ""),
        (MPI, [], f"minAvailable is 3, and before the launcher is made there are at most 2 pods: {NEVER}"),
        (MPI, [("  launcherCreationPolicy: WaitForWorkersReady\n", "")], ""),
        (
            MPI,
            [("minAvailable: 3", "queue: default")],
            f"before the launcher is made there are at most 2 pods: {NEVER}",
        ),
        (MPI, [("  runPolicy: {schedulingPolicy: {minAvailable: 3}}\n", "")], ""),
        (
            MPI,
            [
                ("  runPolicy: {schedulingPolicy: {minAvailable: 3}}\n", ""),
                ("2, template: {spec: {", "2, template: {spec: {schedulerName: kai, "),
            ],
            "minAvailable is 3 by default",
        ),
        (MPI, [("minAvailable: 3", "minAvailable: 2")], ""),
        (SERVE, [], "a group of its own, has at most 1 pod until one of them is ready: no rollout of it ends"),
        (SERVE, [("replicas: 2", "replicas: 1")], f"group-min-member is 2, and it has at most 1 pod: {NEVER}"),
        (SERVE, [("replicas: 2", "replicas: 2\n  strategy: {type: Recreate}")], ""),
        (SERVE, [("replicas: 2", "replicas: 2\n  strategy: {rollingUpdate: {maxSurge: 100%}}")], ""),
        (SERVE, [("replicas: 2", "replicas: 2\n  strategy: {rollingUpdate: {maxUnavailable: 1}}")], ""),
        (SERVE, [("      schedulerName: volcano\n", "")], ""),
        (STATEFUL, [], f"as it is OrderedReady it has at most 1 pod until that is ready: {NEVER}"),
        (STATEFUL, [("replicas: 2", "replicas: 2\n  podManagementPolicy: Parallel")], ""),
    ],
)
def test_a_minimum_above_the_pods_that_there_ever_are(text, changes, message):
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    found = told(text)
    assert len(found) == bool(message)
    assert all(message in one for one in found)


def test_each_workload_is_asked_once_for_its_groups():
    text = "".join(
        f"{GROUP}{JOB}---\n".replace("pg", f"pg-{number}").replace("train", f"t-{number}") for number in range(4)
    )
    with calls_of(pod_groups) as calls:
        found = findings(text, code="KLG113")
    assert [one.object for one in found] == [f"PodGroup/ml/pg-{number}" for number in range(4)]
    assert len(calls) == 4
