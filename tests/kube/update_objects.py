"""Objects before and after an update."""

from __future__ import annotations

from copy import deepcopy

from kubelint_gpu.documents import read


def parsed(text):
    return read("a.yaml", text.encode()).documents[0].value


def changed(value, path, to):
    copy = deepcopy(value)
    at = copy
    for step in path[:-1]:
        at = at[step]
    if to is None:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return copy


JOB = parsed("""
apiVersion: batch/v1
kind: Job
metadata: {name: finetune}
spec:
  completions: 2
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: "b:1", resources: {limits: {nvidia.com/gpu: 1}}}]
""")


STATEFUL_SET = parsed("""
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: vectors}
spec:
  serviceName: vectors
  replicas: 2
  selector: {matchLabels: {app: vectors}}
  template:
    metadata: {labels: {app: vectors}}
    spec: {containers: [{name: a, image: "b:1"}]}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
""")


POD = parsed("""
apiVersion: v1
kind: Pod
metadata: {name: notebook}
spec:
  activeDeadlineSeconds: 100
  tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]
  containers: [{name: a, image: "b:1", resources: {limits: {nvidia.com/gpu: 1}}}]
""")
