"""Declared classes, quotas and budgets."""

from __future__ import annotations

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n"


def loaded(text, head=HEAD):
    return load([read("cluster.yaml", (head + text).encode())])


def inventory_of(text):
    inventory, errors = loaded(text)
    assert [error.message for error in errors if error.severity == "error"] == []
    return inventory


def line_of(inventory, kind, name, *pointer):
    declared = next(each for each in inventory.of_kind(kind) if each.name == name)
    return declared.locate(pointer).line


POOL_TEXT = """
pools:
  - name: gpu
    count: 3
    template:
      taints: ["a:NoSchedule"]
      gpus: {model: L4, count: 2}
    autoscaling: {min: 1, max: 5}
"""


RUNNING = """
nodes:
  - {name: m, gpus: {model: L4, count: 2}}
  - name: shared
    gpus: {model: L4, count: 1, sharing: {timeSlicing: {replicas: 4, renameByDefault: true}}}
priorityClasses:
  - {name: research, value: 7, preemptionPolicy: Never}
  - {name: usual, value: 3, globalDefault: true}
running:
  - name: tracker
    node: m
    requests: {cpu: 500m}
    gpus: 1
    owner: Deployment/vision/tracker
    priorityClassName: research
    hostPorts: [80, {port: 53, protocol: UDP}]
  - {name: free, node: shared, gpus: 2, count: 2}
  - {name: fixed, node: m, priority: 9}
  - {name: critical, node: m, priorityClassName: system-node-critical}
  - pod: {metadata: {name: raw}, spec: {nodeName: m, priorityClassName: research, containers: [{name: c, image: i}]}}
"""


def test_fields_of_pods_pools_and_policies_lead_back_to_their_lines():
    running = inventory_of(RUNNING)
    requests = ("spec", "containers", 0, "resources", "requests")
    assert line_of(running, "Pod", "tracker", *requests, "nvidia.com/gpu") == 15
    assert line_of(running, "Pod", "tracker", *requests, "cpu") == 14
    assert line_of(running, "Pod", "tracker", "spec", "priority") == 17
    assert line_of(running, "Pod", "raw", "spec", "nodeName") == 22
    assert line_of(running, "PriorityClass", "usual", "globalDefault") == 10
    pool = inventory_of(POOL_TEXT)
    assert line_of(pool, "Node", "gpu-2", "metadata", "name") == 5
    assert line_of(pool, "Node", "gpu-2", "status", "allocatable", "nvidia.com/gpu") == 9


def test_policies_are_api_objects():
    inventory = inventory_of(
        """namespaces: [{name: vision, labels: {team: ml}}]
resourceQuotas: [{name: q, namespace: vision, hard: {requests.nvidia.com/gpu: 4}, used: {requests.nvidia.com/gpu: 1}}]
podDisruptionBudgets:
  - {name: b, namespace: vision, selector: {matchLabels: {a: b}}, minAvailable: 50%}
  - {name: c, selector: {}, maxUnavailable: 1, disruptionsAllowed: 0}
"""
    )
    values = {each.kind + "/" + each.name: each.value for each in inventory.objects}
    assert values["Namespace/vision"]["metadata"]["labels"]["kubernetes.io/metadata.name"] == "vision"
    assert values["ResourceQuota/q"]["spec"]["hard"] == values["ResourceQuota/q"]["status"]["hard"]
    assert values["PodDisruptionBudget/b"]["spec"]["minAvailable"] == "50%"
    assert "status" not in values["PodDisruptionBudget/b"]
    assert values["PodDisruptionBudget/c"]["status"] == {"disruptionsAllowed": 0}
