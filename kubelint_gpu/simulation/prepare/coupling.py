"""The nodes that take a pod by itself, and the pods that must be near one another or apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import product

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.scheduler.companions import HOSTNAME, attracts_itself, own_terms
from kubelint_gpu.scheduler.companions import companions as meeting
from kubelint_gpu.scheduler.plugins.inter_pod_affinity import Term
from kubelint_gpu.scheduler.relations import likeness
from kubelint_gpu.simulation.prepare.workload_change import created_pod
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


class Bonds:
    """Which pods are bound to each other by required affinity, anti-affinity or DoNotSchedule spreading."""

    def __init__(self, pods: Sequence[Pod], snapshot: Snapshot) -> None:
        alike: dict[Hashable, int] = {}
        self._group = [alike.setdefault(_key(pod), len(alike)) for pod in pods]
        first = dict(zip(reversed(self._group), reversed(pods), strict=True))
        self._pods = [first[group] for group in range(len(alike))]
        self._terms = [tuple(_terms(pod, snapshot)) for pod in self._pods]
        self._bound: dict[int, frozenset[int]] = {}

    def of(self, number: int) -> tuple[int, ...]:
        """The positions of pods that are bound to a pod, directly or through others, in order."""
        group = self._group[number]
        if group not in self._bound:
            self._bound[group] = frozenset(self._reached(group))
        bound = self._bound[group]
        return tuple([place for place, other in enumerate(self._group) if other in bound and place != number])

    def _reached(self, group: int) -> set[int]:
        """The groups that a group is bound to; its own only if its pods have terms about each other."""
        found, seen, left = set[int](), {group}, [group]
        while left:
            mine = left.pop()
            for other in range(len(self._pods)):
                if other not in found and (self._heeds(mine, other) or self._heeds(other, mine)):
                    found.add(other)
                    if other not in seen:
                        seen.add(other)
                        left.append(other)
        return found

    def _heeds(self, one: int, other: int) -> bool:
        return any(term.matches(self._pods[other]) for term in self._terms[one])


def _key(pod: Pod) -> Hashable:
    spec = pod.spec
    return (pod.meta.namespace, pod.meta.labels, spec.pod_affinity, spec.pod_anti_affinity, spec.spread)


def _terms(pod: Pod, snapshot: Snapshot) -> Iterator[Term]:
    spec = pod.spec
    yield from own_terms(pod, (*spec.pod_affinity, *spec.pod_anti_affinity), snapshot)
    for one in spec.spread:
        if one.do_not_schedule:
            yield Term(one.topology_key, one.selector, frozenset((pod.meta.namespace,)))


def heeds_others(spec: PodSpec) -> bool:
    """Whether the place of the pods depends on the labels of other pods."""
    return bool(spec.pod_affinity or spec.pod_anti_affinity or spec.spread)


def bound_workloads(workload: Workload, others: Sequence[Workload], cluster: Cluster) -> tuple[int, ...]:
    """The positions of the other workloads whose places depend on this workload, or the reverse."""
    if not any(heeds_others(one.spec) for one in (workload, *others)):
        return ()
    pods = [created_pod(one, "new") for one in (workload, *others)]
    return tuple(place - 1 for place in Bonds(pods, labels_of(cluster)).of(0))


def companion_workloads(workload: Workload, others: Sequence[Workload], cluster: Cluster) -> tuple[int, ...]:
    """The positions of the other workloads that this workload's pods must be near."""
    if not workload.spec.pod_affinity:
        return ()
    mine, snapshot = created_pod(workload, "new"), labels_of(cluster)
    return tuple(place for place, one in enumerate(others) if companions(mine, [created_pod(one, "new")], snapshot))


def labels_of(cluster: Cluster) -> Snapshot:
    """The cluster with only its namespaces: which pods a term matches does not depend on nodes."""
    return Snapshot.of(replace(cluster, nodes=(), pods=()))
