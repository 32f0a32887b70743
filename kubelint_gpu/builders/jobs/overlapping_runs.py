"""CronJobs whose runs may overlap: each of two runs can hold a part of what both need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubelint_gpu.engine.api import ApplySet, Pointer, WorkloadCheck, field_pointers
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.simulation.growth import fully_grown
from kubelint_gpu.simulation.prepare.workload_change import pods_of_others
from kubelint_gpu.values import Value, replace

if TYPE_CHECKING:
    from kubelint_gpu.simulation.questions import gang

SCHEDULE: Pointer = ("spec", "schedule")


class OverlappingRuns(Value, eq=False):
    """A CronJob of which two runs may block each other.

    Attributes:
        interval: the shortest time between two runs, in seconds; None if unknown.
        deadline: the seconds after which a run fails; None if it never fails.
    """

    subject: WorkloadCheck
    found: gang.Gang
    interval: int | None
    deadline: int | None

    @property
    def keys(self) -> frozenset[str]:
        """Return the workloads whose pods never release their resources."""
        return frozenset((self.subject.workload.key,))


def overlapping_runs(unit: ApplySet, subject: WorkloadCheck) -> Iterator[OverlappingRuns]:
    """Yield a CronJob whose next run can take pods' places that the previous run still waits for.

    The duration of a run is unknown. A run that must end before the next one starts leaves no conflict.
    """
    from kubelint_gpu.analysis import coupled
    from kubelint_gpu.kube.values import cron_schedule
    from kubelint_gpu.simulation.questions import gang

    job, workload = job_of(subject.workload), subject.workload
    if job is None or job.strategy.concurrency != "Allow":
        return
    schedule = field_pointers.at(subject.manifest, SCHEDULE)
    interval = cron_schedule.shortest_interval(schedule) if isinstance(schedule, str) else None
    deadline = job.strategy.active_deadline_seconds
    if deadline is not None and interval is not None and deadline < interval:
        return
    if unit.may_outgrow(subject):
        return
    whole = fully_grown(unit.cluster, unit.growth, 2 * workload.replicas)
    cluster = replace(whole, pods=pods_of_others([workload], unit.cluster.pods))
    runs = [replace(workload, meta=replace(workload.meta, name=f"{workload.meta.name}-{run}")) for run in (1, 2)]
    beside = [one.workload for one in coupled.bound_to(unit, subject)]
    found = gang.gang(runs, cluster, beside=beside, budget=unit.budget)
    if found.waits and all(one.running for one in found.held):
        yield OverlappingRuns(subject, found, interval, deadline)
