"""Topology keys that nodes lack, and spread constraints that keep replicas out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.analysis.pod_affinity import stays, takers
from kubelint_gpu.analysis.replica_room import room_by_eviction
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.kube.objects.affinity import SpreadConstraint
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.messages.wording import counted, listed, some
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.scheduler.placement.filling import MOST_PODS, Uneven, domains, uneven
from kubelint_gpu.simulation.prepare.workload_change import own_pods
from kubelint_gpu.values import dataclass
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class TopologyUse:
    """A topology key and where in the pod's spec it stands; `hard` where the scheduler keeps to it."""

    key: str
    kind: str
    pointer: Pointer
    hard: bool


@dataclass(frozen=True, slots=True)
class Unspreadable:
    """Replicas that a forbidding constraint leaves without a node.

    Attributes:
        constraint: its position.
        key: its topology key.
        placed: how many replicas find a node.
        why: what about the domains keeps the rest out.
        certain: whether no other order of placing, and no node beyond the inventory, could do better.
        message: the scheduler's text for the first replica without a node.
    """

    constraint: int
    key: str
    placed: int
    why: str
    certain: bool
    message: str | None


def topology_uses(spec: PodSpec) -> Iterator[TopologyUse]:
    """Every topology key of a pod."""
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


def unspreadable(unit: ApplySet, subject: WorkloadCheck) -> Unspreadable | None:
    """Constraints that not all replicas can keep in a cluster that has room for all of them."""
    wanted = subject.workload.replicas
    if (
        not subject.workload.spec.spread
        or not unit.has_nodes
        or not unit.cluster.nodes
        or not stays(subject)
        or wanted > MOST_PODS
    ):
        return None
    if unit.may_grow_for(subject) or unlabelled(unit, subject):
        return None
    pod = lone(subject.pod, unit.empty)
    found = uneven(pod, wanted, unit.empty)
    if found is None:
        return _beside_others(unit, subject, wanted)
    key = pod.spec.spread[found.constraint].topology_key
    why, certain = _why(unit, subject, pod, found), unit.complete and found.exact
    return Unspreadable(found.constraint, key, found.placed, why, certain, found.failed.message)


def _beside_others(unit: ApplySet, subject: WorkloadCheck, wanted: int) -> Unspreadable | None:
    """Constraints that not all replicas can keep beside the pods of others, which leave room for all of them."""
    judgement = judgements_in(unit).get(subject.key) if unit.cluster.pods else None
    if judgement is None or judgement.verdict is not None or judgement.refusal or judgement.company:
        return None
    if judgement.placed >= wanted or judgement.alone != judgement.placed or judgement.wanted != wanted:
        return None
    own = [(pod, pod.spec.node_name) for pod in own_pods(subject.workload, unit.cluster.pods)]
    running = unit.running.without(own)
    found = uneven(subject.pod, wanted, running)
    # what may be evicted, or end, is not in the way of the judgement
    if found is None or found.placed != judgement.placed or room_by_eviction(unit, subject, wanted) > found.placed:
        return None
    constraint = subject.pod.spec.spread[found.constraint]
    key, counted_in = constraint.topology_key, _counted_in(subject.pod, constraint, running)
    if not counted_in:
        return None
    why = (
        f"it counts {counted(sum(counted_in.values()), 'pod')} of others in {some(sorted(counted_in), 'value')}, so "
        f"that the next one may not go there, no other domain of {key} has room, and maxSkew is {constraint.max_skew}"
    )
    certain = is_certain(unit, subject, judgement)
    return Unspreadable(found.constraint, key, found.placed, why, certain, found.failed.message)


def _counted_in(pod: Pod, constraint: SpreadConstraint, running: Snapshot) -> Counter[str]:
    """How many running pods a constraint counts, by domain."""
    selector, key = constraint.selector, constraint.topology_key
    return Counter(
        info.node.labels[key]
        for info in running.nodes
        for other in info.pods
        if key in info.node.labels
        and selector is not None
        and other.meta.namespace == pod.meta.namespace
        and selector.matches(other.meta.labels)
    )


def _why(unit: ApplySet, subject: WorkloadCheck, pod: Pod, found: Uneven) -> str:
    constraint = pod.spec.spread[found.constraint]
    key = constraint.topology_key
    counts = domains(pod, constraint, unit.empty)
    live = {node.labels[key] for node in takers(unit, subject) if key in node.labels}
    dead = [name for name in counts if name not in live]
    skew = f"maxSkew is {constraint.max_skew}"
    if len(counts) < constraint.min_domains:
        return (
            f"minDomains is {constraint.min_domains} and the nodes have {counted(len(counts), 'value')} of {key}, "
            f"so that each may hold no more than {constraint.max_skew}"
        )
    if dead:
        one = len(dead) == 1
        return (
            f"{some(dead, 'value')} {'counts as a domain' if one else 'count as domains'} of {key}, and no node there "
            f"takes the pod, so that {'it stays' if one else 'they stay'} at 0, and {skew}"
        )
    if found.against:
        others = listed([pod.spec.spread[number].topology_key for number in found.against])
        does = "constraint on {} does" if len(found.against) == 1 else "constraints on {} do"
        return f"by itself it lets all in, but where it lets the next one go, the {does.format(others)} not"
    return f"the nodes of each value of {key} have room for different numbers of pods, and {skew}"
