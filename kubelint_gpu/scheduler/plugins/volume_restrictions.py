"""Disks that cannot be mounted twice on a node, and claims that only one pod may use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kubelint_gpu.kube.objects.pod import Pod, Volume
from kubelint_gpu.kube.objects.storage import READ_WRITE_ONCE_POD
from kubelint_gpu.scheduler.framework.facts import Keeps, always, never
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status, rejected
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.framework.storage_index import (
    CLAIM_NOT_FOUND,
    claim_keys,
    direct_claims,
    has_volumes,
    share_volumes,
    storage_index,
    volume_facts,
)
from kubelint_gpu.values import Value, replace

NAME = "VolumeRestrictions"
DISK_REASON = NodeReason("had no available disk")
_NO_DISK = Status(NAME, Code.UNSCHEDULABLE, (DISK_REASON,))
_DISKS = ("gcePersistentDisk", "awsElasticBlockStore", "rbd", "iscsi")


class DiskState(Value):
    """The incoming pod's disks and exclusive claims.

    Attributes:
        disks: its volumes of the kinds that cannot be shared freely.
        exclusive: the names of its ReadWriteOncePod claims.
        in_use: how many of these another pod uses.
        conflict: the rejection while any is in use.
    """

    disks: tuple[Volume, ...]
    exclusive: frozenset[str]
    in_use: int
    conflict: Status


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    if not pod.spec.volumes:
        return SKIP
    disks = tuple(volume for volume in pod.spec.volumes if volume.kind in _DISKS)
    claims = storage_index(snapshot).claims
    exclusive: dict[str, None] = {}
    for name in direct_claims(pod.spec):
        claim = claims.get(f"{pod.meta.namespace}/{name}")
        if claim is None:
            return rejected(NAME, CLAIM_NOT_FOUND.format(name=name))
        if claim.for_one_pod:
            exclusive[name] = None
    in_use = 0
    if exclusive:
        used = snapshot.derived(NAME, _used)
        in_use = sum(1 for name in exclusive if (pod.meta.namespace, name) in used)
    if not disks and not in_use:
        return SKIP
    conflict = Status(NAME, Code.UNSCHEDULABLE, (snapshot.behaviour.claim_in_use,))
    return Prepared(
        DiskState(disks, frozenset(exclusive), in_use, conflict),
        apart=snapshot.derived((NAME, "disks"), _with_disks) if disks else frozenset(),
    )


def _filter(state: DiskState, node: NodeInfo) -> Status | None:
    if state.disks:
        for pod in node.pods:
            for other in pod.spec.volumes:
                if other.kind in _DISKS and any(_conflict(disk, other) for disk in state.disks):
                    return _NO_DISK
    return state.conflict if state.in_use > 0 else None


def _without(state: DiskState, pods: tuple[Pod, ...], _node: NodeInfo) -> DiskState:
    """The state with fewer users of the exclusive claims.

    Upstream compares only names, so that a claim with the same name in another namespace counts as well.
    """
    freed = sum(1 for pod in pods for name in direct_claims(pod.spec) if name in state.exclusive)
    return replace(state, in_use=state.in_use - freed)


def _conflict(one: Volume, other: Volume) -> bool:
    if one.kind != other.kind:
        return False
    mine, theirs = one.source, other.source
    if one.kind == "awsElasticBlockStore":
        return _text(mine.get("volumeID")) == _text(theirs.get("volumeID"))
    if mine.get("readOnly") and theirs.get("readOnly"):
        return False
    if one.kind == "gcePersistentDisk":
        return _text(mine.get("pdName")) == _text(theirs.get("pdName"))
    if one.kind == "iscsi":
        return _text(mine.get("iqn")) == _text(theirs.get("iqn"))
    return (
        not set(_texts(mine.get("monitors"))).isdisjoint(_texts(theirs.get("monitors")))
        and _text(mine.get("pool"), "rbd") == _text(theirs.get("pool"), "rbd")
        and _text(mine.get("image")) == _text(theirs.get("image"))
    )


def _text(value: Any, default: str = "") -> str:
    return value if isinstance(value, str) else default


def _texts(value: Any) -> Iterable[str]:
    return (one for one in value if isinstance(one, str)) if isinstance(value, tuple) else ()


def _used(snapshot: Snapshot) -> frozenset[tuple[str, str]]:
    return frozenset(
        (pod.meta.namespace, name)
        for info in snapshot.nodes
        for pod in info.pods
        if pod.spec.volumes
        for name in direct_claims(pod.spec)
    )


def _with_disks(snapshot: Snapshot) -> frozenset[str]:
    return frozenset(
        info.name
        for info in snapshot.nodes
        if any(volume.kind in _DISKS for pod in info.pods for volume in pod.spec.volumes)
    )


def _blockers(pod: Pod, snapshot: Snapshot, _reason: str) -> Keeps:
    exclusive = {one.key for one in snapshot.cluster.claims if READ_WRITE_ONCE_POD in one.access_modes}
    mine = exclusive & claim_keys(pod)
    return lambda other: never if mine.isdisjoint(claim_keys(other)) else always


_FACTS = volume_facts(asks=has_volumes, excludes=share_volumes, blockers=_blockers)
PLUGIN = Plugin(NAME, _pre_filter, _filter, _without, _FACTS)
