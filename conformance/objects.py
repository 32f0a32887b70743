"""Objects that cases are made of."""

from __future__ import annotations

from conformance.api_client import Object

GPU = "nvidia.com/gpu"
_PRIORITIES = {"low": 100, "high": 1000, "polite": 1000}
SECOND = {"spec": {"template": {"metadata": {"annotations": {"release": "second"}}}}}
"""A patch that changes a template and nothing that a scheduler looks at."""


def node(name: str, gpus: int, labels: dict[str, str] | None = None, *, cpu: str = "8", pods: int = 110) -> Object:
    """A ready node."""
    amounts = {"cpu": cpu, "memory": "64Gi", "pods": str(pods), **({GPU: str(gpus)} if gpus else {})}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "status": {
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        },
    }


def pod_spec(gpus: int = 0, *, cpu: str = "", **more: object) -> Object:
    """The spec of a pod with one container."""
    container: Object = {"name": "main", "image": "registry.invalid/main:1"}
    if gpus:
        container["resources"] = {"limits": {GPU: str(gpus)}}
    if cpu:
        container.setdefault("resources", {})["requests"] = {"cpu": cpu}
    return {"containers": [container], "terminationGracePeriodSeconds": 30, **more}


def deployment(name: str, replicas: int, spec: Object, **strategy: int | str) -> Object:
    """A Deployment; `strategy` holds maxSurge and maxUnavailable, or type."""
    found: Object = {"replicas": replicas}
    if strategy:
        found["strategy"] = (
            dict(strategy) if "type" in strategy else {"type": "RollingUpdate", "rollingUpdate": dict(strategy)}
        )
    return workload("Deployment", name, found, spec)


def workload(kind: str, name: str, more: Object, spec: Object) -> Object:
    """A workload of an apps kind."""
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            **more,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": spec},
        },
    }


def priority_class(name: str) -> Object:
    """One of the classes that generated cases use; a name has always the same value."""
    found: Object = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": _PRIORITIES[name],
    }
    return {**found, "preemptionPolicy": "Never"} if name == "polite" else found


def job(name: str, parallelism: int, spec: Object) -> Object:
    """A Job whose pods all run at once."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "parallelism": parallelism,
            "completions": parallelism,
            "template": {"metadata": {"labels": {"app": name}}, "spec": {**spec, "restartPolicy": "Never"}},
        },
    }


def volume(claim: str, mode: str) -> list[Object]:
    """A claim and the volume that is bound to it."""
    amount = {"storage": "1Gi"}
    return [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"pv-{claim}"},
            "spec": {
                "capacity": amount,
                "accessModes": [mode],
                "storageClassName": "",
                "persistentVolumeReclaimPolicy": "Retain",
                "csi": {"driver": "disk.invalid", "volumeHandle": claim},
                "claimRef": {"name": claim, "namespace": "default"},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim, "namespace": "default"},
            "spec": {
                "accessModes": [mode],
                "storageClassName": "",
                "volumeName": f"pv-{claim}",
                "resources": {"requests": amount},
            },
        },
    ]
