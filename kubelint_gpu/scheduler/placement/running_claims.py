"""The devices of pods that run: what their claims say, and what the scheduler would have given them where none is made.

A claim that only running pods use has its devices through them, so that these are free when the pods are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.meta import OwnerReference
from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler.attempt import reservations
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources import served_by_devices
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import Allocation, ResourceClaim

EXTENDED = "resource.kubernetes.io/extended-resource-claim"
"""The annotation of a claim that the scheduler made for the extended resources of a pod."""


def with_allocations(cluster: Cluster) -> Cluster:
    """The cluster with the devices of its running pods on these, and no more on claims that only they use.

    A claim that nobody uses is deallocated sooner or later: it is taken to be so already.
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
    known = frozenset((pod.meta.namespace, pod.meta.name) for pod in cluster.pods)
    used = {key for pod in holding.values() for key, _ in pod.allocations}
    left = tuple(claim if _has_strangers(claim, known) else _free(claim, used) for claim in cluster.resource_claims)
    return _with_missing(replace(cluster, pods=pods, resource_claims=left), served)


def _served(cluster: Cluster) -> Callable[[Pod], bool]:
    """Which running pods have extended resources that devices of their node serve."""
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
    """The pod with what its claims have, and with what the claim has that the scheduler made for its resources."""
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
    """The keys of the claims of a pod; None for one that is not known to be made."""
    from kubelint_gpu.kube.dra.pod_claims import pod_claims

    names = [one.claim if one.claim is not None else pod.claim_statuses.get(one.name) for one in pod_claims(pod)]
    return [f"{pod.meta.namespace}/{name}" if name is not None else None for name in names]


def _has_strangers(claim: ResourceClaim, known: frozenset[tuple[str, str]]) -> bool:
    """Whether somebody uses the claim of whom nothing is known."""
    return any(user.resource != "pods" or (claim.meta.namespace, user.name) not in known for user in claim.reserved_for)


def _free(claim: ResourceClaim, used: Container[str]) -> ResourceClaim:
    if claim.allocation is None and not claim.reserved_for:
        return claim
    return replace(claim, allocation=None, reserved_for=(), idle=None if claim.key in used else claim.allocation)


def _with_missing(cluster: Cluster, served: Callable[[Pod], bool]) -> Cluster:
    """The cluster in which running pods whose claims are not told have what the scheduler would give them."""
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
    """Whether a claim of the pod is not told, or has nothing as far as is told."""
    return len(pod.allocations) < len({*_keys(pod)} if pod.spec.resource_claims else ()) + served(pod)
