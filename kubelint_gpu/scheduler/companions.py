"""Which pods a pod must be near, and whether such pods can exist."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from kubelint_gpu.kube.objects.affinity import PodAffinityTerm
from kubelint_gpu.kube.objects.label_algebra import (
    ANYTHING,
    Allowed,
    agree,
    allowed,
    alternatives,
    conjunction,
    contradiction,
)
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.scheduler.fit import FitResult, fit
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.inter_pod_affinity import Term, resolved_terms
from kubelint_gpu.values import replace

HOSTNAME = "kubernetes.io/hostname"


def own_terms(pod: Pod, terms: Sequence[PodAffinityTerm], snapshot: Snapshot, *, anywhere: bool = False) -> list[Term]:
    """Required terms with their namespaces resolved.

    `anywhere` says that the pod's namespace is unknown, so a term about its own namespace covers all namespaces.
    """
    found = list(resolved_terms(pod, terms, snapshot))
    if anywhere:
        return [
            replace(term, namespaces=None) if not one.namespaces and one.namespace_selector is None else term
            for one, term in zip(terms, found, strict=True)
        ]
    return found


def attracts_itself(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether a pod meets its own required affinity, so that the first pod of its kind may go anywhere."""
    return all(term.matches(pod) for term in resolved_terms(pod, pod.spec.pod_affinity, snapshot))


def lone(pod: Pod, snapshot: Snapshot) -> Pod:
    """The pod without its required affinity, unless it meets that itself."""
    if not pod.spec.pod_affinity or attracts_itself(pod, snapshot):
        return pod
    return replace(pod, spec=replace(pod.spec, pod_affinity=()))


def fit_lone(pod: Pod, snapshot: Snapshot) -> FitResult:
    """Where the pod fits if all pods that it must be near are everywhere."""
    return fit(lone(pod, snapshot), snapshot)


def companions(terms: Iterable[Term], others: Iterable[Pod]) -> list[Pod]:
    """The pods that meet all terms of a pod's required affinity; one pod must meet all of them."""
    wanted = list(terms)
    return [other for other in others if all(term.matches(other) for term in wanted)]


def companion(pod: Pod) -> Pod | None:
    """An invented pod that meets all terms of a pod's required affinity; None if there are no terms, or none can."""
    terms = pod.spec.pod_affinity
    if not terms or any(term.selector is None for term in terms):
        return None
    by_key: dict[str, Allowed] = {}
    values: dict[str, list[str]] = {}
    for term in terms:
        for requirement in term.selector.requirements if term.selector is not None else ():
            by_key[requirement.key] = by_key.get(requirement.key, Allowed()) & allowed(requirement)
            values.setdefault(requirement.key, []).extend(requirement.values)
    labels = {}
    for key, one in by_key.items():
        option = next((value for value in (*values[key], None, "true") if one.has(value)), "")
        if option:
            labels[key] = option
    namespaces = [name for term in terms for name in term.namespaces] or [pod.meta.namespace]
    meta = Meta(name="arriving-pod", namespace=namespaces[0], uid="arriving-pod", labels=FrozenMap(labels))
    return Pod(meta, PodSpec())


def can_share(key: str, one: PodSpec, other: PodSpec) -> bool:
    """Whether two pods can be on nodes with the same value of a label, by their requirements for node labels and names.

    For the host name both must fit on one node; for any other label each may have its own node.
    """
    ours, others = ([bounds for bounds in alternatives(spec) if contradiction(bounds) is None] for spec in (one, other))
    if key == HOSTNAME:
        return any(agree(mine, theirs) for mine in map(conjunction, ours) for theirs in others)
    values = [[conjunction(bounds).get((False, key), ANYTHING) for bounds in found] for found in (ours, others)]
    return any(not (mine & theirs & Allowed(absent=False)).empty for mine, theirs in product(*values))


def repels(term: Term, owner: Pod, other: Pod, key: str) -> bool:
    """Whether an anti-affinity term of one pod keeps another off every node with the same value of `key`.

    True for a term about this label, and for any label if `key` is the host name, unless a node lacks the label.
    """
    return owner is not other and term.matches(other) and key in (term.key, HOSTNAME)
