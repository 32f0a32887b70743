"""Topology keys that nodes lack, and spread constraints that keep replicas out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from kubelint_gpu.analysis.affinity.crowding import certainty_of
from kubelint_gpu.analysis.affinity.pod_affinity import stays, takers
from kubelint_gpu.analysis.affinity.topology_keys import unlabelled
from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.findings.finding import Certainty
from kubelint_gpu.kube.objects.affinity import SpreadConstraint
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.messages.wording import counted, listed, some
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.attempt import Attempt
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.scheduler.placement.filling import domains, spread_out, without_spreading
from kubelint_gpu.simulation.prepare.workload_change import own_pods
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


class Unspreadable(Value):
    """Replicas that a DoNotSchedule constraint leaves without a node.

    Attributes:
        constraint: the index of the constraint.
        key: its topology key.
        placed: how many replicas find a node.
        why: which property of the domains keeps the others out.
        certainty: certain if no other order of placing, and no node beyond the inventory, could place more.
        message: the scheduler's message for the first replica without a node.
    """

    constraint: int
    key: str
    placed: int
    why: str
    certainty: Certainty
    message: str | None


def unspreadable(unit: ApplySet, subject: WorkloadCheck) -> Unspreadable | None:
    """Spread constraints that not all replicas can satisfy, in a cluster with room for all of them; else None."""
    wanted = subject.workload.replicas
    if (
        not subject.workload.spec.spread
        or not unit.has_nodes
        or not unit.cluster.nodes
        or not stays(subject)
        or wanted > PLACEMENT.spread_pods
    ):
        return None
    judgement = judgements_in(unit).get(subject.key)
    placed = judgement is not None and judgement.room.placed >= wanted
    if placed or unit.may_grow_for(subject) or unlabelled(unit, subject):
        return None
    pod = lone(subject.pod, unit.empty)
    found = uneven_domains(subject.workload, pod, wanted, unit.empty)
    if found is None:
        return _beside_others(unit, subject, wanted)
    key = pod.spec.spread[found.constraint].topology_key
    certainty = certainty_of(unit, subject, found.placed, exact=found.exact)
    if certainty is None:
        return None
    why = why_uneven(unit, subject, pod, found)
    return Unspreadable(found.constraint, key, found.placed, why, certainty, found.failed.message)


def _beside_others(unit: ApplySet, subject: WorkloadCheck, wanted: int) -> Unspreadable | None:
    """Spread constraints that not all replicas can satisfy beside other pods, which leave room for all; else None."""
    judgement = judgements_in(unit).get(subject.key) if unit.cluster.pods else None
    if judgement is None or judgement.verdict is not None or judgement.room.refusal or judgement.company:
        return None
    room = judgement.room
    if room.placed >= wanted or room.alone != room.placed or room.wanted != wanted:
        return None
    own = [(pod, pod.spec.node_name) for pod in own_pods(subject.workload, unit.cluster.pods)]
    running = unit.running.without(own)
    found = uneven_domains(subject.workload, subject.pod, wanted, running)
    if found is None or found.placed != room.placed:
        return None
    constraint = subject.pod.spec.spread[found.constraint]
    key, counted_in = constraint.topology_key, counted_pods(subject.pod, constraint, running)
    if not counted_in:
        return None
    why = (
        f"it counts {counted(sum(counted_in.values()), 'pod')} of others in {some(sorted(counted_in), 'value')}, so "
        f"that the next one may not go there, no other domain of {key} has room, and maxSkew is {constraint.max_skew}"
    )
    certainty: Certainty = "certain" if is_certain(unit, subject, judgement) else "possible"
    return Unspreadable(found.constraint, key, found.placed, why, certainty, found.failed.message)


class UnevenDomains(Value):
    """Pods that a DoNotSchedule constraint leaves without a node, in a cluster that has room for all of them.

    Attributes:
        constraint: the index of the constraint without which more pods find a node.
        placed: how many find a node.
        failed: the attempt for the first that does not.
        exact: whether no order of placing places more.
        against: the indices of the other such constraints, if this one alone keeps no pod out.
    """

    constraint: int
    placed: int
    failed: Attempt
    exact: bool
    against: tuple[int, ...] = ()


def uneven_domains(workload: Workload, pod: Pod, wanted: int, snapshot: Snapshot) -> UnevenDomains | None:
    """The spread constraints that keep some of `wanted` pods of a workload out; None if something else does."""
    hard = [number for number, one in enumerate(pod.spec.spread) if one.do_not_schedule]
    found = spread_out(pod, wanted, snapshot) if hard else None
    if found is None or found.failed is None or found.failed.fit is None:
        return None
    if spread_out(without_spreading(pod), wanted, snapshot).failed is not None:
        return None

    def under(constraints: Collection[int]) -> int:
        """Return how many of the pods find a node under only these constraints."""
        kept = tuple(one for place, one in enumerate(pod.spec.spread) if place in constraints)
        return spread_out(replace(pod, spec=replace(pod.spec, spread=kept)), wanted, snapshot).placed

    guilty = next((number for number in hard if under(set(hard) - {number}) > found.placed), hard[0])
    if len(hard) == 1:
        return UnevenDomains(guilty, found.placed, found.failed, exact=True)
    workload = replace(workload, replicas=wanted, spec=pod.spec)
    most = placeable(workload, replace(snapshot.cluster, quotas=()), wanted)
    against = tuple(number for number in hard if number != guilty) if under({guilty}) == wanted else ()
    exact = most is not None and most < wanted
    return UnevenDomains(guilty, most if most is not None and exact else found.placed, found.failed, exact, against)


def counted_pods(pod: Pod, constraint: SpreadConstraint, running: Snapshot) -> Counter[str]:
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


def why_uneven(unit: ApplySet, subject: WorkloadCheck, pod: Pod, found: UnevenDomains) -> str:
    """Say which property of the domains keeps the remaining replicas out."""
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
