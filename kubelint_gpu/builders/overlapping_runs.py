"""CronJobs whose runs may overlap: two of them can each hold a part of what both need."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.coupled import bound_to, ties
from kubelint_gpu.documents import Pointer
from kubelint_gpu.documents.edits import Edit, replace_scalar, set_key
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.evidence.exclusive_lines import scarce
from kubelint_gpu.evidence.node_lines import clues
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.collective import sign_of_waiting
from kubelint_gpu.kube.values.cron_schedule import shortest_interval
from kubelint_gpu.messages.wording import counted, listed
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.simulation.growth import possible_nodes
from kubelint_gpu.simulation.prepare.workload_change import pods_of_others
from kubelint_gpu.simulation.questions.gang import Gang, gang
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_POLICY: Pointer = ("spec", "concurrencyPolicy")
_SCHEDULE: Pointer = ("spec", "schedule")
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def overlapping_runs(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    """A CronJob whose next run starts while the one before still waits for pods that the next one then takes.

    Nobody knows how long a run takes; one that must end before the next starts leaves nothing to hold.
    """
    job, workload = job_of(subject.workload), subject.workload
    if job is None or job.strategy.concurrency != "Allow":
        return
    schedule = field_pointers.at(subject.manifest, _SCHEDULE)
    interval = shortest_interval(schedule) if isinstance(schedule, str) else None
    deadline = job.strategy.active_deadline_seconds
    if deadline is not None and interval is not None and deadline < interval:
        return
    if unit.may_outgrow(subject):
        return
    joined = possible_nodes(unit.growth, 2 * workload.replicas)
    cluster = replace(
        unit.cluster,
        nodes=(*unit.cluster.nodes, *(joined.nodes if joined is not None else ())),
        pods=pods_of_others([workload], unit.cluster.pods),
    )
    runs = [replace(workload, meta=replace(workload.meta, name=f"{workload.meta.name}-{run}")) for run in (1, 2)]
    beside = [one.workload for one in bound_to(unit, subject)]
    found = gang(runs, cluster, beside=beside, budget=unit.budget)
    if found.verdict in (Verdict.STUCK, Verdict.MAY_STICK) and all(one.running for one in found.held):
        yield _draft(unit, subject, found, interval, deadline)


def _draft(
    unit: ApplySet, subject: WorkloadCheck, found: Gang, interval: int | None, deadline: int | None
) -> Diagnostic:
    manifest = subject.manifest
    parts = [f"{one.running} of {counted(one.wanted, 'pod')}" for one in found.held]
    run = f"each runs {parts[0]}" if len(set(parts)) == 1 else f"one runs {listed(parts, 'and the other')}"
    nodes = list(dict.fromkeys(node for one in found.held for node in one.nodes))
    written = manifest.present(_POLICY)
    longer = (
        f"takes longer than {_time(interval)}" if interval is not None else "is still going when the next one starts"
    )
    lasts = "for ever" if deadline is None else f"until one fails after {counted(deadline, 'second')}"
    sign = sign_of_waiting(manifest.item.value)
    return Diagnostic(
        "KLG113",
        manifest.place(_POLICY if written else _SCHEDULE),
        f"where a run {longer}, it and the next one can hold each other up {lasts}: {run}, and none gives "
        f"its part back (concurrencyPolicy is Allow{'' if written else ' by default'})",
        manifest,
        cause=f"overlapping {subject.workload.key}",
        certainty="possible",
        related=(
            Related(
                manifest.place(field_pointers.replicas(manifest)),
                f"each run needs {counted(subject.workload.replicas, 'pod')} at once",
            ),
            *((Related(manifest.place(sign), "its pods wait for each other"),) if sign is not None else ()),
            *ties(unit, subject, bound_to(unit, subject)),
            *clues(unit, subject, scarce(subject), nodes),
        ),
        help=tuple(_help(interval)),
        proposals=(_forbid(subject),),
    )


def _help(interval: int | None) -> Iterator[str]:
    if interval is not None:
        yield f"an activeDeadlineSeconds below {interval} in the jobTemplate ends a run before the next one starts"
    yield "let Kueue admit each Job whole, or a scheduler with pod groups place it whole"


def _forbid(subject: WorkloadCheck) -> FixCandidate:
    manifest = subject.manifest

    def edits() -> list[Edit]:
        if manifest.present(_POLICY):
            return [replace_scalar(manifest.item, _POLICY, "Forbid")]
        return [set_key(manifest.item, ("spec",), "concurrencyPolicy", "Forbid", before="jobTemplate")]

    return FixCandidate("set concurrencyPolicy: Forbid, which skips a run while another one is going", "unsafe", edits)


def _time(seconds: int) -> str:
    """`1 hour`, `90 minutes`: in the largest unit that divides it."""
    for size, unit in _UNITS:
        if seconds % size == 0:
            return counted(seconds // size, unit)
    return counted(seconds, "second")
