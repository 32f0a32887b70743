"""LeaderWorkerSets whose groups must be in one topology domain, although no domain takes leader and workers.

Behaviour: LeaderWorkerSet 0.7. With `exclusive-topology` the workers of a group get the node selector of the domain of
their leader. With `subgroup-exclusive-topology` this holds in each subgroup; the leader is in the first one, unless
`subGroupPolicyType` is LeaderExcluded.
"""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.affinity.pod_affinity import takers
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.values import Value
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
