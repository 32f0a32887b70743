"""Which claims a pod uses, and what keeps it from being scheduled at all.

Source: `foreachPodResourceClaim` of the plugin and k8s.io/dynamic-resource-allocation/resourceclaim, 1.34 and 1.36.
A pod whose claim is not generated yet is judged with the claim that the resource claim controller creates from the
template; without the template there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubelint_gpu.kube.dra.claim import (
    EXTENDED_ENTRY,
    ClaimSpec,
    DeviceQuery,
    DeviceRequest,
    ResourceClaim,
    ResourceClaimTemplate,
)
from kubelint_gpu.kube.dra.device_class import DeviceClass
from kubelint_gpu.kube.dra.pod_claims import PodClaim, pod_claims
from kubelint_gpu.kube.objects.meta import Meta, OwnerReference
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Container, Pod, PodSpec
from kubelint_gpu.kube.objects.requests import is_served_by_devices, pod_requests
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.kube.values.quantity import scheduler_units
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.claim_requests import Matcher
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import SliceIndex, slice_index
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import Features, features_of, served_by_classes
from kubelint_gpu.values import Value, replace

ADMIN_LABEL = "resource.kubernetes.io/admin-access"
NOT_CREATED = 'pod "{pod}": ResourceClaim not created yet'
UNSUPPORTED = 'pod "{pod}", spec.resourceClaim "{name}": none of the supported fields are set'
NOT_FOUND = 'could not find ResourceClaim "{claim}"'
DELETING = 'resourceclaim "{name}" is being deleted'
NOT_OWNER = "ResourceClaim {claim} was not created for {kind} {pod} ({kind} is not owner)"


class Objects(Value):
    """The DRA objects of a cluster by name.

    Attributes:
        claims: by `namespace/name`.
        templates: by `namespace/name`.
        classes: by name.
        by_resource: the class behind each extended resource; empty if the release does not support that.
        slices: by node and pool.
        features: those of the release.
    """

    claims: Mapping[str, ResourceClaim]
    templates: Mapping[str, ResourceClaimTemplate]
    classes: Mapping[str, DeviceClass]
    by_resource: Mapping[str, DeviceClass]
    slices: SliceIndex
    features: Features

    def matcher(self) -> Matcher:
        """The matcher of requests and devices, with its cache."""
        return Matcher(self.classes, shareable=self.features.betas)


class Refused(Exception):  # noqa: N818 - it carries a reason
    """No attempt can succeed; the text is the scheduler's."""


def objects_of(snapshot: Snapshot) -> Objects:
    """The objects of a snapshot's cluster, indexed once."""
    return snapshot.static("devices", _objects)


def _objects(snapshot: Snapshot) -> Objects:
    cluster, features = snapshot.cluster, features_of(snapshot.behaviour)
    # the API server refuses claims for administration there; a namespace that is not declared may allow them
    refused = {one.name for one in cluster.namespaces if one.labels.get(ADMIN_LABEL) != "true"}
    return Objects(
        {
            claim.key: replace(claim, spec=kept_spec(claim.spec, features))
            for claim in cluster.resource_claims
            if claim.meta.uid or claim.meta.namespace not in refused or not _is_for_admin(claim.spec)
        },
        {
            found.key: replace(found, spec=kept_spec(found.spec, features))
            for found in cluster.claim_templates
            if found.meta.uid or found.meta.namespace not in refused or not _is_for_admin(found.spec)
        },
        {found.name: found for found in cluster.device_classes},
        served_by_classes(cluster),
        slice_index(cluster.resource_slices, cluster.device_taint_rules, features),
        features,
    )


def _is_for_admin(spec: ClaimSpec) -> bool:
    return any(query.admin for query in spec.queries)


def kept_spec(spec: ClaimSpec, features: Features) -> ClaimSpec:
    """The fields of a claim that the API server of a release keeps: without capacity requests before 1.36.

    `distinctAttribute` stays. Source: `dropDisabledDRAResourceClaimConsumableCapacityFields`, 1.34.1, which empties
    copies of the constraints.
    """
    if features.betas:
        return spec
    requests = tuple(
        replace(
            request,
            exactly=_without_capacity(request.exactly) if request.exactly is not None else None,
            first_available=tuple(map(_without_capacity, request.first_available)),
        )
        for request in spec.requests
    )
    return replace(spec, requests=requests)


def _without_capacity(query: DeviceQuery) -> DeviceQuery:
    return replace(query, capacity=EMPTY, has_capacity=False) if query.has_capacity else query


def claims_of(pod: Pod, objects: Objects) -> tuple[ResourceClaim, ...]:
    """The claims of a pod, in the order of its spec.

    Raises:
        Refused: a claim is missing, is being deleted, or belongs to another pod.
    """
    found = [_claim(pod, entry, objects) for entry in pod_claims(pod)]
    return tuple(claim for claim in found if claim is not None)


