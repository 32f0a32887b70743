"""Inventories of a few declarations."""

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


def node(text):
    """The value of the only node, from the lines below `- name: m`."""
    (declared,) = inventory_of(f"nodes:\n  - name: m\n    {text}\n").of_kind("Node")
    return declared.value


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
