"""Devices, claims and workloads that ask for them."""

from __future__ import annotations

from rollout_objects import node, workload

DRIVER = "gpu.example.com"


CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu"},
    "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{DRIVER}'"}}]},
}


SURGE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}


IN_PLACE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


RECREATE = {"type": "Recreate"}


def slices(name, *models, pool=None, **where):
    devices = [
        {"name": f"gpu-{number}", "attributes": {"model": {"string": model}} if model else {}}
        for number, model in enumerate(models)
    ]
    spec = {"driver": DRIVER, "pool": {"name": pool or name, "generation": 1, "resourceSliceCount": 1}}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": name},
        "spec": {**spec, **(where or {"nodeName": name}), "devices": devices},
    }


def asking(count=1, model="", **more):
    exactly = {"deviceClassName": "gpu", "count": count, **more}
    if model:
        exactly["selectors"] = [{"cel": {"expression": f"device.attributes['{DRIVER}'].model == '{model}'"}}]
    return {"devices": {"requests": [{"name": "r", "exactly": exactly}]}}


def template(name, spec):
    meta = {"name": name, "namespace": "d"}
    return {
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": meta, "spec": {"spec": spec}
    }  # fmt: skip


def claim(name, spec, **status):
    meta = {"name": name, "namespace": "d"}
    return {
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": meta, "spec": spec, "status": status
    }  # fmt: skip


def by(name, replicas=1, update=None, kind="Deployment", claim="", template="", **spec):
    """A workload whose pods have a claim made from a template, or name one."""
    entry = {"resourceClaimName": claim} if claim else {"resourceClaimTemplateName": template}
    return workload(
        kind, name, replicas, 0, update=update or SURGE, resourceClaims=[{"name": "c", **entry}], **spec
    )  # fmt: skip


def plain(name, cpu="", **more):
    found = node(name, 0, **more)
    if cpu:
        found["status"]["allocatable"]["cpu"] = cpu
    return found
