"""The rows of the table: nodes that are alike stand in one."""

from __future__ import annotations

import json

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.inventory.view.table import to_json

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


def test_the_data_says_the_same_and_is_json():
    data = to_json(cluster())
    assert json.loads(json.dumps(data)) == data
    tracker = next(found for found in data["classes"] if found["nodes"] == ["tracker-node"])
    assert tracker["free"]["cpu"] == "28"
    assert tracker["allocatable"]["ephemeral-storage"] is None
    assert tracker["running"] == [
        {
            "owner": "vision/tracker",
            "pods": 1,
            "requests": {"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": "1"},
        }
    ]
    assert data["pools"] == [{"name": "worker", "nodes": ["worker-1", "worker-2", "worker-3"], "min": 1, "max": 5}]


def test_a_label_that_is_different_on_every_node_makes_no_classes_and_a_zone_does():
    nodes = "".join(
        f"  - {{name: n{n}, labels: {{id: x{n}, topology.kubernetes.io/zone: z{n % 2}}}}}\n" for n in range(6)
    )
    head = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes:\n"
    classes = to_json(cluster(head + nodes))["classes"]
    assert [found["nodes"] for found in classes] == [["n0", "n2", "n4"], ["n1", "n3", "n5"]]
