"""Manifests and inventories with large numbers in them."""

from __future__ import annotations

import json

MANY = 2**31 - 1


def template(app, gpus=1, **spec):
    """A pod template with one container that asks for GPUs."""
    limits = {"cpu": "1", "memory": "1Gi", **({"nvidia.com/gpu": gpus} if gpus else {})}
    container = {"name": "c", "image": "registry.example.com/a:1", "resources": {"limits": limits}}
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [container], **spec}}


def workload(kind, name, pod, **spec):
    """A workload of the group apps whose selector is the pod's labels."""
    selector = {"matchLabels": pod["metadata"]["labels"]}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"selector": selector, "template": pod, **spec},
    }


def deployment(name, replicas, gpus=1, strategy=None, **spec):
    """A Deployment; `spec` is of its pods."""
    more = {} if strategy is None else {"strategy": strategy}
    return workload("Deployment", name, template(name, gpus, **spec), replicas=replicas, **more)


def job(name, **spec):
    """A Job with one GPU for each pod."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {**spec, "template": template(name, restartPolicy="Never")},
    }


def inventory(nodes=2, gpus=4, **allocatable):
    """A complete cluster of so many nodes in three zones."""
    amounts = {"cpu": 64, "memory": "512Gi", **allocatable}
    declared = [
        {
            "name": f"n-{number}",
            "allocatable": amounts,
            "labels": {"topology.kubernetes.io/zone": f"z{number % 3}"},
            "gpus": {"model": "A100-SXM4-80GB", "count": gpus},
        }
        for number in range(nodes)
    ]
    return {
        "apiVersion": "kubelint-gpu/v1",
        "kind": "ClusterInventory",
        "kubernetesVersion": "1.34",
        "complete": True,
        "nodes": declared,
    }


def written(folder, objects, cluster=None):
    """The files, and the arguments of `check` for them."""
    (folder / "manifests.yaml").write_text("\n---\n".join(json.dumps(one, indent=1) for one in objects))
    if cluster is None:
        return ("check", "manifests.yaml", "--isolated")
    (folder / "inventory.yaml").write_text(json.dumps(cluster))
    return ("check", "manifests.yaml", "--isolated", "-i", "inventory.yaml")
