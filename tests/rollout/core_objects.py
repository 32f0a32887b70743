"""Workloads and nodes of which only the cores count."""

from __future__ import annotations

from rollout_objects import node

from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.values import replace


def cores(kind, name, cpu, replicas=1, *, update=None, **more):
    spec = {
        "selector": {"matchLabels": {"app": name}},
        "template": {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}], **more},
        },
    }
    if kind != "DaemonSet":
        spec["replicas"] = replicas
    if update is not None:
        spec["strategy" if kind == "Deployment" else "updateStrategy"] = update
    meta = {"name": name, "namespace": "d"}
    found = read_workload({"apiVersion": "apps/v1", "kind": kind, "metadata": meta, "spec": spec})
    return replace(found, spec=replace(found.spec, priority=0))


def of_cores(*cpus, zones=None):
    """Nodes with so many cores each."""
    found = []
    for number, cpu in enumerate(cpus):
        one = node(f"n{number}", gpus=0, zone=zones[number] if zones else "a")
        one["status"]["allocatable"]["cpu"] = str(cpu)
        found.append(one)
    return found
