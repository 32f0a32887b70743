"""Claims, volumes and CSI objects by name, and the claims of a pod's volumes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.meta import OwnerReference
from kubelint_gpu.kube.objects.pod import Pod, PodSpec, Volume
from kubelint_gpu.kube.objects.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    read_persistent_volume_claim,
    with_default_class,
)
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler.framework.facts import (
    Blockers,
    Facts,
    Held,
    Slots,
    Token,
    Tokens,
    never,
    no_slots,
    nobody,
    nothing,
)
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import Value, replace

CLAIM_NOT_FOUND = 'persistentvolumeclaim "{name}" not found'


class StorageIndex(Value):
    """The storage objects of a cluster.

    Attributes:
        claims: by `namespace/name`.
        volumes: by name.
        unbound: the volumes of each class, by name of the class, in the order of their names.
        classes: by name.
        csi_nodes: by name of the node.
        drivers: by name.
        capacities: by name of the class.
        attached: for each node, the attacher and name of attached volumes; empty if the release ignores them.
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


def claim_of(pod: Pod, volume: Volume, index: StorageIndex) -> PersistentVolumeClaim | None:
    """The claim behind a volume, including the one that the ephemeral volume controller creates for the pod.

    None if there is none, or if it decides nothing, because its volume can be anywhere.
    """
    ephemeral = volume.kind == "ephemeral"
    if not ephemeral and volume.kind != "persistentVolumeClaim":
        return None
    name = f"{pod.meta.name}-{volume.name}" if ephemeral else direct_claim(volume)
    found = index.claims.get(f"{pod.meta.namespace}/{name}")
    # a pod of a template has no name of its own yet
    real = found is not None and (pod.meta.uid not in ("", pod.meta.name) or found.meta.is_made_for(pod.meta))
    return found if real or not ephemeral else _claim_to_make(name, pod, volume, index)


def direct_claim(volume: Volume) -> str:
    """The name of the claim of a `persistentVolumeClaim` volume."""
    name = volume.source.get("claimName")
    return name if isinstance(name, str) else ""


def direct_claims(spec: PodSpec) -> list[str]:
    """The names of the claims that a pod names itself, in the order of its volumes."""
    return [direct_claim(volume) for volume in spec.volumes if volume.kind == "persistentVolumeClaim"]


def claim_keys(pod: Pod | Workload) -> frozenset[str]:
    """The claims that a pod names itself, as `namespace/name`."""
    return frozenset(f"{pod.meta.namespace}/{name}" for name in direct_claims(pod.spec))


def _claim_to_make(name: str, pod: Pod, volume: Volume, index: StorageIndex) -> PersistentVolumeClaim | None:
    claim = read_persistent_volume_claim(volume.source.get("volumeClaimTemplate"), [])
    claim = with_default_class(claim, index.classes.values())
    found = index.classes.get(claim.class_name)
    if found is None or (not found.wait_for_first_consumer and (found.provisions or found.name in index.unbound)):
        return None
    owner = OwnerReference("Pod", pod.meta.name, pod.meta.uid)
    return replace(claim, meta=replace(claim.meta, name=name, namespace=pod.meta.namespace, owner=owner))


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


_CLAIMS = ("persistentVolumeClaim", "ephemeral")


def has_claims(pod: Pod) -> bool:
    """Whether the pod has volumes that use claims."""
    return any(volume.kind in _CLAIMS for volume in pod.spec.volumes)


def has_volumes(pod: Pod) -> bool:
    """Whether the pod has volumes of any kind that a filter can look at."""
    return bool(pod.spec.volumes)


def share_volumes(pod: Pod, other: Pod) -> bool:
    """Whether two pods name the same volume."""
    return bool(pod.spec.volumes and other.spec.volumes) and not set(pod.spec.volumes).isdisjoint(other.spec.volumes)


def volume_facts(
    *,
    asks: Callable[[Pod], bool] = has_claims,
    excludes: Callable[[Pod, Pod], bool] = never,
    blockers: Blockers | None = None,
    token: Tokens | None = None,
    slots: Slots = no_slots,
) -> Facts:
    """The facts of a filter about volumes; `token` distinguishes nodes, besides the volumes of their pods."""
    return Facts(
        Held.VOLUME,
        asks=asks,
        heeds=never,
        excludes=excludes,
        local=lambda pod, _unique: not has_claims(pod),
        refusing=nobody,
        pod_labels=nothing,
        token=_token if token is None else _with_pods(token),
        blockers=blockers,
        slots=slots,
        spared=lambda spec: replace(spec, volumes=()),
    )


def _token(pods: Sequence[Pod], _wide: bool, _cluster: Cluster) -> Token | None:
    """A node with a pod that stays and has volumes is equal to no other."""
    if not any(pod.spec.volumes for pod in pods):
        return None
    return lambda node, placed: node.name if any(pod.spec.volumes for pod in placed) else None


def _with_pods(token: Tokens) -> Tokens:
    def found(pods: Sequence[Pod], wide: bool, cluster: Cluster) -> Token | None:
        by_pods, other = _token(pods, wide, cluster), token(pods, wide, cluster)
        if by_pods is None or other is None:
            return None
        return lambda node, placed: (by_pods(node, placed), other(node, placed))

    return found
