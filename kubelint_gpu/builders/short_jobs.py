"""Jobs of which some pods run, and never all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.certainty import cluster_beyond
from kubelint_gpu.analysis.coupled import bound_to
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.transitions import without_leaving
from kubelint_gpu.builders.job_quota import refusal_beside
from kubelint_gpu.builders.starving_jobs import MOST_OTHERS, running_for_good
from kubelint_gpu.engine.api import ApplySet, WorkloadCheck
from kubelint_gpu.kube.objects.quota import QuotaRefusal
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.growth import fully_grown
from kubelint_gpu.simulation.prepare.coupling import companion_workloads
from kubelint_gpu.simulation.questions.starved_jobs import may_evict, running_at_once
from kubelint_gpu.values import dataclass, replace

UNSEEN = "not every placement of what runs beside it was looked at"


@dataclass(frozen=True, slots=True, eq=False)
class ShortJob:
    """A Job of which some pods run, and never all at once.

    Attributes:
        beside: the workloads that stay.
        least, most: how many of its pods run at once.
        refusal: how a quota refuses the next one, where nodes have room for it.
    """

    subject: WorkloadCheck
    beside: tuple[WorkloadCheck, ...]
    least: int
    most: int
    certain: bool
    refusal: QuotaRefusal | None = None

    @property
    def keys(self) -> frozenset[str]:
        """Whose pods never give back what they hold."""
        return frozenset((self.subject.workload.key,))


@dataclass(frozen=True, slots=True, eq=False)
class UndecidedGang:
    """A Job of which something is open."""

    subject: WorkloadCheck
    question: str
    reason: str
    keys: frozenset[str] = frozenset()


def short_jobs(unit: ApplySet, subject: WorkloadCheck) -> Iterator[ShortJob | UndecidedGang]:
    """Some of its pods run, and never all at once."""
    workload = subject.workload
    judgement = judgements_in(unit).get(subject.key)
    if judgement is None:
        return
    cluster = fully_grown(without_leaving(unit, unit.cluster), unit.growth, workload.replicas)
    bound = bound_to(unit, subject)
    if near_jobs(unit, subject):
        # what it must be near to may be anywhere when it starts: there is no more room than that leaves
        workload = replace(workload, spec=replace(workload.spec, pod_affinity=()))
    others = [*bound, *(one for one in running_for_good(unit, judgement.eligible) if one not in bound)]
    found = None
    for beside in (bound, others) if len(bound) < len(others) <= MOST_OTHERS else (bound,):
        found = running_at_once(workload, [one.workload for one in beside], cluster)
        if found is not None and found[0] < workload.replicas:
            refusal = _refusal(unit, subject, beside, found[1])
            certain = refusal is not None or unit.is_closed_to(subject) or _stays_short(unit, workload, beside, found)
            if found[0] and (certain or not unit.may_outgrow(subject)):
                yield ShortJob(subject, tuple(beside), *found, certain, refusal)
            return
    if found is None and bound:
        evicts = may_evict(workload, [one.workload for one in others], unit.cluster.pods)
        yield UndecidedGang(
            subject,
            "all its pods run at once",
            "it may evict some of those that its pods must be near to or apart from" if evicts else UNSEEN,
        )


def _refusal(unit: ApplySet, subject: WorkloadCheck, beside: Sequence[WorkloadCheck], made: int) -> QuotaRefusal | None:
    """How a quota refuses one more of its pods than are `made`, beside those of others."""
    mine = replace(subject.workload, replicas=made)
    return refusal_beside(unit, subject, [*(one.workload for one in beside), mine])


def near_jobs(unit: ApplySet, subject: WorkloadCheck) -> list[WorkloadCheck]:
    """The Jobs of the unit near to whose pods its own must be."""
    jobs = [one for one in unit.subjects if one is not subject and one.controller.runs_to_completion]
    return [
        jobs[place] for place in companion_workloads(subject.workload, [one.workload for one in jobs], unit.cluster)
    ]


def share_nodes(unit: ApplySet, one: WorkloadCheck, other: WorkloadCheck) -> bool:
    """Whether pods of both go to some node."""
    judged = [judgements_in(unit).get(subject.key) for subject in (one, other)]
    nodes = [found.eligible for found in judged if found is not None]
    return len(nodes) == len(judged) and not nodes[0].isdisjoint(nodes[1])


def _stays_short(unit: ApplySet, workload: Workload, beside: Sequence[WorkloadCheck], found: tuple[int, int]) -> bool:
    """Whether as few pods of it run whatever nodes there are beyond the inventory."""
    others = [one.workload for one in beside]
    further = cluster_beyond(unit)
    return further.known and running_at_once(workload, others, without_leaving(unit, further.cluster)) == found
