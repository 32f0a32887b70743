"""The resources that a pod requests.

Behaviour: component-helpers `resource.PodRequests` and kube-scheduler's `framework.Resource`, 1.34.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from kubelint_gpu.kube.objects.pod import Container, Pod, PodSpec, Volume
from kubelint_gpu.kube.objects.storage import PersistentVolumeClaim, read_persistent_volume_claim
from kubelint_gpu.kube.values.fields import is_qualified_name
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.quantity import canonical, scheduler_units
from kubelint_gpu.values import replace

_STANDARD = ("cpu", "memory", "ephemeral-storage")
IMPLICIT_RESOURCE = "deviceclass.resource.kubernetes.io/"
Amounts = Mapping[str, int]


def is_extended(resource: str) -> bool:
    """Whether a name is that of an extended resource: with its own domain, outside kubernetes.io."""
    return (
        "/" in resource
        and "kubernetes.io/" not in resource
        and not resource.startswith("requests.")
        and is_qualified_name("requests." + resource)
    )


def is_served_by_devices(resource: str) -> bool:
    """Whether a DeviceClass can serve a resource: each class serves its implicit one, and perhaps another one."""
    return is_extended(resource) or resource.startswith(IMPLICIT_RESOURCE)


@lru_cache(maxsize=4096)
def is_scheduled(resource: str) -> bool:
    """Whether kube-scheduler counts a resource at all; `storage` and unknown bare names are dropped."""
    return (
        resource in _STANDARD
        or resource.startswith(("hugepages-", "attachable-volumes-"))
        or "kubernetes.io/" in resource
        or is_extended(resource)
    )


def is_pod_level(resource: str) -> bool:
    """Whether pod-level resources may name it (gate PodLevelResources)."""
    return resource in ("cpu", "memory") or resource.startswith("hugepages-")


def pod_requests(spec: PodSpec, *, pod_level: bool = True) -> FrozenMap[str, int]:
    """The request of a pod before it is placed, per resource as the pod names them, in the scheduler's units.

    Containers and sidecars add up, ordinary init containers run one at a time beside the sidecars before them,
    pod-level requests replace the sum, overhead is added. `pod_level` is the gate PodLevelResources, on since 1.34.
    """
    return _converted(_total(spec, lambda container: container.requests, pod_level))


def pod_amounts(spec: PodSpec, *, pod_level: bool = True) -> FrozenMap[str, int]:
    """The request of a pod per resource in thousandths, for all resources that it names: what quotas count."""
    return FrozenMap(_total(spec, lambda container: container.requests, pod_level))


def pod_limits(spec: PodSpec, *, pod_level: bool = True) -> FrozenMap[str, int]:
    """The limit of a pod per resource in thousandths, computed like its request.

    Overhead is only added to an existing limit.
    """
    total = _sum(spec, lambda container: container.limits)
    if pod_level and spec.resources is not None:
        total |= {name: amount for name, amount in spec.resources.limits.items() if is_pod_level(name)}
    _add(total, {name: amount for name, amount in spec.overhead.items() if total.get(name)})
    return FrozenMap(total)


def running_requests(pod: Pod, *, pod_level: bool = True, in_place: bool = True) -> FrozenMap[str, int]:
    """The request of a pod that is on a node, in the scheduler's units.

    With `in_place` (gate InPlacePodVerticalScaling, on since 1.33) it is the largest of what the spec asks, what the
    kubelet allocated and what the container runs with; a resize that is infeasible leaves the spec out.
    """
    if not in_place or not pod.statuses:
        return pod_requests(pod.spec, pod_level=pod_level)
    statuses = {status.name: status for status in pod.statuses}

    def amounts(container: Container) -> Amounts:
        status = statuses.get(container.name)
        if status is None:
            return container.requests
        parts = [part for part in (status.allocated, status.requests) if part is not None]
        if not pod.resize_infeasible or not parts:
            parts.append(container.requests)
        names = sorted({name for part in parts for name in part})
        return {name: max(part.get(name, 0) for part in parts) for name in names}

    return _converted(_total(pod.spec, amounts, pod_level))


def _total(spec: PodSpec, amounts: Callable[[Container], Amounts], pod_level: bool) -> dict[str, int]:
    total = _sum(spec, amounts)
    if pod_level and spec.resources is not None:
        total |= _pod_level_requests(spec.resources, total)
    _add(total, spec.overhead)
    return total


def _sum(spec: PodSpec, amounts: Callable[[Container], Amounts]) -> dict[str, int]:
    if not spec.containers:
        total: dict[str, int] = {}
    else:
        total = dict(amounts(spec.containers[0]))
        for container in spec.containers[1:]:
            _add(total, amounts(container))
    if not spec.init_containers:
        return total
    side: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in spec.init_containers:
        found = amounts(container)
        if container.sidecar:
            _add(total, found)
            _add(side, found)
            _raise(peak, side)
        else:
            _raise(peak, {name: amount + side.get(name, 0) for name, amount in found.items()})
    _raise(total, peak)
    return total


def with_own_requests(spec: PodSpec) -> PodSpec:
    """The spec with the pod-level requests that the API server fills in before admission."""
    if spec.resources is None:
        return spec
    asked = _pod_level_requests(spec.resources, _sum(spec, lambda container: container.requests))
    return replace(spec, resources=replace(spec.resources, requests=FrozenMap(asked)))


def beyond_pod(spec: PodSpec) -> Iterator[tuple[str, str, tuple[str | int, ...], str]]:
    """Yield amounts of containers that contradict pod-level ones: limits or requests, resource, place, reason.

    Init containers may have any limit.
    """
    if spec.resources is None:
        return
    asked, most = spec.resources.requests, spec.resources.limits
    together = _sum(spec, lambda container: container.requests)
    for name in ("cpu", "memory"):
        least = together.get(name, 0)
        if asked.get(name, least) < least:
            told = f"must be greater than or equal to aggregate container requests of {canonical(least)}"
            yield "requests", name, (), f"{told}, not {canonical(asked[name])}"
        for index, container in enumerate(spec.containers):
            limit = container.limits.get(name, 0)
            if limit > most.get(name, limit):
                told = f"must be less than or equal to pod limits of {canonical(most[name])}, not {canonical(limit)}"
                yield "limits", name, ("containers", index), told


def _pod_level_requests(whole: Container, total: Amounts) -> dict[str, int]:
    together = {name: total[name] for name in ("cpu", "memory") if whole.limits and name in total}
    found = {**whole.limits, **together, **whole.requests}
    return {name: amount for name, amount in found.items() if is_pod_level(name)}


def _add(into: dict[str, int], amounts: Amounts) -> None:
    for name, amount in amounts.items():
        into[name] = into.get(name, 0) + amount


def _raise(into: dict[str, int], amounts: Amounts) -> None:
    for name, amount in amounts.items():
        if amount > into.get(name, -1):
            into[name] = amount


def _converted(total: Amounts) -> FrozenMap[str, int]:
    return FrozenMap({name: scheduler_units(name, amount) for name, amount in total.items() if is_scheduled(name)})


def ephemeral_claims(volumes: Iterable[Volume]) -> tuple[PersistentVolumeClaim, ...]:
    """The claims that the controller of ephemeral volumes creates for a pod, which waits if one of them is refused."""
    return tuple(
        read_persistent_volume_claim(volume.source.get("volumeClaimTemplate"), [])
        for volume in volumes
        if volume.kind == "ephemeral"
    )
