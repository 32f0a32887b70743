"""Where in an object the fields stand that rules point at."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.workspace.manifest import Manifest

REPLICAS: Pointer = ("spec", "replicas")
STRATEGY: Pointer = ("spec", "strategy")
UPDATE_STRATEGY: Pointer = ("spec", "updateStrategy")
CLAIM_NAME, CLAIM_TEMPLATE = "resourceClaimName", "resourceClaimTemplateName"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
# how custom resources that write no containers call GPUs
_SHORT = "gpu"
_QUANTITY = "quantity"
_NODE_AFFINITY: Pointer = ("affinity", "nodeAffinity", _REQUIRED)


def strategy(manifest: Manifest) -> Pointer:
    """What decides how a workload rolls: maxUnavailable, or what stands nearest to it."""
    written = controller_of(manifest.workload).strategy_pointers if manifest.workload is not None else ()
    return next((route for route in written if manifest.present(route)), ("spec",))


def rolling(manifest: Manifest) -> Pointer:
    """The mapping that holds maxSurge and maxUnavailable, of a workload that rolls, or would hold them."""
    return controller_of(manifest.workload).strategy_pointers[-2] if manifest.workload is not None else ()


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
    for written in manifest.workload.asks if manifest.workload is not None else ():
        below = [(part, key) for part in ("limits", "requests") for key in (resource, _SHORT)]
        plain = [(_SHORT, _QUANTITY), (resource,), (_SHORT,)]
        yield from [(*written, *one) for one in [*below, *plain] if manifest.present((*written, *one))][:1]
    for key in ("containers", "initContainers"):
        containers = at(manifest, (*base, key))
        for index, _ in enumerate(containers) if isinstance(containers, list) else ():
            for part in ("limits", "requests"):
                route = (*base, key, index, "resources", part, resource)
                if manifest.present(route):
                    yield route
                    break


def selectors(manifest: Manifest) -> Iterator[Pointer]:
    """Where the pods are bound to some nodes: each entry of nodeSelector, and what the required node affinity asks for.

    Of several terms, of which one is enough, it is the list itself.
    """
    base = pod_spec(manifest)
    found = at(manifest, (*base, "nodeSelector"))
    for key in found if isinstance(found, dict) else ():
        yield (*base, "nodeSelector", key)
    route = terms(manifest)
    written = at(manifest, route)
    if not isinstance(written, list) or len(written) != 1:
        if manifest.present((*base, *_NODE_AFFINITY)):
            yield route
        return
    for part in ("matchExpressions", "matchFields"):
        expressions = at(manifest, (*route, 0, part))
        for index in range(len(expressions)) if isinstance(expressions, list) else ():
            yield (*route, 0, part, index, "key")


def terms(manifest: Manifest) -> Pointer:
    """The terms of the required node affinity."""
    return (*pod_spec(manifest), *_NODE_AFFINITY, "nodeSelectorTerms")


def selector_place(manifest: Manifest, route: Pointer) -> Place:
    """The line of one of `selectors`."""
    return manifest.place(route, "key" if route[-1] == "nodeSelectorTerms" else "value")


def host_ports(manifest: Manifest) -> Iterator[Pointer]:
    """The ports that a pod takes on its node: as they are written, or the container's with the host's network."""
    base = pod_spec(manifest)
    shared = at(manifest, (*base, "hostNetwork")) is True
    for route in _each(manifest, base, "ports"):
        written = (*route, "hostPort")
        if at(manifest, written):
            yield written
        elif shared and manifest.present((*route, "containerPort")):
            yield (*route, "containerPort")


def anti_affinity(manifest: Manifest) -> Iterator[Pointer]:
    """The terms of required anti-affinity between pods."""
    return _terms(manifest, "podAntiAffinity")


def affinity(manifest: Manifest) -> Iterator[Pointer]:
    """The terms of required affinity between pods."""
    return _terms(manifest, "podAffinity")


def _terms(manifest: Manifest, kind: str) -> Iterator[Pointer]:
    route = (*pod_spec(manifest), "affinity", kind, _REQUIRED)
    found = at(manifest, route)
    for index in range(len(found)) if isinstance(found, list) else ():
        yield (*route, index)


def pod_affinity_term(manifest: Manifest, kind: str, number: int) -> Pointer:
    """One term of what is required of `podAffinity` or `podAntiAffinity`."""
    return (*pod_spec(manifest), "affinity", kind, _REQUIRED, number)


def priority_class(manifest: Manifest) -> Pointer:
    """The name of the priority class, or the spec of the pods where there is none."""
    base = pod_spec(manifest)
    return (*base, "priorityClassName") if manifest.present((*base, "priorityClassName")) else base


def spread(manifest: Manifest) -> Iterator[Pointer]:
    """The topology spread constraints that must hold."""
    route = (*pod_spec(manifest), "topologySpreadConstraints")
    constraints = at(manifest, route)
    for index in range(len(constraints)) if isinstance(constraints, list) else ():
        if at(manifest, (*route, index, "whenUnsatisfiable")) == "DoNotSchedule":
            yield (*route, index)


def claims(manifest: Manifest) -> Iterator[Pointer]:
    """The names of the claims that the pods mount."""
    route = (*pod_spec(manifest), "volumes")
    volumes = at(manifest, route)
    for index in range(len(volumes)) if isinstance(volumes, list) else ():
        name = (*route, index, "persistentVolumeClaim", "claimName")
        if manifest.present(name):
            yield name


def resource_claims(manifest: Manifest) -> Iterator[Pointer]:
    """The names of the claims for devices that pods name, and of the templates of those that are made for them."""
    route = (*pod_spec(manifest), "resourceClaims")
    entries = at(manifest, route)
    for index in range(len(entries)) if isinstance(entries, list) else ():
        for field in (CLAIM_NAME, CLAIM_TEMPLATE):
            if manifest.present((*route, index, field)):
                yield (*route, index, field)


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


def _each(manifest: Manifest, base: Pointer, key: str) -> Iterator[Pointer]:
    """The entries of a list that containers have."""
    for kind in ("containers", "initContainers"):
        containers = at(manifest, (*base, kind))
        for number in range(len(containers)) if isinstance(containers, list) else ():
            route = (*base, kind, number, key)
            entries = at(manifest, route)
            for index in range(len(entries)) if isinstance(entries, list) else ():
                yield (*route, index)
