"""Pins to nodes beside a deadlock."""

from __future__ import annotations

from kubelint_gpu.documents import encode, read
from kubelint_gpu.documents.edits import Edit, apply
from kubelint_gpu.engine.run import check
from kubelint_gpu.inventory import load
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

HEAD = 'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\n'
CLASSES = "priorityClasses: [{name: serving, value: 5, globalDefault: true}]\n"
A100 = "    allocatable: {cpu: 96, memory: 900Gi}\n    gpus: {model: A100-SXM4-80GB, count: 4}\n"
TWO = f"nodes:\n  - name: a-1\n{A100}  - name: a-2\n{A100}"


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


def test_a_deadlock_on_one_pinned_node_offers_the_wider_selector():
    pinned = deployment("nvidia.com/gpu: 4", pod="      nodeSelector:\n        kubernetes.io/hostname: a-1\n")
    found = run(pinned, world(TWO))
    assert [finding.code for finding in found] == ["KLG101", "KLG203"]
    titles = {fix.title: fix for fix in found[0].fixes}
    assert any(title.startswith("set maxSurge: 0") for title in titles), (
        "the pin must not stand in the way of the safe fix"
    )
    wider = titles["select nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, which 1 more node has"]
    assert (wider.verified, wider.safety) == (True, "unsafe")
    reading = read("web.yaml", pinned.encode())
    starts = reading.source.line_starts
    edits = [
        Edit(
            "web.yaml",
            reading.source.span(
                starts[edit.place.line - 1] + edit.place.column - 1,
                starts[edit.place.end_line - 1] + edit.place.end_column - 1,
            ),
            edit.text,
        )
        for edit in wider.edits
    ]
    after = encode(reading.source, apply(reading.source, edits)).decode()
    assert after == pinned.replace("kubernetes.io/hostname: a-1", "nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB")


def test_a_pin_to_the_only_node_of_its_kind_offers_nothing_to_a_deadlock():
    one = f"nodes:\n  - name: a-1\n{A100}"
    pinned = deployment("nvidia.com/gpu: 4", pod="      nodeSelector:\n        kubernetes.io/hostname: a-1\n")
    (finding,) = run(pinned, world(one))
    assert not any("nvidia.com/gpu.product" in fix.title for fix in finding.fixes)
