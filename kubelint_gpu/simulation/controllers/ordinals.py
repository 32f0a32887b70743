"""Single pods of a controller that numbers them: their names, labels and claims."""

from __future__ import annotations

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, Volume
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.values import replace

_REVISION_LABEL = "controller-revision-hash"


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


def with_revision(pod: Pod, revision: str) -> Pod:
    """The pod with the label that tells the revisions of a StatefulSet or a DaemonSet apart."""
    labels = FrozenMap({**pod.meta.labels, _REVISION_LABEL: revision})
    return replace(pod, meta=replace(pod.meta, labels=labels))