def _claim(pod: Pod, entry: PodClaim, objects: Objects) -> ResourceClaim | None:
    if entry.claim is not None:
        return _existing(pod, entry.claim, objects, owned=False)
    if entry.template is None:
        if entry.name == EXTENDED_ENTRY:
            return None
        raise Refused(UNSUPPORTED.format(pod=pod.key, name=entry.name))
    if entry.name in pod.claim_statuses:
        made = pod.claim_statuses[entry.name]
        return None if made is None else _existing(pod, made, objects, owned=True)
    template = objects.templates.get(f"{pod.meta.namespace}/{entry.template}")
    if template is None:
        raise Refused(NOT_CREATED.format(pod=pod.key))
    return made_claim(pod, entry.name, template)


def made_claim(pod: Pod, name: str, template: ResourceClaimTemplate) -> ResourceClaim:
    """The claim that the resource claim controller creates for a pod, with a fixed name, not a generated one."""
    owner = OwnerReference("Pod", pod.meta.name, pod.meta.uid)
    meta = Meta(f"{pod.meta.name}-{name}", pod.meta.namespace, f"{pod.meta.uid}-{name}", owner=owner)
    return ResourceClaim(meta, template.spec)


def _existing(pod: Pod, name: str, objects: Objects, *, owned: bool) -> ResourceClaim:
    key = f"{pod.meta.namespace}/{name}"
    claim = objects.claims.get(key)
    if claim is None:
        raise Refused(NOT_FOUND.format(claim=key))
    if claim.meta.terminating:
        raise Refused(DELETING.format(name=name))
    if owned and not claim.meta.is_made_for(pod.meta):
        kind = "Pod" if objects.features.betas else "pod"
        raise Refused(NOT_OWNER.format(claim=key, kind=kind, pod=pod.key))
    return claim


SPECIAL_CLAIM = "<extended-resources>"


def asked_resources(
    spec: PodSpec, by_resource: Mapping[str, DeviceClass], *, pod_level: bool
) -> tuple[tuple[str, int], ...]:
    """The extended resources of a pod; empty if no class serves any of them."""
    if not by_resource:
        return ()
    asked = pod_requests(spec, pod_level=pod_level).items()
    found = tuple((name, amount) for name, amount in asked if amount and is_served_by_devices(name))
    return found if any(name in by_resource for name, _ in found) else ()


def from_devices(
    asked: Sequence[tuple[str, int]], by_resource: Mapping[str, DeviceClass], node: Node
) -> frozenset[str] | None:
    """The resources that a node serves by devices; None if the node does not serve one of them at all."""
    found = set()
    for name, _ in asked:
        if name in by_resource and not node.allocatable.get(name, 0):
            found.add(name)
        elif name not in node.allocatable:
            return None
    return frozenset(found)


def special_claim(pod: Pod, resources: frozenset[str], by_resource: Mapping[str, DeviceClass]) -> ResourceClaim:
    """The claim that the scheduler creates for the resources that a node serves by devices."""
    containers = (*pod.spec.init_containers, *pod.spec.containers)
    initial = len(pod.spec.init_containers)
    requests: list[DeviceRequest] = []
    for name in sorted(resources):
        requests += _requests(containers, initial, name, by_resource[name].name)
    requests.sort(key=lambda request: request.name)
    return ResourceClaim(Meta(SPECIAL_CLAIM, pod.meta.namespace), ClaimSpec(tuple(requests)))


def _requests(containers: Sequence[Container], initial: int, resource: str, device_class: str) -> list[DeviceRequest]:
    """One request for each running container; init containers share its devices, and need the maximum of one."""
    lasting: dict[int, DeviceRequest] = {}
    for place, container in enumerate(containers):
        if place >= initial or container.sidecar:
            found = _request(place, container, resource, device_class, 0)
            if found is not None:
                lasting[place] = found
    largest: DeviceRequest | None = None
    for place, container in enumerate(containers[:initial]):
        if container.sidecar:
            continue
        reusable = sum(_count(request) for later, request in lasting.items() if later >= place)
        found = _request(place, container, resource, device_class, reusable)
        if found is not None and (largest is None or _count(largest) < _count(found)):
            largest = found
    return [*((largest,) if largest is not None else ()), *lasting.values()]


def _request(place: int, container: Container, resource: str, device_class: str, reusable: int) -> DeviceRequest | None:
    amount = scheduler_units(resource, container.requests.get(resource, 0))
    if amount <= reusable:
        return None
    number = sorted(container.requests).index(resource)
    name = f"container-{place}-request-{number}"
    return DeviceRequest(name, DeviceQuery(name, device_class, count=amount - reusable))


def _count(request: DeviceRequest) -> int:
    return request.exactly.count if request.exactly is not None else 0
