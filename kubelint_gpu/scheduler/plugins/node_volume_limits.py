"""The limit of volumes of a CSI driver on a node."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.storage import CSINode, PersistentVolumeClaim
from kubelint_gpu.scheduler.framework.facts import Keeps, Token, never, same_node
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.framework.storage_index import StorageIndex, claim_of, storage_index, volume_facts
from kubelint_gpu.values import Value

NAME = "NodeVolumeLimits"
REASON = NodeReason("exceed max volume count", "it exceeds max volume count")
_EXCEEDED = Status(NAME, Code.UNSCHEDULABLE, (REASON,))
# field of an in-tree volume: its plugin, the CSI driver that took it over, the field that identifies the volume
_MIGRATED = {
    "awsElasticBlockStore": ("kubernetes.io/aws-ebs", "ebs.csi.aws.com", "volumeID"),
    "gcePersistentDisk": ("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "pdName"),
    "azureDisk": ("kubernetes.io/azure-disk", "disk.csi.azure.com", "diskURI"),
    "cinder": ("kubernetes.io/cinder", "cinder.csi.openstack.org", "volumeID"),
}
_ALL_MIGRATED = CSINode("", migrated=tuple(plugin for plugin, _, _ in _MIGRATED.values()))
_DRIVERS = {plugin: driver for plugin, driver, _ in _MIGRATED.values()}

Attached = dict[tuple[str, str], None]


class VolumeCountState(Value):
    """The incoming pod and the storage objects."""

    pod: Pod
    storage: StorageIndex


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    if not any(one.kind in ("persistentVolumeClaim", "ephemeral", *_MIGRATED) for one in pod.spec.volumes):
        return SKIP
    index = storage_index(snapshot)
    most = Counter(driver for driver, _ in attachments(pod, _ALL_MIGRATED, index))
    room = snapshot.derived(NAME, _room)
    short = [
        name
        for driver, number in most.items()
        for _, name in room.get(driver, ())[: bisect_left(room.get(driver, ()), (number, ""))]
    ]
    return Prepared(VolumeCountState(pod, index), apart=frozenset(short)) if short else SKIP


def _filter(state: VolumeCountState, node: NodeInfo) -> Status | None:
    csi_node = state.storage.csi_nodes.get(node.name)
    if csi_node is None or not csi_node.limits:
        return None
    wanted = attachments(state.pod, csi_node, state.storage)
    if not wanted:
        return None
    in_use = _in_use(node, csi_node, state.storage)
    more = [attachment for attachment in wanted if attachment not in in_use]
    attached = _attached(node, csi_node, state.storage)
    for driver in dict.fromkeys(driver for driver, _ in more):
        limit = csi_node.limits.get(driver)
        if (
            limit is not None
            and _volumes_of_driver(attached, driver) + sum(1 for one in more if one[0] == driver) > limit
        ):
            return _EXCEEDED
    return None


def attachments(pod: Pod, csi_node: CSINode, index: StorageIndex) -> Attached:
    """The volumes of a pod that CSI drivers attach to this node, as driver and handle.

    Claims and volumes that cannot be found are left out: VolumeBinding rejects them.
    """
    found: Attached = {}
    for volume in pod.spec.volumes:
        claim = claim_of(pod, volume, index)
        if claim is None or (volume.kind == "ephemeral" and not claim.meta.is_made_for(pod.meta)):
            attachment = _in_tree(volume.kind, volume.source, csi_node)
        else:
            attachment = _attachment(claim, csi_node, index)
        if attachment is not None:
            found[attachment] = None
    return found


def _attachment(claim: PersistentVolumeClaim, csi_node: CSINode, index: StorageIndex) -> tuple[str, str] | None:
    volume = index.volumes.get(claim.volume_name) if claim.volume_name else None
    if volume is not None:
        if volume.kind == "csi":
            driver, handle = volume.source.get("driver"), volume.source.get("volumeHandle")
            return (
                (driver, handle) if isinstance(driver, str) and isinstance(handle, str) and driver and handle else None
            )
        return _in_tree(volume.kind, volume.source, csi_node)
    found = index.classes.get(claim.class_name)
    if found is None:
        return None
    driver = found.provisioner
    if driver in _DRIVERS:
        if driver not in csi_node.migrated:
            return None
        driver = _DRIVERS[driver]
    # a volume that is yet to be made is like no other
    return (driver, f"\0{claim.key}") if driver else None


def _in_tree(kind: str, source: Mapping[str, object], csi_node: CSINode) -> tuple[str, str] | None:
    known = _MIGRATED.get(kind)
    if known is None or known[0] not in csi_node.migrated:
        return None
    return known[1], str(source.get(known[2]))


def csi_driver(provisioner: str) -> str:
    """The CSI driver of a provisioner: the one that replaced it if it was an in-tree plugin."""
    return _DRIVERS.get(provisioner, provisioner)


def _attached(node: NodeInfo, csi_node: CSINode, index: StorageIndex) -> Attached:
    """The volumes that the pods of a node use, and other volumes that are attached to it."""
    attached = _in_use(node, csi_node, index)
    for attacher, volume_name in index.attached.get(node.name, ()):
        attached[attacher, _handle(volume_name, index)] = None
    return attached


def _in_use(node: NodeInfo, csi_node: CSINode, index: StorageIndex) -> Attached:
    attached: Attached = {}
    for pod in node.pods:
        if pod.spec.volumes:
            attached.update(attachments(pod, csi_node, index))
    return attached


def _room(snapshot: Snapshot) -> Mapping[str, list[tuple[int, str]]]:
    """By driver, how many more volumes each node with a limit takes, ascending."""
    index = storage_index(snapshot)
    room: dict[str, list[tuple[int, str]]] = {}
    for csi_node in index.csi_nodes.values():
        node = snapshot.node(csi_node.name) if csi_node.limits else None
        if node is not None:
            attached = _attached(node, csi_node, index)
            for driver, limit in csi_node.limits.items():
                room.setdefault(driver, []).append((limit - _volumes_of_driver(attached, driver), csi_node.name))
    for found in room.values():
        found.sort()
    return room


def _handle(volume_name: str, index: StorageIndex) -> str:
    volume = index.volumes.get(volume_name)
    handle = volume.source.get("volumeHandle") if volume is not None and volume.kind == "csi" else None
    return handle if isinstance(handle, str) else f"\0{volume_name}"


def _volumes_of_driver(attached: Attached, driver: str) -> int:
    return sum(1 for one in attached if one[0] == driver)


def _token(_pods: Sequence[Pod], _wide: bool, cluster: Cluster) -> Token | None:
    drivers = {one.name: (one.limits, one.migrated) for one in cluster.csi_nodes}
    attached = {one.node_name for one in cluster.volume_attachments}
    return lambda node, _: (drivers.get(node.name), node.name if node.name in attached else None)


def _drivers(pod: Pod, index: StorageIndex) -> set[str]:
    return {driver for driver, _ in attachments(pod, _ALL_MIGRATED, index)}


def _slots(pod: Pod, snapshot: Snapshot) -> Iterable[str]:
    """The drivers of its volumes that have a limit on some node."""
    index = storage_index(snapshot)
    limited = {driver for one in index.csi_nodes.values() for driver in one.limits}
    return _drivers(pod, index) & limited if limited else ()


def _blockers(pod: Pod, snapshot: Snapshot, _reason: str) -> Keeps:
    """The pods that have volumes of the same drivers there."""
    index = storage_index(snapshot)
    mine = _drivers(pod, index)
    return lambda other: never if mine.isdisjoint(_drivers(other, index)) else same_node


PLUGIN = Plugin(NAME, _pre_filter, _filter, facts=volume_facts(token=_token, slots=_slots, blockers=_blockers))
