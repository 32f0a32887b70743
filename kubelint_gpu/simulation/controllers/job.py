"""Jobs and CronJobs: how many pods they run, and when a schedule no longer starts any.

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
    """Whether one Job that cannot be scheduled is the last that the CronJob ever starts.

    Nothing but activeDeadlineSeconds ends a Job whose pods are pending.
    """
    return strategy.concurrency == "Forbid" and strategy.active_deadline_seconds is None


def piles_up(strategy: JobStrategy) -> bool:
    """Whether pending pods grow without end: every run starts another Job that cannot be scheduled."""
    return strategy.concurrency == "Allow" and strategy.active_deadline_seconds is None


class History(Value):
    """What a CronJob leaves behind: the Jobs that it keeps after they succeeded or failed, and the objects of each."""

    succeeded: int
    failed: int
    each: int = 1


def left_for_good(histories: Sequence[History], *, failures: bool) -> int:
    """The objects that are kept once runs enough have ended; with `failures` some of them have failed."""
    return sum((one.succeeded + (one.failed if failures else 0)) * one.each for one in histories)


def is_full(histories: Sequence[History], room: int, *, failures: bool) -> bool:
    """Whether what CronJobs keep leaves no room for the objects of a further run, of each of them.

    A finished Job goes only when one more has finished than is kept (CronJob controller, 1.34).
    """
    return left_for_good(histories, failures=failures) + min(one.each for one in histories) > room


def objects_of_pods(strategy: JobStrategy) -> int:
    """How many pods a Job makes that succeed: they stay as objects until the Job is deleted."""
    return strategy.parallelism if strategy.completions is None else strategy.completions


class JobController(ReplicaSetController):
    """The controller of a Job, or of the Jobs of a CronJob."""

    strategy: JobStrategy
    runs_to_completion = True
    has_scale = False

    def pod(self, revision: str, name: str = "") -> Pod:
        """A pod with the labels that name its Job; what a CronJob makes has a name of its own each time."""
        pod = ReplicaSetController.pod(self, revision, name)
        if self.scheduled:
            return pod
        labels = FrozenMap({**pod.meta.labels, **dict.fromkeys(_NAMES, self.workload.meta.name)})
        return replace(pod, meta=replace(pod.meta, labels=labels))

    @property
    def dependent(self) -> str:
        """A CronJob's pods are owned by its Jobs."""
        return "Job" if self.scheduled else ""

    @property
    def scheduled(self) -> bool:
        """Whether a CronJob starts it, again and again."""
        return bool(self.strategy.concurrency)


def job_of(workload: Workload) -> JobController | None:
    """The controller of a workload that is a Job or makes Jobs; None for any other."""
    strategy = workload.strategy
    return JobController(workload, strategy) if isinstance(strategy, JobStrategy) else None
