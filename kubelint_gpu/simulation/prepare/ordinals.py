"""Single pods of a StatefulSet: their names, labels and claims."""

from __future__ import annotations

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, Volume
from kubelint_gpu.kube.objects.rolling import StatefulSetStrategy
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.values import replace


def ordinal_pod(pod: Pod, name: str, ordinal: int) -> Pod:
    """The pod of a StatefulSet with the name and the labels that its controller gives to that of an ordinal.

    Source: `updateIdentity` of pkg/controller/statefulset/stateful_set_utils.go.
    """
    labels = FrozenMap(
        {
            **pod.meta.labels,
            "statefulset.kubernetes.io/pod-name": name,
            "apps.kubernetes.io/pod-index": str(ordinal),
        }
    )
    return replace(pod, meta=replace(pod.meta, name=name, labels=labels))


def with_claims(pod: Pod, name: str, ordinal: int, cluster: Cluster) -> Pod:
    """The pod of a StatefulSet with the claims that the cluster has for its ordinal (`<template>-<name>-<ordinal>`)."""
    ending = f"-{name}-{ordinal}"
    has = {volume.source.get("claimName") for volume in pod.spec.volumes}
    more = tuple(
        Volume("", "persistentVolumeClaim", FrozenMap({"claimName": claim.meta.name}))
        for claim in cluster.claims
        if claim.meta.namespace == pod.meta.namespace
        and claim.meta.name.endswith(ending)
        and len(claim.meta.name) > len(ending)
        and claim.meta.name not in has
    )
    return replace(pod, spec=replace(pod.spec, volumes=(*pod.spec.volumes, *more))) if more else pod


def has_ordinal_claims(workload: Workload, cluster: Cluster) -> bool:
    """Whether the cluster has claims for single pods of a StatefulSet."""
    strategy = workload.strategy
    if not isinstance(strategy, StatefulSetStrategy) or not cluster.claims:
        return False
    pod = created_pod(workload, "old")
    ordinals = range(strategy.first_ordinal, strategy.first_ordinal + workload.replicas)
    return any(with_claims(pod, workload.meta.name, ordinal, cluster) is not pod for ordinal in ordinals)
