"""Raw objects beside the concise form."""

from __future__ import annotations

import json

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load

CONCISE = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - name: tracker-node
    kubeletVersion: v1.34.1+k3s1
    allocatable: {cpu: 32, memory: 131072000Ki, ephemeral-storage: 209715200Ki}
    gpus: {model: GeForce RTX 3090, count: 1}
pools:
  - name: gpu
    count: 3
    namePattern: gpu-{}
    template:
      kubeletVersion: v1.34.1+k3s1
      allocatable: {cpu: 32, memory: 131072000Ki, ephemeral-storage: 209715200Ki}
      gpus: {model: A100-PCIE-40GB, count: 2}
  - name: worker
    count: 6
    template:
      kubeletVersion: v1.34.1+k3s1
      allocatable: {cpu: 32, memory: 131072000Ki, ephemeral-storage: 209715200Ki}
"""


def raw_node(name, labels=None, allocatable=None, annotations=None):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels or {}, "annotations": annotations or {}},
        "spec": {},
        "status": {
            "allocatable": {"cpu": "32", "memory": "131072000Ki", "ephemeral-storage": "209715200Ki", "pods": "110"}
            | (allocatable or {}),
            "nodeInfo": {"kubeletVersion": "v1.34.1+k3s1"},
        },
    }


def raw_pod(name, node, requests=None, phase="Running", **spec):
    container = {"name": "c", "image": "i", "resources": {"requests": requests or {}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "d"},
        "spec": {"nodeName": node, "priority": 0, "containers": [container], **spec},
        "status": {"phase": phase},
    }


def loaded(*objects, more=""):
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
    readings = [read("raw.json", text.encode()), *([read("more.yaml", more.encode())] if more else [])]
    return load(readings)
