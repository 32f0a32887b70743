"""Topology keys that nodes lack, and spread constraints that keep replicas out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.analysis.pod_affinity import crowding, left_alone, stays, takers
from kubelint_gpu.analysis.predecessors import contradicts_nodes
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.objects.affinity import SpreadConstraint
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.messages.wording import counted, listed, some
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.attempt import Attempt
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.scheduler.placement.filling import domains, spread_out, without_spreading
from kubelint_gpu.simulation.prepare.standing_pods import as_before
from kubelint_gpu.simulation.prepare.workload_change import own_pods
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import dataclass, replace
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
        or wanted > PLACEMENT.spread_pods
    ):
        return None
    if unit.may_grow_for(subject) or unlabelled(unit, subject) or _is_placed(unit, subject, wanted):
        return None
    pod = lone(subject.pod, unit.empty)
    found = _uneven(subject.workload, pod, wanted, unit.empty)
    if found is None:
        return _beside_others(unit, subject, wanted)
    key = pod.spec.spread[found.constraint].topology_key
    certain = unit.complete and found.exact and not contradicts_nodes(unit, subject, found.placed, wanted)
    if certain and unit.before_of(subject) is not None:
        # its old pods may run where a node was cordoned since, and count there
        each = zip(unit.empty.cluster.nodes, as_before(pod, unit.empty.cluster).cluster.nodes, strict=True)
        nodes = tuple(before if now.unschedulable else now for now, before in each)
        open_again = Snapshot.of(replace(unit.empty.cluster, nodes=nodes))
        certain = _uneven(subject.workload, pod, wanted, open_again) is not None
    why = _why(unit, subject, pod, found)
    return Unspreadable(found.constraint, key, found.placed, why, certain, found.failed.message)


def is_kept_apart(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether affinity, anti-affinity or spreading keeps replicas out, of which rules of their own speak."""
    crowded = crowding(unit, subject) is not None or unspreadable(unit, subject) is not None
    return crowded or left_alone(unit, subject, judgement)


def _is_placed(unit: ApplySet, subject: WorkloadCheck, wanted: int) -> bool:
    """Whether all its replicas run, as some that run already count in domains that take no further pod."""
    judgement = judgements_in(unit).get(subject.key)
    return judgement is not None and judgement.placed >= wanted


def _beside_others(unit: ApplySet, subject: WorkloadCheck, wanted: int) -> Unspreadable | None:
    """Constraints that not all replicas can keep beside the pods of others, which leave room for all of them."""
    judgement = judgements_in(unit).get(subject.key) if unit.cluster.pods else None
    if judgement is None or judgement.verdict is not None or judgement.refusal or judgement.company:
        return None
    if judgement.placed >= wanted or judgement.alone != judgement.placed or judgement.wanted != wanted:
        return None
    own = [(pod, pod.spec.node_name) for pod in own_pods(subject.workload, unit.cluster.pods)]
    running = unit.running.without(own)
    found = _uneven(subject.workload, subject.pod, wanted, running)
    if found is None or found.placed != judgement.placed:
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


def _why(unit: ApplySet, subject: WorkloadCheck, pod: Pod, found: _Uneven) -> str:
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


@dataclass(frozen=True, slots=True)
class _Uneven:
    """Pods that a forbidding constraint leaves without a node, in a cluster that has room for all of them.

    Attributes:
        constraint: the position of the one without which more find a node.
        placed: how many find a node.
        failed: the attempt for the first that does not.
        exact: whether no order of placing does better.
        against: the positions of the other forbidding constraints where this one by itself keeps none out.
    """

    constraint: int
    placed: int
    failed: Attempt
    exact: bool
    against: tuple[int, ...] = ()


def _uneven(workload: Workload, pod: Pod, wanted: int, snapshot: Snapshot) -> _Uneven | None:
    """What keeps some of `wanted` pods of a workload out, where it is their own topology spread constraints."""
    hard = [number for number, one in enumerate(pod.spec.spread) if one.do_not_schedule]
    found = spread_out(pod, wanted, snapshot) if hard else None
    if found is None or found.failed is None or found.failed.fit is None:
        return None
    if spread_out(without_spreading(pod), wanted, snapshot).failed is not None:
        return None

    def under(constraints: Collection[int]) -> int:
        """How many of the pods find a node where it has these constraints only."""
        kept = tuple(one for place, one in enumerate(pod.spec.spread) if place in constraints)
        return spread_out(replace(pod, spec=replace(pod.spec, spread=kept)), wanted, snapshot).placed

    guilty = next((number for number in hard if under(set(hard) - {number}) > found.placed), hard[0])
    if len(hard) == 1:
        return _Uneven(guilty, found.placed, found.failed, exact=True)
    workload = replace(workload, replicas=wanted, spec=pod.spec)
    most = placeable(workload, replace(snapshot.cluster, quotas=()), wanted)
    against = tuple(number for number in hard if number != guilty) if under({guilty}) == wanted else ()
    exact = most is not None and most < wanted
    return _Uneven(guilty, most if most is not None and exact else found.placed, found.failed, exact, against)
