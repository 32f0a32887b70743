"""Volumes while pods come and go: which claims are bound, and which volume one node at a time can attach.

Behaviour: attach/detach controller, 1.34 (`Multi-Attach error`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.storage import BIND_COMPLETED, NO_PROVISIONER, PersistentVolume, PersistentVolumeClaim
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.values import replace

_READ_WRITE_ONCE = "ReadWriteOnce"
_NOT_ATTACHED = ("local", "hostPath", "nfs", "cephfs", "glusterfs")


def exclusive_claims(pod: Pod, cluster: Cluster) -> frozenset[str]:
    """The claims of a pod, as `namespace/name`, whose volume only one node at a time can attach."""
    return frozenset(_exclusive(pod, cluster))


def _exclusive(pod: Pod, cluster: Cluster) -> Iterator[str]:
    if not any(volume.kind == "persistentVolumeClaim" for volume in pod.spec.volumes):
        return
    claims = {(claim.meta.namespace, claim.meta.name): claim for claim in cluster.claims}
    volumes = {volume.meta.name: volume for volume in cluster.volumes}
    for volume in pod.spec.volumes:
        if volume.kind != "persistentVolumeClaim":
            continue
        claim = claims.get((pod.meta.namespace, str(volume.source.get("claimName", ""))))
        if claim is None or not claim.access_modes or any(mode != _READ_WRITE_ONCE for mode in claim.access_modes):
            continue
        bound = volumes.get(claim.volume_name)
        if bound is not None and bound.kind in _NOT_ATTACHED:
            continue
        yield f"{pod.meta.namespace}/{claim.meta.name}"


def with_bound_claims(cluster: Cluster, users: Iterable[tuple[str, PodSpec]]) -> Cluster:
    """The cluster as it is once its workloads run, given as (namespace, spec): their claims are bound.

    A claim that is not declared is taken to exist, and a volume that is not to be reachable from every node.
    Claims of classes that choose the volume by the node (`WaitForFirstConsumer` with local volumes or topologies) stay
    open, so that every node is asked for.
    """
    declared = {claim.key for claim in cluster.claims}
    missing: dict[str, PersistentVolumeClaim] = {}
    for namespace, spec in users:
        for volume in spec.volumes:
            name = str(volume.source.get("claimName") or "") if volume.kind == "persistentVolumeClaim" else ""
            if name and f"{namespace}/{name}" not in declared:
                missing[f"{namespace}/{name}"] = PersistentVolumeClaim(Meta(name, namespace))
    if not cluster.claims and not missing:
        return cluster
    known = {volume.meta.name for volume in cluster.volumes}
    classes = {found.name: found for found in cluster.storage_classes}
    claims: list[PersistentVolumeClaim] = []
    made: list[PersistentVolume] = []
    for claim in (*cluster.claims, *missing.values()):
        found = classes.get(claim.class_name)
        waits = found is not None and found.wait_for_first_consumer and not claim.volume_name
        if waits and found is not None and (found.topologies or found.provisioner in ("", NO_PROVISIONER)):
            claims.append(claim)
            continue
        name = claim.volume_name or f"volume of {claim.key}"
        if name not in known:
            known.add(name)
            meta = replace(claim.meta, name=name, namespace="", uid="", labels=FrozenMap(), annotations=FrozenMap())
            made.append(PersistentVolume(meta, access_modes=claim.access_modes, phase="Bound"))
        annotations = FrozenMap({**claim.meta.annotations, BIND_COMPLETED: "yes"})
        claims.append(
            replace(claim, meta=replace(claim.meta, annotations=annotations), volume_name=name, phase="Bound")
        )
    return replace(cluster, claims=tuple(claims), volumes=(*cluster.volumes, *made))
