"""Units made of short texts."""

from __future__ import annotations

from textwrap import dedent

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.inventory import load
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import manifests

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: gpu-1
    labels: {pool: gpu}
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 1}
  - name: cpu-1
    allocatable: {cpu: 16, memory: 64Gi}
priorityClasses:
  - {name: serving, value: 1000}
"""


GPU_NODE = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: gpu-1
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: %d}
priorityClasses:
  - {name: serving, value: 1000}
"""


def world(text: str = NODES) -> ClusterContext:
    if not text:
        return ClusterContext()
    found = (read("inventory.yaml", dedent(text).encode()),)
    return ClusterContext(*load(found)[:1], found, load(found)[1])


def unit(text: str, inventory: str = NODES, budget: int = BUDGET.states, before: str = "") -> ApplySet:
    """A unit; `before` are the manifests of what runs now."""
    old = {one.object: one for one in manifests((read("before.yaml", dedent(before).encode()),))}
    return ApplySet((read("a.yaml", dedent(text).encode()),), world(inventory), budget=budget, before=old)


OF_AUTOSCALERS = ("KLG116", "KLG117")
"""What is said of many an autoscaler, whatever becomes of the pods: only who asks for it gets it."""


def findings(text: str, inventory: str = NODES, code: str = "", budget: int = BUDGET.states, before: str = ""):
    found = unit(text, inventory, budget, before)
    told = check((found,), found.world).findings
    return [one for one in told if (one.code == code if code else one.code not in OF_AUTOSCALERS)]


def deployment(
    *, spec: str = "", pod: str = "", limits: str = "{nvidia.com/gpu: 1}", name: str = "chat", more: str = ""
):
    """A Deployment; the extra lines stand under `spec`, the pod's spec and the container."""

    def lines(text, indent):
        return "".join(f"{' ' * indent}{line}\n" for line in dedent(text).splitlines())

    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: serving}}\nspec:\n"
        f"{lines(spec, 2)}  selector: {{matchLabels: {{app: {name}}}}}\n"
        f"  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      priorityClassName: serving\n"
        f"{lines(pod, 6)}      containers:\n        - name: main\n          image: registry.example.com/main:1\n"
        f"{lines(more, 10)}          resources: {{limits: {limits}}}\n"
    )
