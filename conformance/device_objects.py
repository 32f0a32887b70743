"""Devices as a driver would publish them, and claims to them, for the cases that are generated."""

from __future__ import annotations

from typing import Any

from conformance.api_client import Object

DRIVER = "gpu.example.com"
DEVICES = "resource.k8s.io/v1"


def device(name: str, model: str = "A100", memory: str = "40Gi", **more: Any) -> Object:
    """A device with a model, the number of its NUMA node and its memory; `more` holds fields as they are."""
    attributes = {"model": {"string": model}, "numa": {"int": more.pop("numa", 0)}, **more.pop("attributes", {})}
    return {"name": name, "attributes": attributes, "capacity": {"memory": {"value": memory}}, **more}


def devices(count: int, **more: Any) -> list[Object]:
    """So many equal devices."""
    return [device(f"gpu-{number}", **more) for number in range(count)]


def resource_slice(pool: str, found: list[Object], *, name: str = "", driver: str = DRIVER, **more: Any) -> Object:
    """A slice of a pool, by default of the node of that name; `generation`, `slices`, and fields as they are."""
    of_pool = {"name": pool, "generation": more.pop("generation", 1), "resourceSliceCount": more.pop("slices", 1)}
    given = {"nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"}
    place: Object = {} if given & set(more) else {"nodeName": pool}
    spec = {"driver": driver, "pool": of_pool, **place, **({"devices": found} if found else {}), **more}
    return {"apiVersion": DEVICES, "kind": "ResourceSlice", "metadata": {"name": name or f"{pool}-gpu"}, "spec": spec}


def device_class(name: str = "gpu", *selectors: str, **more: Any) -> Object:
    """A class, by default of every device of the driver."""
    written = selectors or (f'device.driver == "{DRIVER}"',)
    spec = {"selectors": [{"cel": {"expression": text}} for text in written], **more}
    return {"apiVersion": DEVICES, "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}


def query(count: int = 1, *selectors: str, of: str = "gpu", **more: Any) -> Object:
    """What an `exactly` asks for; a `count` of 0 is all devices."""
    mode: Object = {"allocationMode": "ExactCount", "count": count} if count else {"allocationMode": "All"}
    chosen = {"selectors": [{"cel": {"expression": text}} for text in selectors]} if selectors else {}
    return {"deviceClassName": of, **mode, **chosen, **more}


def request(name: str = "gpu", count: int = 1, *selectors: str, **more: Any) -> Object:
    """A request with `exactly`."""
    return {"name": name, "exactly": query(count, *selectors, **more)}


def first_available(name: str, **alternatives: Object) -> Object:
    """A request with alternatives, the preferred one first."""
    return {"name": name, "firstAvailable": [{"name": key, **value} for key, value in alternatives.items()]}


def claim_spec(*requests: Object, **constraints: tuple[str, ...]) -> Object:
    """The spec of a claim; a constraint is `matchAttribute=("domain/name",)`."""
    found = [{key: name} for key, names in constraints.items() for name in names]
    return {"devices": {"requests": list(requests) or [request()], **({"constraints": found} if found else {})}}


def claim(name: str, spec: Object | None = None, namespace: str = "default") -> Object:
    """A claim that pods name."""
    return {
        "apiVersion": DEVICES,
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec or claim_spec(),
    }


def claim_template(name: str = "gpu", spec: Object | None = None, namespace: str = "default") -> Object:
    """A template from which each pod gets a claim of its own."""
    return {
        "apiVersion": DEVICES,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"spec": spec or claim_spec()},
    }


def using(*names: str, template: bool = True) -> Object:
    """The fields of a pod spec with one container that uses a claim of each name, by template or as it is."""
    key = "resourceClaimTemplateName" if template else "resourceClaimName"
    container = {"name": "main", "image": "registry.invalid/main:1"}
    return {
        "containers": [{**container, "resources": {"claims": [{"name": name} for name in names]}}],
        "terminationGracePeriodSeconds": 30,
        "resourceClaims": [{"name": name, key: name} for name in names],
    }
