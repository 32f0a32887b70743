"""Clusters with devices, in few words."""

from __future__ import annotations

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod

DRIVER = "gpu.example.com"


def node(name="n", **labels):
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}},
    }


def device(name, *, capacity=None, **attributes):
    kinds = {bool: "bool", int: "int", str: "string"}
    found = {"name": name, "attributes": {key: {kinds[type(value)]: value} for key, value in attributes.items()}}
    return {**found, "capacity": {key: {"value": value} for key, value in (capacity or {}).items()}}


def resource_slice(*devices, name="s", node="n", driver=DRIVER, pool=None, generation=1, count=1, **spec):
    where = {"nodeName": node} if node else {}
    return {
        "kind": "ResourceSlice",
        "metadata": {"name": name},
        "spec": {
            "driver": driver,
            "pool": {"name": pool or node, "generation": generation, "resourceSliceCount": count},
            **where,
            **({"devices": list(devices)} if devices else {}),
            **spec,
        },
    }


def device_class(name="gpu", *expressions, **spec):
    selectors = [{"cel": {"expression": expression}} for expression in expressions]
    return {"kind": "DeviceClass", "metadata": {"name": name}, "spec": {"selectors": selectors, **spec}}


def query(count=1, *expressions, of="gpu", **more):
    found = {"deviceClassName": of, **more}
    if more.get("allocationMode") != "All":
        found["count"] = count
    if expressions:
        found["selectors"] = [{"cel": {"expression": expression}} for expression in expressions]
    return found


def request(name="r", *args, **more):
    return {"name": name, "exactly": query(*args, **more)}


def first_available(name, *queries):
    return {"name": name, "firstAvailable": [{"name": f"a{place}", **one} for place, one in enumerate(queries)]}


def claim(*requests, name="c", constraints=(), **more):
    spec = {"devices": {"requests": list(requests), "constraints": list(constraints)}}
    return {"kind": "ResourceClaim", "metadata": {"name": name, "namespace": "ns"}, "spec": spec, **more}


def held(device_name, *, name=None, by="other", pool="n", driver=DRIVER, **more):
    """A claim that has a device."""
    result = {"request": "r", "driver": driver, "pool": pool, "device": device_name, **more}
    where = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [pool]}]}
    status = {
        "allocation": {"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": [where]}},
        "reservedFor": [{"resource": "pods", "name": by, "uid": by}] if by else [],
    }
    return claim(request(), name=name or f"held-{device_name}", status=status)


def template(*requests, name="t", constraints=()):
    spec = {"spec": {"devices": {"requests": list(requests), "constraints": list(constraints)}}}
    return {"kind": "ResourceClaimTemplate", "metadata": {"name": name, "namespace": "ns"}, "spec": spec}


def pod(*claims, name="p", templates=(), node="", requests=None, **status):
    entries = [{"name": one, "resourceClaimName": one} for one in claims]
    entries += [{"name": one, "resourceClaimTemplateName": one} for one in templates]
    container = {"name": "c", "resources": {"requests": requests or {}}}
    spec = {"containers": [container], "priority": 0, "resourceClaims": entries, "nodeName": node}
    return {"kind": "Pod", "metadata": {"name": name, "namespace": "ns", "uid": name}, "spec": spec, "status": status}


def snapshot(*objects, version="1.36"):
    return Snapshot.of(read_cluster(objects, version=version, complete=True))


def read(value):
    return read_pod(value)
