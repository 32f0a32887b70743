"""The plugin DynamicResources: devices of claims.

The modules of this package are not imported for a pod without claims in a cluster without DeviceClasses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.scheduler.framework.facts import Facts, Held, Keeps, Token, Unique, never, nobody_blocks, nothing
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import SKIP, Plugin, Prepared, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import replace

NAME = "DynamicResources"


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    if not _has_to_do(pod, snapshot):
        return SKIP
    from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import pre_filter

    return pre_filter(pod, snapshot)


def _has_to_do(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether a pod may need devices, in a cluster whose devices are known."""
    cluster = snapshot.cluster
    if not snapshot.behaviour.dynamic_resources or not cluster.devices_known:
        return False
    return bool(pod.spec.resource_claims or cluster.device_classes)


def _filter(state: Any, node: NodeInfo) -> Status | None:
    found: Status | None = state.status(node)
    return found


def _post_filter(state: Any, snapshot: Snapshot, rejected: Iterable[tuple[NodeInfo, Status]]) -> str:
    if state is None:
        return snapshot.behaviour.deallocation
    from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import post_filter

    return post_filter(state, snapshot, rejected)


def served_by_devices(snapshot: Snapshot) -> frozenset[str]:
    """The extended resources that a DeviceClass serves."""
    if not snapshot.behaviour.dynamic_resources or not snapshot.cluster.devices_known:
        return frozenset()
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of

    return frozenset(objects_of(snapshot).by_resource)


def pre_enqueue(pod: Pod, snapshot: Snapshot) -> str:
    """Why a pod does not enter the queue: one of its claims is missing; empty if it does.

    There is no event for this: the pod waits until its claim appears.
    """
    if not pod.spec.resource_claims or not _has_to_do(pod, snapshot):
        return ""
    from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import pre_enqueue as refused

    return refused(pod, snapshot)


def reserved(pod: Pod, snapshot: Snapshot, node_name: str) -> tuple[Pod, ...]:
    """The pod with the possible allocations on a node; unchanged if its claims get no devices there."""
    if not _has_to_do(pod, snapshot):
        return (pod,)
    from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import reserve

    return reserve(pod, snapshot, node_name)


def _asks(pod: Pod) -> bool:
    return bool(pod.spec.resource_claims)


def _want_the_same(pod: Pod, other: Pod) -> bool:
    return _asks(pod) and _asks(other)


def _local(pod: Pod, unique: Unique) -> bool:
    cluster = unique.cluster
    return not _asks(pod) or not cluster.devices_known or _keeps_to_nodes(pod, cluster)


def _kept_off(others: Sequence[Pod], unique: Unique) -> Callable[[Pod], bool]:
    cluster = unique.cluster
    if not cluster.devices_known:
        return never

    @cache
    def reach_further() -> bool:
        return any(_asks(other) and not _keeps_to_nodes(other, cluster) for other in others)

    return lambda pod: _asks(pod) and reach_further()


def _keeps_to_nodes(pod: Pod, cluster: Cluster) -> bool:
    from kubelint_gpu.scheduler.plugins.dynamic_resources.node_likeness import keeps_to_nodes

    return keeps_to_nodes(pod, cluster)


def _token(pods: Sequence[Pod], _wide: bool, cluster: Cluster) -> Token | None:
    """A key that is equal for nodes that reach the same devices, or have own devices that are equal for all claims."""
    if not cluster.devices_known or not any(_asks(pod) for pod in pods):
        return None
    from kubelint_gpu.scheduler.plugins.dynamic_resources.node_likeness import node_token

    return node_token(pods, cluster)


def _blockers(pod: Pod, snapshot: Snapshot, reason: str) -> Keeps:
    if not _has_to_do(pod, snapshot):
        return nobody_blocks(pod, snapshot, reason)
    from kubelint_gpu.scheduler.plugins.dynamic_resources.device_holders import blockers
    from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holds

    held = holds(pod, snapshot)

    @cache
    def users(node: str) -> set[PodIdentifier]:
        found = {user.identifier for one in blockers(pod, snapshot, node) for user in one.users}
        return found | {user.identifier for one in held if node not in one.nodes for user in one.users}

    return lambda other: lambda node, _: other.identifier in users(node.name)


def _sought(pod: Pod, snapshot: Snapshot, node: str) -> tuple[str, ...]:
    if not _has_to_do(pod, snapshot):
        return ()
    from kubelint_gpu.scheduler.plugins.dynamic_resources.device_holders import blockers

    return tuple(dict.fromkeys(one.thing for one in blockers(pod, snapshot, node)))


def _stock(pod: Pod, snapshot: Snapshot, node: str) -> tuple[int, int] | None:
    if not _has_to_do(pod, snapshot):
        return None
    from kubelint_gpu.scheduler.plugins.dynamic_resources.device_holders import stock

    return stock(pod, snapshot, node)


FACTS = Facts(
    Held.DEVICE,
    asks=_asks,
    heeds=_want_the_same,
    excludes=_want_the_same,
    local=_local,
    refusing=_kept_off,
    pod_labels=nothing,
    token=_token,
    blockers=_blockers,
    sought=_sought,
    stock=_stock,
    spared=lambda spec: replace(spec, resource_claims=()) if spec.resource_claims else spec,
)
PLUGIN = Plugin(NAME, _pre_filter, _filter, facts=FACTS, post_filter=_post_filter, reserve=reserved)
