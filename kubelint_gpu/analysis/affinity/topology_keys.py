"""Topology keys: where a pod names them, and whether nodes lack them."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.affinity.pod_affinity import takers
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class TopologyUse(Value):
    """A topology key and its pointer in the pod's spec; `hard` if the scheduler enforces it."""

    key: str
    kind: str
    pointer: Pointer
    hard: bool


def topology_uses(spec: PodSpec) -> Iterator[TopologyUse]:
    """Yield every topology key of a pod."""
    for kind, terms in (("podAffinity", spec.pod_affinity), ("podAntiAffinity", spec.pod_anti_affinity)):
        for number, term in enumerate(terms):
            yield TopologyUse(term.topology_key, kind, ("affinity", kind, _REQUIRED, number, "topologyKey"), hard=True)
        preferred = [one.term for one in spec.preferred_pods if one.anti == (kind == "podAntiAffinity")]
        for number, term in enumerate(preferred):
            below = ("affinity", kind, _PREFERRED, number, "podAffinityTerm", "topologyKey")
            yield TopologyUse(term.topology_key, kind, below, hard=False)
    for number, constraint in enumerate(spec.spread):
        where = ("topologySpreadConstraints", number, "topologyKey")
        yield TopologyUse(constraint.topology_key, "topologySpreadConstraints", where, hard=constraint.do_not_schedule)


def unlabelled(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether the pod waits because none of the nodes that could take it has a topology key."""
    keys = [use.key for use in topology_uses(subject.workload.spec) if use.hard and use.kind != "podAntiAffinity"]
    if not keys:
        return False
    nodes = takers(unit, subject)
    return bool(nodes) and any(all(key not in node.labels for node in nodes) for key in keys)
