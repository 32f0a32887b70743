"""Claims that keep no pod from any node and no two pods apart: what is decided is the same without them."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.storage import READ_WRITE_ONCE_POD, PersistentVolume, PersistentVolumeClaim
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

_CLAIM = "persistentVolumeClaim"
_ONE_NODE = "ReadWriteOnce"
# sources of which no node takes a limited number
_UNCOUNTED = ("", "nfs", "cephfs", "glusterfs", "hostPath")


def without_shared_claims(transitions: Sequence[Transition], cluster: Cluster) -> tuple[list[Transition], Cluster]:
    """The same without claims that decide nothing."""
    claims = _shared(cluster)
    if not claims:
        return list(transitions), cluster

    def light(workload: Workload) -> Workload:
        spec = _without(workload.spec, workload.meta.namespace, claims)
        return workload if spec is workload.spec else replace(workload, spec=spec)

    found = []
    for one in transitions:
        new = light(one.new)
        found.append(replace(one, new=new, old=new if one.old is one.new else light(one.old)))
    pods = tuple(
        replace(pod, spec=_without(pod.spec, pod.meta.namespace, claims)) if pod.spec.volumes else pod
        for pod in cluster.pods
    )
    return found, replace(cluster, pods=pods)


def _shared(cluster: Cluster) -> frozenset[str]:
    """The bound claims, as `namespace/name`, that any number of pods may use on every node."""
    volumes = {volume.meta.name: volume for volume in cluster.volumes}
    return frozenset(
        claim.key for claim in cluster.claims if _is_shared(claim, volumes.get(claim.volume_name), cluster)
    )


def _without(spec: PodSpec, namespace: str, claims: frozenset[str]) -> PodSpec:
    """The spec without the volumes of some claims."""
    left = tuple(
        volume
        for volume in spec.volumes
        if volume.kind != _CLAIM or f"{namespace}/{volume.source.get('claimName', '')}" not in claims
    )
    return spec if len(left) == len(spec.volumes) else replace(spec, volumes=left)


def _is_shared(claim: PersistentVolumeClaim, volume: PersistentVolume | None, cluster: Cluster) -> bool:
    if volume is None or claim.phase != "Bound" or claim.meta.terminating:
        return False
    if READ_WRITE_ONCE_POD in claim.access_modes or _ONE_NODE in claim.access_modes:
        return False
    counted = volume.kind not in _UNCOUNTED and (volume.kind != "csi" or bool(cluster.csi_nodes))
    return volume.node_affinity is None and not volume.meta.labels and not counted
