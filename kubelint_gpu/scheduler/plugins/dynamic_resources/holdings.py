"""Which devices are held by the claims of the cluster and by pods that were placed since, and which pods use a claim.

A generated claim is deleted with its pod. A claim that pods name stays allocated while any of them exists, and its
devices bind all of them to the nodes that reach these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.claim import Allocation, ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of
from kubelint_gpu.values import Value


def holdings(snapshot: Snapshot) -> Holdings:
    """The allocations in a snapshot, computed once."""
    return snapshot.derived("devices held", _holdings)


def _holdings(snapshot: Snapshot) -> Holdings:
    features = features_of(snapshot.behaviour)
    claims: dict[str, Allocation] = {}
    cluster = snapshot.cluster
    if any(claim.allocation is not None for claim in cluster.resource_claims):
        gone = _gone(snapshot)
        for claim in cluster.resource_claims:
            if claim.allocation is not None and not _is_released(claim, gone):
                claims[claim.key] = claim.allocation
    for info in snapshot.nodes:
        for pod in info.claimants:
            for key, allocation in pod.allocations:
                claims.setdefault(key, allocation)
    exclusive: set[DeviceID] = set()
    shared: set[DeviceID] = set()
    consumed: dict[DeviceID, dict[str, Amount]] = {}
    for allocation in claims.values():
        for device in allocation.devices:
            if device.admin:
                continue
            if not (device.share and features.betas):
                exclusive.add(device.id)
                continue
            shared.add(device.id)
            sums = consumed.setdefault(device.id, {}) if device.consumed else {}
            for name, amount in device.consumed.items():
                sums[name] = sums.get(name, 0) + amount
    pools = frozenset([(device.driver, device.pool) for device in (*exclusive, *shared)])
    return Holdings(claims, frozenset(exclusive), frozenset(shared), consumed, pools)


def _gone(snapshot: Snapshot) -> frozenset[tuple[str, str]]:
    """The pods of the cluster that were on a node and are gone, by namespace and name."""
    here = {(pod.meta.namespace, pod.meta.name) for info in snapshot.nodes for pod in info.claimants}
    return (
        frozenset(
            (pod.meta.namespace, pod.meta.name)
            for pod in snapshot.cluster.pods
            if pod.spec.resource_claims and pod.spec.node_name and not pod.finished
        )
        - here
    )


def _is_released(claim: ResourceClaim, gone: Iterable[tuple[str, str]]) -> bool:
    """Whether all users of a claim are gone: the resource claim controller then deallocates it."""
    users = claim.reserved_for
    return bool(users) and all(user.resource == "pods" and (claim.meta.namespace, user.name) in gone for user in users)


class Hold(Value):
    """An allocated claim of a pod.

    Attributes:
        nodes: the names of the nodes that reach its devices.
        users: the placed pods that use the claim, including the pod.
    """

    nodes: tuple[str, ...]
    users: tuple[Pod, ...]


def holds(pod: Pod, snapshot: Snapshot) -> tuple[Hold, ...]:
    """The allocated claims of a pod, placed or not: claims that it names may already be allocated."""
    allocations = {**holdings(snapshot).claims, **dict(pod.allocations)}
    found = []
    for key in claim_keys(pod):
        if key in allocations:
            selector = allocations[key].node_selector
            nodes = [one.node for one in snapshot.nodes]
            reached = tuple([one.name for one in nodes if selector is None or selector.matches(one.labels, one.name)])
            found.append(Hold(reached, users_of(key, snapshot)))
    return tuple(found)


def users_of(claim: str, snapshot: Snapshot) -> tuple[Pod, ...]:
    """The placed pods that use a claim."""
    return tuple(snapshot.derived("claim users", _users).get(claim, ()))


def _users(snapshot: Snapshot) -> Mapping[str, Sequence[Pod]]:
    return grouped((key, pod) for node in snapshot.nodes for pod in node.claimants for key in claim_keys(pod))


def claim_keys(pod: Pod) -> dict[str, None]:
    """The keys of a pod's claims, in the order of its spec, and of those that were created when it was placed."""
    keys: dict[str, None] = {}
    for entry in pod_claims(pod):
        name = entry.claim if entry.claim is not None else pod.claim_statuses.get(entry.name)
        if name is not None:
            keys[f"{pod.meta.namespace}/{name}"] = None
    return keys | dict.fromkeys(key for key, _ in pod.allocations)
