"""Pointers of fields that rules point at."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.documents import Pointer, value_at
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
    """The field that decides how a workload rolls: maxUnavailable, or the nearest written parent."""
    written = controller_of(manifest.workload).strategy_pointers if manifest.workload is not None else ()
    return next((route for route in written if manifest.present(route)), written[-1] if written else ("spec",))


def rolling(manifest: Manifest) -> Pointer:
    """The mapping of maxSurge and maxUnavailable, written or not, for a workload that rolls out."""
    return controller_of(manifest.workload).strategy_pointers[-2] if manifest.workload is not None else ()


def replicas(manifest: Manifest) -> Pointer:
    """The number of replicas, or `spec` if it is not written."""
    workload = manifest.workload
    keys = ("parallelism", "completions") if workload is not None and "Job" in workload.kind else ()
    for key in (*keys, "replicas"):
        if workload is not None and manifest.present((*workload.template_pointer[:-1], key)):
            return (*workload.template_pointer[:-1], key)
    return REPLICAS if manifest.present(REPLICAS) else ("spec",)


def replicas_place(manifest: Manifest) -> Place:
    """The place of that number, or of the key `spec`."""
    found = replicas(manifest)
    return manifest.place(found, "value" if len(found) > 1 else "key")


def pod_spec(manifest: Manifest) -> Pointer:
    """The spec of the pods."""
    return manifest.workload.spec_pointer if manifest.workload is not None else ("spec",)


def requests(manifest: Manifest, resource: str) -> Iterator[Pointer]:
    """Yield where containers request a resource: the limit if there is one, else the request."""
    base = pod_spec(manifest)
    for written in manifest.workload.asks if manifest.workload is not None else ():
        below = [(part, key) for part in ("limits", "requests") for key in (resource, _SHORT)]
        plain = [(_SHORT, _QUANTITY), (resource,), (_SHORT,)]
        yield from [(*written, *one) for one in [*below, *plain] if manifest.present((*written, *one))][:1]
    for key in ("containers", "initContainers"):
        for container in entries(manifest, (*base, key)):
            routes = [(*container, "resources", part, resource) for part in ("limits", "requests")]
            yield from [route for route in routes if manifest.present(route)][:1]


def selectors(manifest: Manifest) -> Iterator[Pointer]:
    """Yield the fields that restrict the pods to nodes: each entry of nodeSelector, and the required node affinity.

    For several terms, which are alternatives, it is the list itself.
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
        yield from ((*one, "key") for one in entries(manifest, (*route, 0, part)))


def terms(manifest: Manifest) -> Pointer:
    """The terms of the required node affinity."""
    return (*pod_spec(manifest), *_NODE_AFFINITY, "nodeSelectorTerms")


def selector_place(manifest: Manifest, route: Pointer) -> Place:
    """The place of one of `selectors`."""
    return manifest.place(route, "key" if route[-1] == "nodeSelectorTerms" else "value")


def host_ports(manifest: Manifest) -> Iterator[Pointer]:
    """Yield the ports that a pod uses on its node: host ports, or container ports with hostNetwork."""
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
    return entries(manifest, (*pod_spec(manifest), "affinity", kind, _REQUIRED))


def pod_affinity_term(manifest: Manifest, kind: str, number: int) -> Pointer:
    """One required term of `podAffinity` or `podAntiAffinity`."""
    return (*pod_spec(manifest), "affinity", kind, _REQUIRED, number)


def priority_class(manifest: Manifest) -> Pointer:
    """The name of the priority class, or the spec of the pods if there is none."""
    base = pod_spec(manifest)
    return (*base, "priorityClassName") if manifest.present((*base, "priorityClassName")) else base


def spread(manifest: Manifest) -> Iterator[Pointer]:
    """Yield the topology spread constraints with DoNotSchedule."""
    for route in entries(manifest, (*pod_spec(manifest), "topologySpreadConstraints")):
        if at(manifest, (*route, "whenUnsatisfiable")) == "DoNotSchedule":
            yield route


def claims(manifest: Manifest) -> Iterator[Pointer]:
    """The names of the claims that the pods mount."""
    volumes = entries(manifest, (*pod_spec(manifest), "volumes"))
    names = ((*route, "persistentVolumeClaim", "claimName") for route in volumes)
    return filter(manifest.present, names)


def resource_claims(manifest: Manifest) -> Iterator[Pointer]:
    """The names of the resource claims and claim templates that the pods reference."""
    named = entries(manifest, (*pod_spec(manifest), "resourceClaims"))
    return filter(manifest.present, ((*route, field) for route in named for field in (CLAIM_NAME, CLAIM_TEMPLATE)))


def key_values(manifest: Manifest, pointer: Pointer) -> str:
    """An entry of nodeSelector as `key=value`."""
    return f"{pointer[-1]}={at(manifest, pointer)}"


def at(manifest: Manifest, pointer: Pointer) -> object:
    """The value of a field; None if it is absent."""
    found: object = value_at(manifest.item.value, pointer)
    return found


def entries(manifest: Manifest, route: Pointer) -> Iterator[Pointer]:
    """The entries of a list; none if there is no list."""
    found = at(manifest, route)
    return ((*route, index) for index in range(len(found) if isinstance(found, list) else 0))


def _each(manifest: Manifest, base: Pointer, key: str) -> Iterator[Pointer]:
    """Yield the entries of a list in each container."""
    for kind in ("containers", "initContainers"):
        for container in entries(manifest, (*base, kind)):
            yield from entries(manifest, (*container, key))
