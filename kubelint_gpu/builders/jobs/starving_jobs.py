"""Jobs that never start, or stop halfway, because of running pods or of workloads that are applied with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.beyond.cluster_beyond import cluster_beyond, grown_beyond
from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.analysis.harm import short_as_before
from kubelint_gpu.analysis.predecessors import is_made
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.room.known_room import taking_nodes
from kubelint_gpu.analysis.transitions import without_leaving
from kubelint_gpu.builders.common_cause import exclusive_causes
from kubelint_gpu.builders.jobs.job_quota import prospect, refusal_beside, refused_job_pods
from kubelint_gpu.builders.jobs.running_for_good import MOST_OTHERS, keeping, running_for_good, while_running
from kubelint_gpu.builders.waiting_pods import declare, of_one_node, unsure_claims
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Pointer, Related, WorkloadCheck
from kubelint_gpu.evidence.stakes import stakes, wait_of
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.messages.wait import Wait
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.simulation.questions.jobs_beside import starves, waits_for, waits_for_volume
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement, with_room
from kubelint_gpu.values import replace

_POLICY: Pointer = ("spec", "concurrencyPolicy")


def waiting_jobs(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    """Findings about a Job whose pods are not all created or find no room."""
    refused_pods = tuple(refused_job_pods(unit, subject))
    yield from refused_pods or starving(unit, subject)


def starving(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    """Findings about a Job whose pods all find no room beside the workloads that are applied with it."""
    workload, job, manifest = subject.workload, job_of(subject.workload), subject.manifest
    judgement = judgements_in(unit).get(subject.key)
    if job is None or job.strategy.suspend or not workload.replicas or judgement is None:
        return
    if subject.key in short_as_before(unit) or not judgement.runs.searched or not taking_nodes(unit, subject):
        # where counting shows room for all that could be there, nobody starves
        return
    strategy, others = job.strategy, running_for_good(unit, [subject])
    beside = [keeping(unit, one) for one in others]
    cluster = without_leaving(unit, unit.cluster)
    if len(others) > MOST_OTHERS:
        yield from behind(unit, subject, judgement, None)
        return
    alone = not others and not cluster.quotas
    if (alone and unit.beside_running(subject).schedulable) or not starves(workload, beside, cluster):
        yield from behind(unit, subject, judgement, waits_for_volume(workload, beside, cluster))
        return
    certain = _starves_anywhere(unit, subject, beside)
    if unit.may_grow_for(subject) and not certain:
        return
    # of a CronJob, the next run waits, and what runs beside it then might be gone
    now = certain and not (job.scheduled or any(is_made(unit, one) for one in others))
    waiting = None if workload.spec.node_name else waits_for(workload, beside, cluster)
    refusal = refusal_beside(unit, subject, beside)
    by_quota = refusal is not None and not starves(workload, beside, replace(cluster, quotas=()))
    finds, told, ends = prospect(subject, strategy, waiting, refusal if by_quota else None)
    forbids = strategy.concurrency == "Forbid" and manifest.present(_POLICY)
    yield Diagnostic(
        "KLG109",
        manifest.place(("spec",), "key"),
        f"{finds} {while_running(others)}: {told}",
        manifest,
        cause="starving",
        certainty="certain" if certain else "possible",
        severity=None if now else "warning",
        waits=(manifest.object,),
        scheduler=(waiting and waiting.scheduler) or None,
        related=(
            *((Related(manifest.place(_POLICY), "a run that waits counts as active"),) if forbids else ()),
            *(stakes(unit, subject, waiting) if waiting is not None else ()),
        ),
        cycle=() if waiting is None else (Wait(workload, waiting, standing=True, only=True).clause,),
        help=ends,
    )


def _starves_anywhere(unit: ApplySet, subject: WorkloadCheck, beside: Sequence[Workload]) -> bool:
    """Whether no node beyond the inventory lets a pod run that finds no room here."""
    if unit.is_closed_to(subject) or not cluster_beyond(unit).known:
        return unit.is_closed_to(subject)
    return starves(subject.workload, beside, without_leaving(unit, grown_beyond(unit)))


def behind(
    unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, attached: Waiting | None
) -> Iterator[Diagnostic]:
    """Findings about a Job that, beside the other workloads, never ends, stops halfway, or waits for a volume."""
    key, wanted, placed = subject.workload.key, judgement.room.wanted, judgement.room.placed
    if placed >= wanted and attached is not None:
        judgement, placed = with_room(judgement, waiting=attached, at_best=None), 0
    if placed >= wanted or not (judgement.room.waiting or judgement.room.refusal):
        return
    waiting = judgement.room.waiting or Waiting(key, new=True, count=1, refusal=judgement.room.refusal)
    never = judgement.room.at_best is not None and judgement.room.at_best < wanted
    of_all = "its pods" if not placed else f"{wanted - placed} of its {wanted} pods"
    yield Diagnostic(
        "KLG109",
        subject.manifest.place(("spec",), "key"),
        f"{of_all} {'wait' if never else 'may wait'} for ever beside what is applied with it: "
        f"{wait_of(unit, subject, waiting, standing=True).clause}",
        subject.manifest,
        cause="starving",
        certainty="certain" if never and is_certain(unit, subject, judgement) else "possible",
        severity="warning",
        scheduler=waiting.scheduler or None,
        help=(*of_one_node(subject, waiting), *declare(unsure_claims(unit, subject.workload, waiting))),
        related=stakes(unit, subject, waiting),
        follows=exclusive_causes(unit, subject, waiting),
    )
