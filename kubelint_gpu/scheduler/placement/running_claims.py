"""The devices of running pods: those of their claims, or what the scheduler would allocate if claims are not known.

A device is held through a pod on a node, so that it is free when the pod is gone. For an unknown user of a claim, a pod
without containers is invented.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.meta import Meta, OwnerReference
from kubelint_gpu.kube.objects.pod import UNTOLD_PRIORITY, Pod, PodIdentifier, PodSpec
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.scheduler.attempt import reservations
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources import served_by_devices
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import Allocation, ResourceClaim

EXTENDED = "resource.kubernetes.io/extended-resource-claim"
"""The annotation of a claim that the scheduler made for the extended resources of a pod."""
_CLAIM = "ResourceClaim"


def with_allocations(cluster: Cluster) -> Cluster:
    """The cluster with allocations moved from claims to its running pods.

    If no user of a claim runs, the claim is deallocated sooner or later: it is assumed to be so already. A claim that
    is reserved for no pod keeps its devices: nothing deallocates it before a pod has used it.
    """
    if not cluster.devices_known:
        return cluster
    running = {(pod.meta.namespace, pod.meta.name): pod for pod in cluster.pods if _runs(pod)}
    served = _served(cluster)
    asking = [pod for pod in running.values() if pod.spec.resource_claims or served(pod)]
    if not cluster.resource_claims and not asking:
        return cluster
    claims = {claim.key: claim for claim in cluster.resource_claims}
    made = {claim.meta.owner: claim for claim in claims.values() if claim.meta.annotations.get(EXTENDED) == "true"}
    holding = {pod.identifier: _with_own(pod, claims, made) for pod in asking}
    pods = tuple(holding.get(pod.identifier, pod) for pod in cluster.pods)
    used = {key for pod in pods for key, _ in pod.allocations}
    users = _untold_users(cluster, used)
    pods = (*pods, *_standing_in(users, cluster))
    held = {key for pod in pods for key, _ in pod.allocations}
    untold = {claim.key for claims in users.values() for claim in claims} - held
    left = tuple(claim if claim.key in untold else _free(claim, used) for claim in cluster.resource_claims)
    return _with_missing(replace(cluster, pods=pods, resource_claims=left), served)


def _served(cluster: Cluster) -> Callable[[Pod], bool]:
    """Return which running pods have extended resources that DRA serves on their node."""
    snapshot = Snapshot.of(replace(cluster, pods=()))
    names = served_by_devices(snapshot)
    if not names:
        return lambda _: False

    def served(pod: Pod) -> bool:
        node = snapshot.node(pod.spec.node_name)
        asked = names.intersection(pod_requests(pod.spec))
        return node is not None and any(not node.node.allocatable.get(name, 0) for name in asked)

    return served


def _runs(pod: Pod) -> bool:
    return bool(pod.spec.node_name) and not pod.finished


def _with_own(
    pod: Pod, claims: Mapping[str, ResourceClaim], made: Mapping[OwnerReference | None, ResourceClaim]
) -> Pod:
    """The pod with the allocations of its claims, including the special claim for its extended resources."""
    found: dict[str, Allocation] = dict(pod.allocations)
    own = made.get(OwnerReference("Pod", pod.meta.name, pod.meta.uid))
    if own is not None and own.allocation is not None:
        found[own.key] = own.allocation
    for key in _keys(pod):
        claim = claims.get(key) if key is not None else None
        if claim is not None and claim.allocation is not None:
            found[claim.key] = claim.allocation
    return replace(pod, allocations=tuple(found.items()))


def _keys(pod: Pod) -> list[str | None]:
    """The keys of the claims of a pod; None for a claim that is not known to exist."""
    from kubelint_gpu.kube.dra.pod_claims import pod_claims

    names = [one.claim if one.claim is not None else pod.claim_statuses.get(one.name) for one in pod_claims(pod)]
    return [f"{pod.meta.namespace}/{name}" if name is not None else None for name in names]


def _untold_users(cluster: Cluster, used: Container[str]) -> dict[tuple[str, str, str], list[ResourceClaim]]:
    """Holders of devices that are no pods of the cluster, as (kind, namespace, name), with their claims.

    A claim that is reserved for no pod is held by the pod that owns it, or else by itself.
    """
    known = frozenset((pod.meta.namespace, pod.meta.name) for pod in cluster.pods)
    found: dict[tuple[str, str, str], list[ResourceClaim]] = {}
    for claim in (one for one in cluster.resource_claims if one.allocation is not None):
        space, owner, users = claim.meta.namespace, claim.meta.owner, claim.reserved_for
        names = [("Pod" if user.resource == "pods" else user.resource, user.name) for user in users]
        if not users and claim.key not in used:
            names = [("Pod", owner.name) if owner is not None and owner.kind == "Pod" else (_CLAIM, claim.meta.name)]
        for kind, name in dict.fromkeys(names):
            if kind != "Pod" or (space, name) not in known:
                found.setdefault((kind, space, name), []).append(claim)
    return found


def _standing_in(users: Mapping[tuple[str, str, str], list[ResourceClaim]], cluster: Cluster) -> Iterator[Pod]:
    """Yield an invented pod for each of these holders, on a node that reaches its devices; no pod preempts it."""
    of_slices = {(one.driver, one.pool): one.node_name for one in cluster.resource_slices}
    for (kind, space, name), claims in users.items():
        nodes = list(cluster.nodes)
        for allocation in (claim.allocation for claim in claims):
            if allocation is not None and allocation.node_selector is not None:
                nodes = [one for one in nodes if allocation.node_selector.matches(one.labels, one.name)]
            elif allocation is not None:
                own = {of_slices.get((one.id.driver, one.id.pool)) for one in allocation.devices} - {None, ""}
                nodes = [one for one in nodes if own <= {one.name}]
        if nodes:
            entries = [FrozenMap({"name": one.meta.name, "resourceClaimName": one.meta.name}) for one in claims]
            has = tuple([(claim.key, claim.allocation) for claim in claims if claim.allocation is not None])
            spec = PodSpec(
                nodes[0].name, priority=UNTOLD_PRIORITY, resource_claims=() if kind == _CLAIM else tuple(entries)
            )
            owner = None if kind == "Pod" else OwnerReference(kind, name)
            yield Pod(Meta(name, space, name, owner=owner), spec, "Running", ready=True, allocations=has)


def _free(claim: ResourceClaim, used: Container[str]) -> ResourceClaim:
    if claim.allocation is None and not claim.reserved_for:
        return claim
    return replace(claim, allocation=None, reserved_for=(), idle=None if claim.key in used else claim.allocation)


def _with_missing(cluster: Cluster, served: Callable[[Pod], bool]) -> Cluster:
    """Return the cluster in which running pods with unknown claims get devices as the scheduler would allocate them."""
    lacking = [pod for pod in cluster.pods if _runs(pod) and _lacks(pod, served)]
    if not lacking:
        return cluster
    snapshot = Snapshot.of(cluster)
    given: dict[PodIdentifier, Pod] = {}
    for pod in lacking:
        name = pod.spec.node_name
        if snapshot.node(name) is None:
            continue
        snapshot = snapshot.remove(pod.key, name)
        given[pod.identifier] = reservations(replace(pod, claim_statuses=type(pod.claim_statuses)()), snapshot, name)[0]
        snapshot = snapshot.place(given[pod.identifier], name)
    return replace(cluster, pods=tuple(given.get(pod.identifier, pod) for pod in cluster.pods))


def _lacks(pod: Pod, served: Callable[[Pod], bool]) -> bool:
    """Whether a claim of the pod is unknown or has no known allocation."""
    return len(pod.allocations) < len({*_keys(pod)} if pod.spec.resource_claims else ()) + served(pod)
