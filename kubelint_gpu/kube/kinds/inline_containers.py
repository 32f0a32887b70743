"""Containers that a custom resource writes in its own form, converted to the pod spec that its controller creates."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.plain import at, mapping, sequence

_GPU = "nvidia.com/gpu"
_ALL = [{"operator": "Exists"}]
_SCHEDULING = (
    "affinity",
    "nodeSelector",
    "priorityClassName",
    "resourceClaims",
    "runtimeClassName",
    "schedulerName",
    "tolerations",
    "topologySpreadConstraints",
)


def composed(
    here: dict[str, Any], above: dict[str, Any], row: dict[str, Any], pointer: Pointer
) -> tuple[dict[str, Any], tuple[Pointer, ...]]:
    """The spec of a pod, and the pointers of its requests.

    Args:
        here: the mapping that describes the pod.
        above: the fields of all mappings above it, which replace missing fields of `here` if the row says `inherits`.
        row: `containers`: below `here`, each a container or a mapping with `resources`; empty for `here` itself.
            `scheduling`: the key below `here` with the fields of the pod's spec; empty for `here` itself. `resources`:
            the field of a container with its resources. `under`: the container whose resources these amounts override,
            one by one. `elsewhere`: another object decides where the pods go: they are assumed to tolerate everything.
            `lenient`: so are pods without tolerations.
        pointer: the pointer of `here`.
    """
    fields = mapping(here.get(row["scheduling"])) if row.get("scheduling") else here
    spec = {key: fields[key] for key in _SCHEDULING if key in fields}
    if row.get("inherits"):
        spec = {**{key: above[key] for key in _SCHEDULING if key in above}, **spec}
    if row.get("elsewhere"):
        spec = {"tolerations": _ALL}
    if row.get("lenient") and not spec.get("tolerations"):
        spec["tolerations"] = _ALL
    called, under = row.get("resources", "resources"), tuple(row.get("under", "").split("."))
    containers = list(sequence(fields.get("containers")))
    asks: list[Pointer] = []
    for path in row["containers"]:
        steps = tuple(path.split(".")) if path else ()
        container = at(here, steps)
        if isinstance(container, dict):
            asks.append((*pointer, *steps, called) if called in container else (*pointer, *steps))
            resources = _resources(mapping(container.get(called)))
            if isinstance(at(here, under), dict):
                asks.append((*pointer, *under, "resources"))
                own = _resources(mapping(at(here, (*under, "resources"))))
                resources = {key: {**mapping(own.get(key)), **resources.get(key, {})} for key in (*own, *resources)}
            containers.append(_container(container, f"{path.rpartition('.')[2] or 'main'}".lower(), resources))
    if isinstance(fields.get("initContainers"), list):
        spec["initContainers"] = fields["initContainers"]
    return {**spec, "containers": containers}, tuple(asks)


def _resources(written: dict[str, Any]) -> dict[str, Any]:
    if written and not {"limits", "requests", "claims"} & set(written):
        # amounts without a word on whether they are limits or requests
        written = {"limits": written}
    return {part: _amounts(mapping(written.get(part))) for part in ("limits", "requests") if mapping(written.get(part))}


def _container(value: dict[str, Any], name: str, resources: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "image": "image"}
    gpu = mapping(value.get("gpu"))
    if "quantity" in gpu:
        # SparkApplication: the name of the resource, and how many of it
        resources.setdefault("limits", {})[str(gpu.get("name", _GPU))] = gpu["quantity"]
    if resources:
        found["resources"] = resources
    if isinstance(value.get("ports"), list):
        found["ports"] = value["ports"]
    return found


def _amounts(written: dict[str, Any]) -> dict[str, Any]:
    """Amounts by their full names: `gpu` is short for NVIDIA's, or for the value of `gpuType`."""
    gpu = str(written.get("gpuType") or _GPU)
    plain = {gpu if key == "gpu" else key: value for key, value in written.items() if key not in ("custom", "gpuType")}
    return {**plain, **mapping(written.get("custom"))}
