"""How many replicas of a workload find a place apart from each other, compared with the simulation."""

from __future__ import annotations

from kubelint_gpu.analysis.affinity.pod_affinity import stays, takers
from kubelint_gpu.analysis.certainty import is_certain, may_be_more
from kubelint_gpu.analysis.predecessors import contradicts_nodes
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.findings.finding import Certainty
from kubelint_gpu.scheduler.companions import HOSTNAME, own_terms
from kubelint_gpu.scheduler.placement.filling import spread_out
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


class Crowding(Value):
    """More replicas than domains that required anti-affinity keeps apart.

    Attributes:
        term: the index of the anti-affinity term.
        key: its topology key.
        domains: the values of the key on the nodes that could take the pod.
        message: the scheduler's message for the first replica without a place.
        certainty: possible if other nodes, or pods on nodes that take no new ones, can change it.
    """

    term: int
    key: str
    domains: tuple[str, ...]
    message: str | None
    certainty: Certainty


def certainty_of(unit: ApplySet, subject: WorkloadCheck, placed: int, *, exact: bool = True) -> Certainty | None:
    """Return how certain it is that `placed` replicas find nodes on an empty cluster; None if the simulation disagrees.

    It disagrees if pods run on nodes that take no new ones, or if other pods are in the way.
    """
    judgement, wanted = judgements_in(unit).get(subject.key), subject.workload.replicas
    if judgement is None or judgement.verdict is Verdict.UNDECIDED:
        sure = judgement is None and unit.complete and not contradicts_nodes(unit, subject, placed, wanted)
        return "certain" if sure and exact else "possible"
    if judgement.verdict is not None or judgement.room.placed != placed:
        return None
    sure = exact and not may_be_more(unit, subject, judgement)
    return "certain" if sure and is_certain(unit, subject, judgement) else "possible"


def crowding(unit: ApplySet, subject: WorkloadCheck) -> Crowding | None:
    """Required anti-affinity to its own replicas that leaves room for fewer than it wants; None if there is none."""
    if not subject.workload.spec.pod_anti_affinity or not unit.has_nodes or not stays(subject):
        return None
    pod = subject.pod
    nodes = takers(unit, subject)
    own = {node.name for node in unit.cluster.nodes}
    for number, term in enumerate(own_terms(pod, pod.spec.pod_anti_affinity, unit.empty)):
        if not nodes or not term.matches(pod) or any(term.key not in node.labels for node in nodes):
            continue
        if term.key == HOSTNAME and any(node.name not in own for node in nodes):
            continue
        domains = tuple(sorted({node.labels[term.key] for node in nodes}))
        certainty = certainty_of(unit, subject, len(domains)) if len(domains) < subject.workload.replicas else None
        if certainty is not None:
            failed = spread_out(pod, len(domains) + 1, unit.empty).failed
            return Crowding(number, term.key, domains, failed.message if failed is not None else None, certainty)
    return None
