"""Jobs and CronJobs: how many pods they run, and when a schedule stops starting Jobs.

Behaviour: pkg/controller/job/job_controller.go and pkg/controller/cronjob, 1.34.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.rolling import JobStrategy
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.simulation.controllers.replica_set import ReplicaSetController
from kubelint_gpu.values import Value, replace

_NAMES = ("batch.kubernetes.io/job-name", "job-name")


def stops_for_ever(strategy: JobStrategy) -> bool:
    """Whether a Job that cannot be scheduled is the last one that the CronJob starts.

    Only activeDeadlineSeconds ends a Job whose pods are Pending.
    """
    return strategy.concurrency == "Forbid" and strategy.active_deadline_seconds is None


def piles_up(strategy: JobStrategy) -> bool:
    """Whether pending pods grow without end: every run starts another Job that cannot be scheduled."""
    return strategy.concurrency == "Allow" and strategy.active_deadline_seconds is None


class History(Value):
    """What a CronJob keeps: how many succeeded and failed Jobs, and how many objects for each."""

    succeeded: int
    failed: int
    each: int = 1


def left_for_good(histories: Sequence[History], *, failures: bool) -> int:
    """The number of kept objects after enough runs; with `failures` some of the runs have failed."""
    return sum((one.succeeded + (one.failed if failures else 0)) * one.each for one in histories)


def is_full(histories: Sequence[History], room: int, *, failures: bool) -> bool:
    """Whether kept objects leave no room for the objects of one more run of any of the CronJobs.

    A finished Job is deleted only when more have finished than are kept (CronJob controller, 1.34).
    """
    return left_for_good(histories, failures=failures) + min(one.each for one in histories) > room


def objects_of_pods(strategy: JobStrategy) -> int:
    """How many pods a Job creates that succeed: these objects stay until the Job is deleted."""
    return strategy.parallelism if strategy.completions is None else strategy.completions


class JobController(ReplicaSetController):
    """The controller of a Job, or of the Jobs of a CronJob."""

    strategy: JobStrategy
    runs_to_completion = True
    has_scale = False

    def pod(self, revision: str, name: str = "") -> Pod:
        """Return a pod with the labels that name its Job. The name is different for each run of a CronJob."""
        pod = ReplicaSetController.pod(self, revision, name)
        if self.scheduled:
            return pod
        labels = FrozenMap({**pod.meta.labels, **dict.fromkeys(_NAMES, self.workload.meta.name)})
        return replace(pod, meta=replace(pod.meta, labels=labels))

    @property
    def dependent(self) -> str:
        """Job for a CronJob, whose Jobs own the pods; else empty."""
        return "Job" if self.scheduled else ""

    @property
    def scheduled(self) -> bool:
        """Whether a CronJob starts the Job."""
        return bool(self.strategy.concurrency)


def job_of(workload: Workload) -> JobController | None:
    """The controller of a workload that is a Job or makes Jobs; None for any other."""
    strategy = workload.strategy
    return JobController(workload, strategy) if isinstance(strategy, JobStrategy) else None
