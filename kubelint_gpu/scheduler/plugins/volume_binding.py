"""Whether the volumes of a pod's claims can be reached from a node, found for it, or provisioned there."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.selectors import NodeSelector, Requirement
from kubelint_gpu.scheduler.framework.facts import Token
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status, rejected
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.framework.storage_index import (
    CLAIM_NOT_FOUND,
    StorageIndex,
    claim_of,
    direct_claim,
    storage_index,
    volume_facts,
)
from kubelint_gpu.scheduler.plugins.node_affinity import looked_at, seen
from kubelint_gpu.values import Value

NAME = "VolumeBinding"
UNBOUND_REASON = "pod has unbound immediate PersistentVolumeClaims"
BIND_REASON = NodeReason("didn't find available persistent volumes to bind")
STORAGE_REASON = NodeReason("did not have enough free storage")
MISSING_REASON = NodeReason("unavailable due to one or more pvc(s) bound to non-existent pv(s)", "it is {}")
LOST = 'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume}"'
DELETED = 'persistentvolumeclaim "{name}" is being deleted'
NOT_OWNED = "PVC {claim} was not created for pod {pod} (pod is not owner)"
_HOSTNAME = "kubernetes.io/hostname"


class ClaimState(Value):
    """The pod's claims by what is left to do for them.

    Attributes:
        bound: the volumes of the bound claims; None for a volume that does not exist.
        delayed: the claims whose volumes are found or provisioned after the node is chosen.
        storage: the storage objects.
        unreachable: the reason of a node that a bound volume cannot reach.
    """

    bound: tuple[PersistentVolume | None, ...]
    delayed: tuple[PersistentVolumeClaim, ...]
    storage: StorageIndex
    unreachable: str


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    if not pod.spec.volumes:
        return SKIP
    index = storage_index(snapshot)
    claims: list[PersistentVolumeClaim] = []
    for volume in pod.spec.volumes:
        claim = claim_of(pod, volume, index)
        if claim is None and volume.kind == "persistentVolumeClaim":
            return rejected(NAME, CLAIM_NOT_FOUND.format(name=direct_claim(volume)))
        if claim is None:
            continue
        problem = _problem(claim)
        if problem is None and volume.kind == "ephemeral" and not claim.meta.is_made_for(pod.meta):
            problem = NOT_OWNED.format(claim=claim.key, pod=pod.key)
        if problem is not None:
            return rejected(NAME, problem)
        claims.append(claim)
    if not claims:
        return SKIP
    delayed = tuple(claim for claim in claims if not claim.bound)
    if not all(_is_delayed(claim, index) for claim in delayed):
        return rejected(NAME, UNBOUND_REASON)
    bound = tuple(index.volumes.get(claim.volume_name) for claim in claims if claim.bound)
    return Prepared(
        ClaimState(bound, delayed, index, snapshot.behaviour.volume_affinity),
        nodes=_local_nodes(bound) if snapshot.behaviour.volume_narrowing else None,
        labels=looked_at(_requirements(bound, delayed, index)),
        apart=frozenset(claim.selected_node for claim in delayed if claim.selected_node is not None),
    )


def _filter(state: ClaimState, node: NodeInfo) -> Status | None:
    labels = node.node.meta.labels
    reachable, present = _check_bound(state.bound, labels)
    found, sufficient = _check_delayed(state, node)
    checks = (
        (reachable, state.unreachable),
        (found, BIND_REASON),
        (sufficient, STORAGE_REASON),
        (present, MISSING_REASON),
    )
    reasons = tuple(reason for passed, reason in checks if not passed)
    return Status(NAME, Code.UNRESOLVABLE, reasons) if reasons else None


def _problem(claim: PersistentVolumeClaim) -> str | None:
    if claim.phase == "Lost":
        return LOST.format(name=claim.meta.name, volume=claim.volume_name)
    return DELETED.format(name=claim.meta.name) if claim.meta.terminating else None


def _is_delayed(claim: PersistentVolumeClaim, index: StorageIndex) -> bool:
    found = index.classes.get(claim.class_name)
    return not claim.volume_name and found is not None and found.wait_for_first_consumer


def _check_bound(bound: Iterable[PersistentVolume | None], labels: FrozenMap[str, str]) -> tuple[bool, bool]:
    """Whether all bound volumes reach the node, and whether they exist; stops at the first failure."""
    for volume in bound:
        if volume is None:
            return True, False
        if not volume.reachable_from(labels):
            return False, True
    return True, True


def _check_delayed(state: ClaimState, node: NodeInfo) -> tuple[bool, bool]:
    """Whether every delayed claim gets a volume, and whether there is capacity for those to be provisioned."""
    to_make: list[PersistentVolumeClaim] = []
    to_find: list[PersistentVolumeClaim] = []
    for claim in state.delayed:
        if claim.selected_node is None:
            to_find.append(claim)
        elif claim.selected_node == node.name:
            to_make.append(claim)
        else:
            return False, True
    to_make += [claim for claim, volume in _found(to_find, state.storage, node) if volume is None]
    for claim in to_make:
        found = state.storage.classes[claim.class_name]
        labels = node.node.meta.labels
        if not found.provisions or not found.allows(labels):
            return False, True
        if not _has_room(claim, found, state.storage, labels):
            return True, False
    return True, True


def _found(
    claims: Iterable[PersistentVolumeClaim], storage: StorageIndex, node: NodeInfo
) -> Iterator[tuple[PersistentVolumeClaim, PersistentVolume | None]]:
    """Yield the volume that each claim gets on a node, the smallest claim first; None if there is none."""
    taken: set[str] = set()
    for claim in sorted(claims, key=lambda claim: claim.request or 0):
        found = best_volumes(claim, storage.unbound.get(claim.class_name, ()), node.node.meta.labels, taken)
        if found:
            taken.add(found[0].meta.name)
        yield claim, found[0] if found else None


def bound_with(pod: Pod, snapshot: Snapshot, node_name: str) -> dict[str, str]:
    """The existing volumes that are bound to a pod's claims when it is placed on a node, by key of the claim.

    Volumes that are provisioned there are not included.
    """
    index, node = storage_index(snapshot), snapshot.node(node_name)
    claims = [claim_of(pod, volume, index) for volume in pod.spec.volumes]
    to_find = [claim for claim in claims if claim is not None and _is_delayed(claim, index)]
    found = _found(to_find, index, node) if node is not None else ()
    return {claim.key: volume.meta.name for claim, volume in found if volume is not None}


def best_volumes(
    claim: PersistentVolumeClaim,
    volumes: Iterable[PersistentVolume],
    labels: FrozenMap[str, str] | None,
    taken: Container[str] = (),
) -> list[PersistentVolume]:
    """The volume that is reserved for a claim, or else the smallest volumes that serve it, all equally large.

    `volumes` are those of its class. With `labels` they must be reachable from a node with these labels.
    Source: `FindMatchingVolume` of component-helpers/storage/volume/pv_helpers.go, 1.34.
    """
    best: list[PersistentVolume] = []
    for volume in volumes:
        if volume.meta.name in taken or unsuited(volume, claim):
            continue
        reaches = labels is None or volume.reachable_from(labels)
        if volume.claim is not None:
            return [volume] if reaches else []
        if reaches and (not best or volume.capacity <= best[0].capacity):
            best = [*(best if best and volume.capacity == best[0].capacity else ()), volume]
    return best


def unsuited(volume: PersistentVolume, claim: PersistentVolumeClaim) -> str:
    """Why a claim never gets a volume of its class on any node; empty if it can."""
    reserved = volume.claim is not None
    if reserved and not volume.reserved_for(claim):
        return "it is another claim's"
    if volume.meta.terminating:
        return "it is being deleted"
    if volume.capacity < (claim.request or 0):
        return "it is too small"
    if volume.volume_mode != claim.volume_mode or volume.attributes_class != claim.attributes_class:
        return "its volumeMode or VolumeAttributesClass is another"
    if not reserved and volume.phase != "Available":
        return f"it is {volume.phase}"
    if not reserved and claim.selector is not None and not claim.selector.matches(volume.meta.labels):
        return "it does not have the labels that the claim selects"
    if not reserved and not set(claim.access_modes) <= set(volume.access_modes):
        return "it does not have the access modes of the claim"
    return ""


def _has_room(
    claim: PersistentVolumeClaim, found: StorageClass, index: StorageIndex, labels: FrozenMap[str, str]
) -> bool:
    driver = index.drivers.get(found.provisioner)
    if claim.request is None or driver is None or not driver.storage_capacity:
        return True
    return any(
        capacity.largest is not None
        and _bytes(capacity.largest) >= _bytes(claim.request)
        and capacity.topology is not None
        and capacity.topology.matches(labels)
        for capacity in index.capacities.get(found.name, ())
    )


def _bytes(amount: int) -> int:
    return -(-amount // 1000)


def _requirements(
    bound: Iterable[PersistentVolume | None], delayed: Iterable[PersistentVolumeClaim], index: StorageIndex
) -> Iterator[Requirement]:
    """Yield every requirement on node labels that decides about these volumes."""
    for volume in bound:
        if volume is not None:
            yield from _expressions(volume.node_affinity)
    for name in dict.fromkeys(claim.class_name for claim in delayed):
        for volume in index.unbound.get(name, ()):
            yield from _expressions(volume.node_affinity)
        yield from _expressions(index.classes[name].topologies)
        for capacity in index.capacities.get(name, ()):
            if capacity.topology is not None:
                yield from capacity.topology.requirements


def _expressions(selector: NodeSelector | None) -> Iterator[Requirement]:
    if selector is not None:
        for term in selector.terms:
            yield from term.expressions


def _local_nodes(bound: Iterable[PersistentVolume | None]) -> frozenset[str] | None:
    """The nodes that bound volumes name by host name, which releases before 1.31 narrow to; None if there are none.

    These releases confuse host names with node names (kubernetes/kubernetes#125336).
    """
    left: frozenset[str] | None = None
    for volume in bound:
        if volume is None:
            return None
        named: set[str] = set()
        for term in () if volume.node_affinity is None else volume.node_affinity.terms:
            values = [
                frozenset(one.values) for one in term.expressions if one.key == _HOSTNAME and one.operator == "In"
            ]
            if values:
                named |= frozenset.intersection(*values)
        if named:
            left = frozenset(named) if left is None else left & named
    return left


def _token(_pods: Sequence[Pod], _wide: bool, cluster: Cluster) -> Token | None:
    """A key of a node that covers everything that volumes, classes and capacities look at."""
    requirements = list(_all_requirements(cluster))
    labels = looked_at(requirements)
    named = {claim.selected_node for claim in cluster.claims}
    named |= {value for one in requirements if one.key == _HOSTNAME for value in one.values}
    return lambda node, _: (node.name if node.name in named else None, *seen(node.labels, labels))


def _all_requirements(cluster: Cluster) -> Iterator[Requirement]:
    for volume in cluster.volumes:
        yield from _expressions(volume.node_affinity)
    for found in cluster.storage_classes:
        yield from _expressions(found.topologies)
    for capacity in cluster.storage_capacities:
        if capacity.topology is not None:
            yield from capacity.topology.requirements


PLUGIN = Plugin(NAME, _pre_filter, _filter, facts=volume_facts(token=_token))
