"""Custom resources whose pods start all or not at all."""

from __future__ import annotations

POD = "{containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: %d}}}]}"


def inventory(*gpus, more=""):
    nodes = "".join(
        f"  - name: n{number}\n    allocatable: {{cpu: 16, memory: 64Gi}}\n    gpus: {{model: L4, count: {count}}}\n"
        for number, count in enumerate(gpus, 1)
    )
    return f"apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\ncomplete: true\nnodes:\n{nodes}{more}"


def torch(name="t", workers=3, gpus=1, *, spec="", pod=POD):
    return (
        f"---\napiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {{name: {name}, namespace: research}}\n"
        f"spec:\n{spec}  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n      template: {{spec: {pod % gpus}}}\n"
        f"    Worker:\n      replicas: {workers}\n      template: {{spec: {pod % gpus}}}\n"
    )


def service(priority="", kind="Deployment"):
    return (
        f"---\napiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: s, namespace: research}}\nspec:\n"
        f"  replicas: 2\n  selector: {{matchLabels: {{app: s}}}}\n  template:\n"
        f"    metadata: {{labels: {{app: s}}}}\n    spec:\n{priority}"
        "      containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]\n"
    )
