"""Deployments whose pods name GPUs and nodes."""

from __future__ import annotations

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.inventory import load
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

HEAD = 'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\n'


CLASSES = "priorityClasses: [{name: serving, value: 5, globalDefault: true}]\n"


def world(text):
    readings = (read("inventory.yaml", (HEAD + CLASSES + text).encode()),)
    inventory, errors = load(readings)
    assert [error for error in errors if error.severity == "error"] == []
    return ClusterContext(inventory, readings, errors)


def deployment(resources, *, pod="", kind="Deployment", strategy="", annotations=""):
    workload = "" if kind == "DaemonSet" else "  replicas: 1\n"
    return f"""apiVersion: apps/v1
kind: {kind}
metadata: {{name: web, namespace: team}}
spec:
{workload}{strategy}  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}, annotations: {{{annotations}}}}}
    spec:
{pod}      containers:
        - name: main
          image: web:1
          resources: {{limits: {{{resources}}}}}
"""


def run(text, inventory, *, fixes=True):
    found = check((ApplySet((read("web.yaml", text.encode()),), inventory),), inventory, fixes=fixes)
    assert not found.failed, found.findings
    return found.findings
