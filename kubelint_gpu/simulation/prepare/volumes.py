"""Volumes while pods come and go: which claims are bound, and which volumes only one node at a time can attach.

Behaviour: attach/detach controller, 1.34 (`Multi-Attach error`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.storage import (
    BIND_COMPLETED,
    READ_WRITE_ONCE,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    with_default_class,
)
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.selectors import NodeSelector
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.scheduler.plugins.node_volume_limits import csi_driver
from kubelint_gpu.scheduler.plugins.volume_binding import best_volumes
from kubelint_gpu.values import replace

_NOT_ATTACHED = frozenset(("local", "hostPath", "nfs", "cephfs", "glusterfs"))


def exclusive_claims(pod: Pod, cluster: Cluster) -> frozenset[str]:
    """The claims of a pod, as `namespace/name`, whose volume only one node at a time can attach."""
    mine = claim_keys(pod)
    return frozenset(one.key for one in cluster.claims if one.key in mine and _is_exclusive(one, cluster))


def _is_exclusive(claim: PersistentVolumeClaim, cluster: Cluster) -> bool:
    kinds = _kinds(claim, cluster) if {*claim.access_modes} == {READ_WRITE_ONCE} else _NOT_ATTACHED
    return not kinds or not kinds.issubset(_NOT_ATTACHED)


def _kinds(claim: PersistentVolumeClaim, cluster: Cluster) -> frozenset[str]:
    """The kinds of the volumes that a claim has or may be bound to; empty if this is not known."""
    if claim.volume_name:
        return frozenset(one.kind for one in cluster.volumes if one.meta.name == claim.volume_name)
    name = with_default_class(claim, cluster.storage_classes).class_name
    if any(one.provisions for one in cluster.storage_classes if one.name == name):
        return frozenset()
    return frozenset(one.kind for one in cluster.volumes if one.storage_class == name)


def with_bound_claims(cluster: Cluster, users: Iterable[Workload], fresh: Container[str] = ()) -> Cluster:
    """The cluster once its workloads run: the volume controller has bound claims.

    An undeclared claim is assumed to exist. An undeclared volume is assumed to be reachable from every node; so are
    volumes that a provisioner creates within the topologies of its class, and those of an undeclared class if none of
    its declared volumes fits: claims of such a class are bound at once. Claims stay unbound if the volume is chosen
    with the node (`WaitForFirstConsumer`, with existing volumes or topologies), and if a declared class has neither a
    fitting volume nor a provisioner. So do claims in `fresh`, as `namespace/name`, if the driver publishes its storage
    capacity.
    Source: `syncUnboundClaim` of pkg/controller/volume/persistentvolume/pv_controller.go, 1.34.
    """
    users = tuple(users)
    keys = {key for one in users for key in claim_keys(one)}.difference(one.key for one in cluster.claims)
    named = (key.partition("/") for key in sorted(keys))
    missing = [PersistentVolumeClaim(Meta(name, namespace)) for namespace, _, name in named if name]
    if not cluster.claims and not missing:
        return cluster
    known = {volume.meta.name for volume in cluster.volumes}
    classes = {found.name: found for found in cluster.storage_classes}
    taken = {claim.volume_name for claim in cluster.claims}
    claims: list[PersistentVolumeClaim] = []
    made: list[PersistentVolume] = []
    every = [with_default_class(one, cluster.storage_classes) for one in (*cluster.claims, *missing)]
    alike = _alike(every, users)
    for claim in every:
        of_class = classes.get(claim.class_name)
        found = _chosen(claim, cluster, of_class, taken, alike.get(claim.key, 0))
        if found is None or (claim.key in fresh and found.meta.name not in known and is_weighed(of_class, cluster)):
            claims.append(claim)
            continue
        taken.add(found.meta.name)
        if found.meta.name not in known:
            known.add(found.meta.name)
            made.append(found)
        claims.append(bound_to(claim, found.meta.name))
    return replace(cluster, claims=tuple(claims), volumes=(*cluster.volumes, *made))


def _alike(claims: Iterable[PersistentVolumeClaim], users: Iterable[Workload]) -> Mapping[str, int]:
    """For each unbound claim, how many equal claims its workload has; claims of several workloads are left out."""
    owners = {key: one.key for one in users for key in claim_keys(one)}
    of_templates = {
        f"{one.meta.namespace}/{template.meta.name}-{one.meta.name}": one.key
        for one in users
        for template in one.claims
    }

    def owner(claim: PersistentVolumeClaim) -> str:
        return owners.get(claim.key) or of_templates.get(claim.key.rpartition("-")[0], claim.key)

    found = grouped(((one.class_name, one.access_modes, one.volume_mode), one) for one in claims if not one.volume_name)
    return {
        one.key: len(mine)
        for mine in found.values()
        if len({(owner(one), one.request) for one in mine}) == 1
        for one in mine
    }


def bound_to(claim: PersistentVolumeClaim, volume: str) -> PersistentVolumeClaim:
    """The claim after it is bound to a volume."""
    annotations = FrozenMap({**claim.meta.annotations, BIND_COMPLETED: "yes"})
    return replace(claim, meta=replace(claim.meta, annotations=annotations), volume_name=volume, phase="Bound")


def driver_of(found: StorageClass | None) -> str:
    """The CSI driver that provisions the volumes of a class; empty if none does."""
    return csi_driver(found.provisioner) if found is not None and found.provisions else ""


def is_weighed(found: StorageClass | None, cluster: Cluster) -> bool:
    """Whether the scheduler checks the storage capacity of a node before a volume of the class is provisioned."""
    waits = found is not None and found.wait_for_first_consumer
    return waits and any(one.storage_capacity and one.name == driver_of(found) for one in cluster.csi_drivers)


def of_template(
    template: PersistentVolumeClaim, name: str, namespace: str, cluster: Cluster, counted: Container[str]
) -> PersistentVolumeClaim | None:
    """The claim that a template creates; None if any node could have its volume, so that it decides nothing.

    Nodes may limit the number of volumes of the `counted` drivers.
    """
    meta = replace(template.meta, name=name, namespace=namespace, uid="")
    claim = with_default_class(replace(template, meta=meta, phase="Pending"), cluster.storage_classes)
    volumes = [one for one in cluster.volumes if one.storage_class == claim.class_name]
    found = next((one for one in cluster.storage_classes if one.name == claim.class_name), None)
    if any(one.reserved_for(claim) for one in volumes):
        return claim
    if found is None:
        return claim if volumes else None
    limited = driver_of(found) in counted or is_weighed(found, cluster)
    return claim if volumes or limited or not found.provisions or found.topologies else None


def _chosen(
    claim: PersistentVolumeClaim, cluster: Cluster, found: StorageClass | None, taken: Container[str], alike: int
) -> PersistentVolume | None:
    """The volume that the volume controller binds a claim to, or has provisioned for it; None if the claim waits.

    If as many claims are `alike` as there are volumes for them, each volume is bound to one.
    """
    if claim.volume_name:
        return _named(claim, cluster)
    volumes = [one for one in cluster.volumes if one.storage_class == claim.class_name]
    best = best_volumes(claim, volumes, None, taken)
    waits = found is not None and found.wait_for_first_consumer
    if best and best[0].claim is not None and not waits:
        return best[0]
    if found is not None and waits:
        open_to = found.topologies or not found.provisions or best
        return None if open_to else _made(claim, found, cluster)
    if best:
        if len(best) <= alike:
            return max(best, key=lambda one: any(one.reachable_from(node.labels) for node in cluster.nodes))
        # which of several equal ones it takes is not known
        return best[0] if len({one.node_affinity for one in best}) == 1 else _made(claim)
    if found is None:
        # where some volumes are of no class, a claim of none waits for one of them
        return None if volumes and claim.storage_class == "" else _made(claim)
    return _made(claim, found, cluster, found.topologies) if found.provisions else None


def _named(claim: PersistentVolumeClaim, cluster: Cluster) -> PersistentVolume | None:
    """The volume that a claim names; None if it waits for that volume."""
    named = next((one for one in cluster.volumes if one.meta.name == claim.volume_name), None)
    if named is None or claim.phase == "Bound" or claim.bound or named.reserved_for(claim):
        return named or _made(claim)
    # a claim that names no class gets the default class, which may not be declared
    of_class = claim.storage_class in (None, named.storage_class)
    return named if of_class and best_volumes(replace(claim, selector=None), [named], None) else None


def _made(
    claim: PersistentVolumeClaim,
    found: StorageClass | None = None,
    cluster: Cluster | None = None,
    topologies: NodeSelector | None = None,
) -> PersistentVolume:
    """A volume that every node reaches, or every node of some topologies; its exact topology is unknown.

    If its CSI driver is known and nodes limit the number of its volumes, the volume belongs to this driver.
    """
    name = claim.volume_name or f"volume of {claim.key}"
    meta = replace(claim.meta, name=name, namespace="", uid="", labels=FrozenMap(), annotations=FrozenMap())
    driver = driver_of(found) if cluster is not None and claim.request is not None else ""
    limited = cluster is not None and any(driver in one.limits for one in cluster.csi_nodes)
    kind, source = ("csi", FrozenMap({"driver": driver, "volumeHandle": name})) if limited else ("", FrozenMap())
    return PersistentVolume(
        meta, access_modes=claim.access_modes, node_affinity=topologies, phase="Bound", kind=kind, source=source
    )
