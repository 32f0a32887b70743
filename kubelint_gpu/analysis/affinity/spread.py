"""Topology keys that nodes lack, and spread constraints that keep replicas out."""

from __future__ import annotations

from kubelint_gpu.analysis.affinity.crowding import certainty_of
from kubelint_gpu.analysis.affinity.pod_affinity import stays
from kubelint_gpu.analysis.affinity.topology_keys import unlabelled
from kubelint_gpu.analysis.affinity.uneven_domains import counted_pods, uneven_domains, why_uneven
from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.findings.finding import Certainty
from kubelint_gpu.messages.wording import counted, some
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.simulation.prepare.workload_change import own_pods
from kubelint_gpu.values import Value
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
    placed = judgement is not None and judgement.placed >= wanted
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
    if judgement is None or judgement.verdict is not None or judgement.refusal or judgement.company:
        return None
    if judgement.placed >= wanted or judgement.alone != judgement.placed or judgement.wanted != wanted:
        return None
    own = [(pod, pod.spec.node_name) for pod in own_pods(subject.workload, unit.cluster.pods)]
    running = unit.running.without(own)
    found = uneven_domains(subject.workload, subject.pod, wanted, running)
    if found is None or found.placed != judgement.placed:
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
