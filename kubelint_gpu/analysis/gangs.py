"""Jobs whose pods wait for each other, and the rollouts that wait for what such Jobs hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.collective import is_started_whole, sign_of_waiting
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.workspace.workload_check import WorkloadCheck

if TYPE_CHECKING:
    from kubelint_gpu.workspace.apply_set import ApplySet


def waits_for_all(unit: ApplySet, subject: WorkloadCheck, *, queued: bool = False) -> bool:
    """Whether the pods of a Job need each other, and the scheduler takes them one by one.

    With `queued` also where a queue or a pod group starts them together: it knows no ResourceQuota, and no nodes.
    """
    workload, written = subject.workload, subject.manifest.item.value
    if workload.replicas < 2 or not subject.known_class or not subject.places_pods or workload.custom:
        return False
    job = job_of(workload)
    if job is None or (job.strategy.completions or 0) > job.strategy.parallelism:
        return False
    if workload.spec.scheduler_name != DEFAULT_SCHEDULER or unit.alone(subject).held:
        return False
    if is_started_whole(written) and not queued:
        return False
    return sign_of_waiting(written) is not None
