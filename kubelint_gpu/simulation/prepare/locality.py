"""The nodes that take a pod by itself, and the pods that it must be near."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import product

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.scheduler.companions import HOSTNAME, attracts_itself, own_terms
from kubelint_gpu.scheduler.companions import companions as meeting
from kubelint_gpu.scheduler.relations import likeness
from kubelint_gpu.values import replace


def eligible_nodes(pod: Pod, empty: Snapshot, others: Iterable[Pod] = ()) -> frozenset[str]:
    """The nodes that take the pod when nothing else runs. A pod in `others` that it must be near may be anywhere."""
    if not companions(pod, others, empty):
        return _fits(pod, empty)
    keys = {term.topology_key for term in pod.spec.pod_affinity}
    anywhere = replace(pod, spec=replace(pod.spec, pod_affinity=()))
    labelled = {info.name for info in empty.nodes if keys <= info.node.labels.keys()}
    return _fits(anywhere, empty) & labelled


def nodes_beside_anybody(pod: Pod, empty: Snapshot) -> frozenset[str]:
    """The nodes that take the pod when nothing else runs, without its volumes and its terms about other pods."""
    spec = replace(pod.spec, volumes=(), pod_affinity=(), pod_anti_affinity=(), spread=())
    return frozenset(fit(replace(pod, spec=spec), empty).fits)


def _fits(pod: Pod, empty: Snapshot) -> frozenset[str]:
    """The nodes that take the pod. If an attempt fails with an error over a free device, the nodes that can take it."""
    known: dict[Hashable, frozenset[str]] = empty.derived("takers", lambda _: {})
    key = likeness(pod, empty)
    if key not in known:
        found = fit(pod, empty)
        if found.hopeful and not found.schedulable:
            found = fit(replace(pod, spec=replace(pod.spec, resource_claims=())), empty)
        known[key] = frozenset(found.takers)
    return known[key]


def companions(pod: Pod, others: Iterable[Pod], snapshot: Snapshot) -> list[Pod]:
    """The other pods that the pod must be near: each meets all terms of its required affinity."""
    if not pod.spec.pod_affinity:
        return []
    return meeting(own_terms(pod, pod.spec.pod_affinity, snapshot), others)


def needs_others(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether the pod must be near pods of other workloads."""
    return bool(pod.spec.pod_affinity) and not attracts_itself(pod, snapshot)


def keep_apart(pods: Sequence[Pod], snapshot: Snapshot) -> bool:
    """Whether anti-affinity keeps any two pods like these off the same node."""
    terms = [
        [term for term in own_terms(pod, pod.spec.pod_anti_affinity, snapshot) if term.key == HOSTNAME] for pod in pods
    ]
    refused = [[any(term.matches(other) for term in mine) for other in pods] for mine in terms]
    return all(refused[one][two] or refused[two][one] for one, two in product(range(len(pods)), repeat=2))
