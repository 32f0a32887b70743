"""Claims, volumes and CSI objects by name, and the claims of a pod's volumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubelint_gpu.kube.objects.csi import CSIDriver, CSINode, CSIStorageCapacity
from kubelint_gpu.kube.objects.pod import Pod, Volume
from kubelint_gpu.kube.objects.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import NamedTuple

CLAIM_NOT_FOUND = 'persistentvolumeclaim "{name}" not found'


class StorageIndex(NamedTuple):
    """What a cluster says of storage.

    Attributes:
        claims: by `namespace/name`.
        volumes: by name.
        unbound: the volumes of each class, by name of the class, in the order of their names.
        classes: by name.
        csi_nodes: by name of the node.
        drivers: by name.
        capacities: by name of the class.
        attached: what is attached to each node, as attacher and name of the volume; empty where the release ignores it.
    """

    claims: Mapping[str, PersistentVolumeClaim]
    volumes: Mapping[str, PersistentVolume]
    unbound: Mapping[str, tuple[PersistentVolume, ...]]
    classes: Mapping[str, StorageClass]
    csi_nodes: Mapping[str, CSINode]
    drivers: Mapping[str, CSIDriver]
    capacities: Mapping[str, tuple[CSIStorageCapacity, ...]]
    attached: Mapping[str, tuple[tuple[str, str], ...]]


def storage_index(snapshot: Snapshot) -> StorageIndex:
    """The index of a snapshot's cluster, built once."""
    return snapshot.static("storage index", _index)


def claim_name(pod: Pod, volume: Volume) -> str | None:
    """The claim behind a volume: named, or made for a generic ephemeral one; None where it needs none."""
    if volume.kind == "persistentVolumeClaim":
        return direct_claim(volume)
    return f"{pod.meta.name}-{volume.name}" if volume.kind == "ephemeral" else None


def direct_claim(volume: Volume) -> str:
    """The claim that a `persistentVolumeClaim` volume names."""
    name = volume.source.get("claimName")
    return name if isinstance(name, str) else ""


def direct_claims(pod: Pod) -> Iterator[str]:
    """The claims that a pod names itself, in the order of its volumes."""
    return (direct_claim(volume) for volume in pod.spec.volumes if volume.kind == "persistentVolumeClaim")


def made_for(claim: PersistentVolumeClaim, pod: Pod) -> bool:
    """Whether a generic ephemeral volume's claim belongs to the pod, and not to something of the same name."""
    owner = claim.meta.owner
    return owner is not None and (owner.uid == pod.meta.uid if pod.meta.uid else owner.name == pod.meta.name)


def _index(snapshot: Snapshot) -> StorageIndex:
    cluster = snapshot.cluster
    unbound: dict[str, list[PersistentVolume]] = {}
    for volume in sorted(cluster.volumes, key=lambda volume: volume.meta.name):
        unbound.setdefault(volume.storage_class, []).append(volume)
    capacities: dict[str, list[CSIStorageCapacity]] = {}
    for capacity in cluster.storage_capacities:
        capacities.setdefault(capacity.storage_class, []).append(capacity)
    attached: dict[str, list[tuple[str, str]]] = {}
    for one in cluster.volume_attachments if snapshot.behaviour.counts_attachments else ():
        attached.setdefault(one.node_name, []).append((one.attacher, one.volume_name))
    return StorageIndex(
        {claim.key: claim for claim in cluster.claims},
        {volume.meta.name: volume for volume in cluster.volumes},
        {name: tuple(volumes) for name, volumes in unbound.items()},
        {found.name: found for found in cluster.storage_classes},
        {found.name: found for found in cluster.csi_nodes},
        {found.name: found for found in cluster.csi_drivers},
        {name: tuple(found) for name, found in capacities.items()},
        {name: tuple(found) for name, found in attached.items()},
    )
