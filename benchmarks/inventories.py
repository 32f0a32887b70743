"""Generates clusters of any size: nodes, the variety of their labels, the pods that run on them, and workloads."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

GPUS = ("NVIDIA-A100-SXM4-80GB", "NVIDIA-H100-80GB-HBM3", "Tesla-T4", "NVIDIA-L4")
ZONES = ("a", "b", "c", "d", "e")
TEAMS = ("vision", "nlp", "infra", "web", "batch")


def nodes(count: int, classes: int = 1) -> Iterator[dict[str, Any]]:
    """`count` nodes in `classes` kinds that differ in labels, GPUs and taints; each has a host name of its own."""
    for number in range(count):
        kind = number % classes
        gpus = (8, 4, 2, 0)[kind % 4]
        labels = {
            "kubernetes.io/hostname": f"node-{number:05}",
            "kubernetes.io/arch": "amd64",
            "topology.kubernetes.io/zone": ZONES[kind % 5],
            "pool": f"pool-{kind}",
        }
        amounts = {"cpu": "96", "memory": "768Gi", "ephemeral-storage": "1Ti", "pods": "110"}
        taints = []
        if gpus:
            labels |= {"nvidia.com/gpu.product": GPUS[kind % 4], "nvidia.com/gpu.count": str(gpus)}
            amounts["nvidia.com/gpu"] = str(gpus)
            taints = [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"node-{number:05}", "labels": labels},
            "spec": {"taints": taints},
            "status": {"allocatable": amounts},
        }


def running(count: int, classes: int = 1, per_node: int = 10, *, different: bool = False) -> Iterator[dict[str, Any]]:
    """The pods on such nodes; nodes of one kind hold equal pods, unless every node is to be `different`."""
    for number in range(count):
        kind = number % classes
        gpus = (8, 4, 2, 0)[kind % 4]
        for place in range(per_node):
            cpu = 1000 + 100 * place + (number if different else 0)
            name, gpu = f"run-{number:05}-{place}", 1 if place < gpus // 2 else 0
            yield pod(name, TEAMS[place % 5], f"app-{kind % 8}-{place}", cpu, gpu, 100 * (place % 3)) | {
                "status": {"phase": "Running", "startTime": f"2026-01-{1 + number % 28:02}T00:00:{place:02}Z"}
            }


def pod(name: str, namespace: str, app: str, cpu: int, gpus: int, priority: int, **spec: Any) -> dict[str, Any]:
    """One pod."""
    requests = {"cpu": f"{cpu}m", "memory": "8Gi"} | ({"nvidia.com/gpu": str(gpus)} if gpus else {})
    number = name.split("-")[1]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": app, "pod-template-hash": f"{app}-1"}},
        "spec": {
            "nodeName": f"node-{number}" if name.startswith("run-") else "",
            "priority": priority,
            "containers": [{"name": "main", "resources": {"requests": requests, "limits": requests}}],
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}] if gpus else [],
            **spec,
        },
    }


def workloads(count: int, classes: int = 1, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Incoming pods of many shapes: most want GPUs, some a pool, some spread or keep apart; about half fit nowhere."""
    random = Random(seed)
    for number in range(count):
        spec: dict[str, Any] = {}
        namespace, app = random.choice(TEAMS), f"app-{number % 8}-{number % 10}"
        shape = number % 10
        if shape in (1, 2, 3):
            spec["nodeSelector"] = {"pool": f"pool-{random.randrange(classes + 2)}"}
        if shape in (3, 4):
            spec["affinity"] = {"nodeAffinity": required_nodes(random)}
        if shape == 5:
            spec["topologySpreadConstraints"] = [spread(app, "topology.kubernetes.io/zone")]
        if shape == 6:
            spec["affinity"] = {"podAntiAffinity": required_pods(app, "kubernetes.io/hostname")}
        if shape == 7:
            spec["topologySpreadConstraints"] = [spread(app, "kubernetes.io/hostname")]
        gpus = (0, 1, 2, 4, 8, 16)[random.randrange(6)]
        cpu = random.choice((500, 4000, 32000, 90000, 128000))
        yield pod(f"new-{number}", namespace, app, cpu, gpus, random.choice((0, 50, 150)), **spec)


def required_nodes(random: Random) -> dict[str, Any]:
    expression = {"key": "nvidia.com/gpu.product", "operator": "In", "values": random.sample(GPUS, 2)}
    terms = [{"matchExpressions": [expression]}]
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}


def required_pods(app: str, topology: str) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": topology}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}


def spread(app: str, topology: str) -> dict[str, Any]:
    selector = {"matchLabels": {"app": app}}
    return {"maxSkew": 1, "topologyKey": topology, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
