"""Pods that must be near one another, or apart, so that the place of one depends on the other."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.companions import own_terms
from kubelint_gpu.scheduler.plugins.inter_pod_affinity import Term
from kubelint_gpu.simulation.prepare.locality import companions
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.values import replace


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
