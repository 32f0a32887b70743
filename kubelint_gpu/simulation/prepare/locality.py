"""Whether what happens on one node can depend on another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.scheduler.companions import attracts_itself, own_terms
from kubelint_gpu.scheduler.companions import companions as meeting
from kubelint_gpu.values import replace

_CLAIMS = ("persistentVolumeClaim", "ephemeral")


def eligible_nodes(pod: Pod, empty: Snapshot, others: Iterable[Pod] = ()) -> frozenset[str]:
    """The nodes that take the pod when nothing else runs, but for one of `others` that it must be near to, anywhere."""
    if not companions(pod, others, empty):
        return frozenset(fit(pod, empty).fits)
    keys = {term.topology_key for term in pod.spec.pod_affinity}
    anywhere = replace(pod, spec=replace(pod.spec, pod_affinity=()))
    labelled = {info.name for info in empty.nodes if keys <= info.node.labels.keys()}
    return frozenset(fit(anywhere, empty).fits) & labelled


def companions(pod: Pod, others: Iterable[Pod], snapshot: Snapshot) -> list[Pod]:
    """Those of other pods that the pod must be near to: each meets all terms of its required affinity."""
    if not pod.spec.pod_affinity:
        return []
    return meeting(own_terms(pod, pod.spec.pod_affinity, snapshot), others)


def needs_others(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether the pod must be near to pods that are not its brothers."""
    return bool(pod.spec.pod_affinity) and not attracts_itself(pod, snapshot)


def has_claims(pod: Pod) -> bool:
    """Whether volumes of the pod are claimed."""
    return any(volume.kind in _CLAIMS for volume in pod.spec.volumes)


def local_kinds(pods: Sequence[Pod], fixed: Sequence[Pod], nodes: Sequence[Node]) -> tuple[bool, ...]:
    """Per pod: whether its fit on a node depends on that node alone."""
    unique: dict[str, bool] = {}

    def is_unique(key: str) -> bool:
        if key not in unique:
            values = [node.labels[key] for node in nodes if key in node.labels]
            unique[key] = len(values) == len(set(values))
        return unique[key]

    wide = [
        term.selector
        for pod in (*pods, *fixed)
        for term in pod.spec.pod_anti_affinity
        if not is_unique(term.topology_key) and term.selector is not None
    ]

    def is_local(pod: Pod) -> bool:
        spec = pod.spec
        if spec.pod_affinity or any(constraint.do_not_schedule for constraint in spec.spread) or has_claims(pod):
            return False
        if any(not is_unique(term.topology_key) for term in spec.pod_anti_affinity):
            return False
        return not any(selector.matches(pod.meta.labels) for selector in wide)

    return tuple([is_local(pod) for pod in pods])


def attends(pod: Pod, other: Pod) -> bool:
    """Whether a term of one pod's affinity, anti-affinity or spreading may be about another pod.

    Namespaces are not looked at.
    """
    labels = other.meta.labels
    spec = pod.spec
    for term in (*spec.pod_affinity, *spec.pod_anti_affinity):
        if term.selector is not None and term.selector.matches(labels):
            return True
    return any(
        constraint.do_not_schedule and constraint.selector is not None and constraint.selector.matches(labels)
        for constraint in spec.spread
    )
