"""A cluster whose nodes are shown as a table."""

from __future__ import annotations

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load

CLUSTER = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
metadata: {name: staging}
kubernetesVersion: "1.34"
nodes:
  - name: tracker-node
    allocatable: {cpu: 32, memory: 125Gi}
    gpus: {model: RTX 3090, count: 1}
  - name: t4-a
    capacity: {cpu: 8, memory: 32Gi}
    reserved: {cpu: 90m, memory: 2835Mi}
    gpus: {model: T4, count: 1, sharing: {timeSlicing: {replicas: 4}}}
    taints: ["nvidia.com/gpu=present:NoSchedule"]
    labels: {topology.kubernetes.io/zone: a}
    unhealthy: true
    reason: ECC errors
  - name: mig-1
    unschedulable: true
    allocatable: {vpc.amazonaws.com/efa: 4}
    gpus: {model: A100-SXM4-80GB, count: 8, sharing: {mig: {strategy: mixed, profiles: {1g.10gb: 4, 3g.40gb: 1}}}}
pools:
  - name: worker
    count: 3
    template: {allocatable: {cpu: "32", memory: 125Gi}}
    autoscaling: {min: 1, max: 5}
running:
  - {name: tracker, node: tracker-node, requests: {cpu: 4, memory: 16Gi}, gpus: 1, owner: Deployment/vision/tracker}
  - {name: x, node: t4-a, gpus: 1, count: 3, owner: Deployment/a/b}
"""


def cluster(text=CLUSTER):
    inventory, errors = load([read("c.yaml", text.encode())])
    assert errors == ()
    return inventory
