"""Which devices are held by the claims of the cluster and by pods that were placed since."""

from __future__ import annotations

from collections.abc import Iterable

from kubelint_gpu.kube.dra.claim import Allocation, ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of


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
