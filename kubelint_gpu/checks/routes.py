"""Where in an object the fields stand that rules point at."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks.manifest import Manifest
from kubelint_gpu.documents import Pointer

REPLICAS: Pointer = ("spec", "replicas")
STRATEGY: Pointer = ("spec", "strategy")
ROLLING: Pointer = (*STRATEGY, "rollingUpdate")
_NODE_AFFINITY: Pointer = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


def strategy(manifest: Manifest) -> Pointer:
    """What decides how a Deployment rolls: maxUnavailable, or what stands nearest to it."""
    for route in ((*ROLLING, "maxUnavailable"), (*ROLLING, "maxSurge"), ROLLING, STRATEGY):
        if manifest.present(route):
            return route
    return ("spec",)


def replicas(manifest: Manifest) -> Pointer:
    """The number of replicas, or `spec` where it is left to the default."""
    workload = manifest.workload
    for key in ("parallelism", "completions") if workload is not None and "Job" in workload.kind else ():
        if workload is not None and manifest.present((*workload.template_pointer[:-1], key)):
            return (*workload.template_pointer[:-1], key)
    return REPLICAS if manifest.present(REPLICAS) else ("spec",)


def pod_spec(manifest: Manifest) -> Pointer:
    """The spec of the pods."""
    return manifest.workload.spec_pointer if manifest.workload is not None else ("spec",)


def requests(manifest: Manifest, resource: str) -> Iterator[Pointer]:
    """Where containers ask for a resource: the limit where there is one, else the request."""
    base = pod_spec(manifest)
    for key in ("containers", "initContainers"):
        containers = at(manifest, (*base, key))
        for index, _ in enumerate(containers) if isinstance(containers, list) else ():
            for part in ("limits", "requests"):
                route = (*base, key, index, "resources", part, resource)
                if manifest.present(route):
                    yield route
                    break


def selectors(manifest: Manifest) -> Iterator[Pointer]:
    """Where the pods are bound to some nodes: each entry of nodeSelector, and the required node affinity."""
    base = pod_spec(manifest)
    found = at(manifest, (*base, "nodeSelector"))
    for key in found if isinstance(found, dict) else ():
        yield (*base, "nodeSelector", key)
    if manifest.present((*base, *_NODE_AFFINITY)):
        yield (*base, *_NODE_AFFINITY)


def key_values(manifest: Manifest, pointer: Pointer) -> str:
    """An entry of nodeSelector as `key=value`."""
    return f"{pointer[-1]}={at(manifest, pointer)}"


def at(manifest: Manifest, pointer: Pointer) -> object:
    """The value of a field; None where it is absent."""
    value: object = manifest.item.value
    for step in pointer:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value
