"""Single pods of a controller that numbers its pods: their names, labels and claims."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, Volume
from kubelint_gpu.kube.objects.rolling import StatefulSetStrategy
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.values import replace

POD_LABELS = ("statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index")
"""The labels that tell the pods of a StatefulSet apart."""
_CLAIM = "persistentVolumeClaim"
_REVISION_LABEL = "controller-revision-hash"


def first_ordinal_of(workload: Workload) -> int:
    """The written first ordinal of a StatefulSet."""
    strategy = workload.strategy
    return strategy.first_ordinal if isinstance(strategy, StatefulSetStrategy) else 0


def ordinal_pod(pod: Pod, name: str, ordinal: int) -> Pod:
    """Return a StatefulSet's pod with the name and the labels of an ordinal.

    Source: `updateIdentity` of pkg/controller/statefulset/stateful_set_utils.go.
    """
    labels = FrozenMap({**pod.meta.labels, **dict(zip(POD_LABELS, (name, str(ordinal)), strict=True))})
    return replace(pod, meta=replace(pod.meta, name=name, labels=labels))


def ordinal_pods(workload: Workload, pod: Pod) -> Iterator[Pod]:
    """Yield the pod with each ordinal of its workload, up to the budget for replicas."""
    first = first_ordinal_of(workload)
    for ordinal in range(first, first + min(workload.replicas, BUDGET.replicas)):
        yield ordinal_pod(pod, f"{workload.meta.name}-{ordinal}", ordinal)


def claim_names(workload: Workload, ordinal: int) -> tuple[str, ...]:
    """The names of the claims that the controller creates for an ordinal: `<template>-<name>-<ordinal>`.

    Source: `getPersistentVolumeClaimName` of pkg/controller/statefulset/stateful_set_utils.go.
    """
    return tuple(f"{template.meta.name}-{workload.meta.name}-{ordinal}" for template in workload.claims)


def makes_claim(workload: Workload, key: str, first: int) -> bool:
    """Whether the controller creates the claim `key` (`namespace/name`) for an ordinal from `first` on."""
    for template in workload.claims:
        start = f"{workload.meta.namespace}/{template.meta.name}-{workload.meta.name}-"
        rest = key.removeprefix(start)
        if rest != key and rest.isdecimal() and first <= int(rest[:10]) < first + workload.replicas:
            return True
    return False


def with_claims(pod: Pod, workload: Workload, ordinal: int, cluster: Cluster) -> Pod:
    """Return a StatefulSet's pod with those claims of its ordinal that exist in the cluster."""
    names = claim_names(workload, ordinal)
    if not names:
        return pod
    known = {claim.meta.name for claim in cluster.claims if claim.meta.namespace == pod.meta.namespace}
    known -= {volume.source.get("claimName") for volume in pod.spec.volumes}
    more = tuple(Volume("", _CLAIM, FrozenMap({"claimName": name})) for name in names if name in known)
    return replace(pod, spec=replace(pod.spec, volumes=(*pod.spec.volumes, *more))) if more else pod


def with_revision(pod: Pod, revision: str) -> Pod:
    """Return the pod with the label of its revision, for a StatefulSet or a DaemonSet."""
    labels = FrozenMap({**pod.meta.labels, _REVISION_LABEL: revision})
    return replace(pod, meta=replace(pod.meta, labels=labels))
