"""LeaderWorkerSets whose groups must be in one topology domain, although too few domains take leader and workers.

Behaviour: LeaderWorkerSet 0.7. With `exclusive-topology` the workers of a group get the node selector of the domain of
their leader, and no two groups share a domain. With `subgroup-exclusive-topology` this holds in each subgroup; the
leader is in the first one, unless `subGroupPolicyType` is LeaderExcluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.affinity.pod_affinity import takers, untied
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER, Pod
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.scheduler import Snapshot, assume, fit_on
from kubelint_gpu.scheduler.placement.filling import fill
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_WHOLE: Pointer = ("metadata", "annotations", "leaderworkerset.sigs.k8s.io/exclusive-topology")
_BY_SUBGROUP: Pointer = ("metadata", "annotations", "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology")
_POLICY: Pointer = ("spec", "leaderWorkerTemplate", "subGroupPolicy")


class Torn(Value):
    """A group whose leader and workers cannot be in one domain.

    Attributes:
        route: the annotation that requires one domain.
        key: the topology key.
        leader: the domains of the nodes that take the leader.
        workers: the domains of the nodes that take a worker.
        by_subgroup: the annotation is about subgroups.
    """

    route: Pointer
    key: str
    leader: tuple[str, ...]
    workers: tuple[str, ...]
    by_subgroup: bool


class FewDomains(Value):
    """More `groups` of `size` pods than domains of a topology key with room for a whole group, which are `roomy`."""

    key: str
    groups: int
    size: int
    roomy: tuple[str, ...]


def few_domains(unit: ApplySet, subject: WorkloadCheck) -> FewDomains | None:
    """Return why some group of a LeaderWorkerSet never runs; None if all can, if it is `torn`, and for workers.

    A domain has room if all pods of a group find places on its nodes while nothing else runs there.
    """
    manifest = subject.manifest
    key = field_pointers.at(manifest, _WHOLE) if subject.workload.kind == "LeaderWorkerSet" else None
    if not isinstance(key, str) or unit.grown is not None or subject.scaled is not None:
        return None
    parts = [one for one in unit.subjects if one.manifest.item is manifest.item]
    domains = grouped((info.node.labels[key], info.node) for info in unit.empty.nodes if key in info.node.labels)
    other = any(one.pod.spec.scheduler_name != DEFAULT_SCHEDULER for one in parts)
    if parts[0] is not subject or other or not domains:
        return None
    fields: tuple[Pointer, ...] = (("spec", "replicas"), ("spec", "leaderWorkerTemplate", "size"))
    written = (field_pointers.at(manifest, field) for field in fields)
    groups, size = (number if type(number) is int else 1 for number in written)
    leader, worker = (replace(one.pod, spec=untied(one.pod.spec)) for one in (parts[0], parts[-1]))
    roomy = tuple(domain for domain in sorted(domains) if _takes(unit, leader, worker, size - 1, domains[domain]))
    if len(roomy) >= groups or any(one.manifest.item is manifest.item for one, _ in torn(unit)):
        return None
    return FewDomains(key, groups, size, roomy)


def _takes(unit: ApplySet, leader: Pod, worker: Pod, workers: int, nodes: Sequence[Node]) -> bool:
    """Whether some nodes take a leader and its workers, each beside the others."""
    domain = Snapshot.of(replace(unit.empty.cluster, nodes=tuple(nodes)))
    firsts = (node.name for node in nodes if fit_on(leader, domain, node.name) is None)
    return any(fill(worker, workers, assume(leader, domain, first)).failed is None for first in firsts)


def torn(unit: ApplySet) -> Iterator[tuple[WorkloadCheck, Torn]]:
    """Yield the leader of each LeaderWorkerSet that cannot have a whole group in one domain, with the reason."""
    sets = (one for one in unit.subjects if one.workload.kind == "LeaderWorkerSet" and one.workload.custom)
    for parts in grouped((one.manifest.item, one) for one in sets).values():
        leaders = [one for one in parts if "leaderTemplate" in one.workload.template_pointer]
        workers = [one for one in parts if one not in leaders and one.workload.replicas]
        route = _route(parts[0])
        if len(leaders) != 1 or len(workers) != 1 or route is None:
            continue
        key = str(field_pointers.at(parts[0].manifest, route))
        first, others = (
            tuple(sorted({node.labels[key] for node in takers(unit, one) if key in node.labels}))
            for one in (leaders[0], workers[0])
        )
        if first and others and set(first).isdisjoint(others):
            yield leaders[0], Torn(route, key, first, others, by_subgroup=route == _BY_SUBGROUP)


def _route(part: WorkloadCheck) -> Pointer | None:
    """The annotation that requires one domain for leader and workers; None if there is none."""
    manifest = part.manifest
    if manifest.present(_WHOLE):
        return _WHOLE
    apart = field_pointers.at(manifest, (*_POLICY, "subGroupPolicyType")) == "LeaderExcluded"
    by_subgroup = manifest.present(_BY_SUBGROUP) and manifest.present((*_POLICY, "subGroupSize"))
    return _BY_SUBGROUP if by_subgroup and not apart else None
