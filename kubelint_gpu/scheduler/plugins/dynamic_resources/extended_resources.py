"""Extended resources that a DeviceClass serves, node by node.

Source: extendeddynamicresources.go of the plugin, 1.36.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubelint_gpu.kube.dra.claim import ClaimSpec, DeviceQuery, DeviceRequest, ResourceClaim
from kubelint_gpu.kube.dra.device_class import DeviceClass
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Container, Pod, PodSpec
from kubelint_gpu.kube.objects.requests import is_served_by_devices, pod_requests
from kubelint_gpu.kube.values.quantity import scheduler_units

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
