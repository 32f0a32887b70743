"""Fleets of small clusters for the tests."""

from __future__ import annotations

from kubelint_gpu.capacity.full_cluster import with_all_pods
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.inputs import inputs_of


def node(name, gpus=0, *, zone="a", model="L4", cpu=8):
    """A node of an inventory."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "topology.kubernetes.io/zone": zone,
                **({"nvidia.com/gpu.product": model} if gpus else {}),
            },
        },
        "status": {"allocatable": {"cpu": cpu, "memory": "32Gi", "pods": 110, "nvidia.com/gpu": gpus}},
    }


def running(name, on, gpus, owner=None):
    """A pod that runs, of nobody or of a ReplicaSet."""
    owners = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "controller": True}] if owner else []
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "others", "ownerReferences": owners},
        "spec": {"nodeName": on, "containers": [{"name": "main", "image": "x", **limits(gpus)}]},
        "status": {"phase": "Running"},
    }


def limits(gpus, cpu=1):
    """The resources of a container."""
    return {"resources": {"requests": {"cpu": cpu}, "limits": {"nvidia.com/gpu": gpus} if gpus else {}}}


def workload(name, replicas=1, gpus=1, *, kind="Deployment", cpu=1, strategy=None, **spec):
    """A workload of namespace team."""
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "main", "image": "x", **limits(gpus, cpu)}], **spec},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "team"},
        "spec": {
            **({} if kind == "DaemonSet" else {"replicas": replicas}),
            "selector": {"matchLabels": {"app": name}},
            "template": template,
            **({"strategy": strategy} if strategy else {}),
        },
    }


def budget(name, app, **spec):
    """A PodDisruptionBudget of namespace team."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"selector": {"matchLabels": {"app": app}}, **spec},
    }


def priority(name, value):
    """A PriorityClass."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    }


def laid_out(folder, cluster, manifests):
    """The cluster of some objects."""
    import json

    for name, objects in (("cluster", cluster), ("manifests", manifests)):
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    inventory = str(folder / "cluster.json")
    found = inputs_of(gather([str(folder / "manifests.json")], [inventory]), [inventory], unit="all")
    assert found.usable
    return with_all_pods(found.world, found.units)


def placed(group):
    """How many pods of a workload are on each node."""
    return {name: group.placed.count(name) for name in sorted(set(group.placed))}
