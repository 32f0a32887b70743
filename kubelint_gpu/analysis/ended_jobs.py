"""The finished pods of Jobs that a quota still counts.

A quota's `count/pods` counts a finished pod until it is deleted (quota controller, 1.34). The pod of a Job without
`ttlSecondsAfterFinished` stays as long as the Job.
"""

from __future__ import annotations

from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import ResourceQuota
from kubelint_gpu.kube.values.quantity import ONE
from kubelint_gpu.messages.wording import listed, verb, workload_name
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.job import job_of, objects_of_pods
from kubelint_gpu.simulation.prepare.pods_by_owner import pods_by_owner
from kubelint_gpu.simulation.prepare.workload_change import created_pod, is_temporary, pods_of_others
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

PODS = "count/pods"
TTL = "ttlSecondsAfterFinished"


class EndedJobs(Value, eq=False):
    """Jobs in the namespace of a quota, and the number of their pods that it admits; `whole` if these are all.

    `new` says that this change creates one of the Jobs.
    """

    quota: str
    jobs: tuple[WorkloadCheck, ...]
    pods: tuple[Pod, ...]
    whole: bool
    new: bool

    def first(self, *, at_once: bool = False) -> str:
        """`once Job a/b has ended`, or `makes no more pods`; with `at_once`, `where the pods of Job a/b come first`."""
        names, number = listed([workload_name(one.workload) for one in self.jobs]), len(self.jobs)
        if at_once:
            return f"where the pods of {names} come first"
        ends = f"{'has' if number == 1 else 'have'} ended" if self.whole else f"{verb('make', number)} no more pods"
        return f"once {names} {ends}"

    @property
    def lines(self) -> tuple[Related, ...]:
        """Yield lines that say that the pods of finished Jobs stay."""
        told = f"without {TTL} the pods of {{}} count until it is deleted"
        jobs = ((one.manifest.place(("spec",), "key"), workload_name(one.workload)) for one in self.jobs)
        return tuple(Related(place, told.format(name)) for place, name in jobs)


@once
def ended_jobs(unit: ApplySet) -> dict[str, EndedJobs]:
    """The Jobs whose finished pods a quota counts, by namespace of the quota."""
    found: dict[str, EndedJobs] = {}
    for quota in sorted(unit.cluster.quotas, key=lambda one: one.meta.name):
        if PODS not in quota.hard or quota.used is not None or quota.scopes:
            continue
        space = quota.meta.namespace
        jobs = tuple(one for one in unit.subjects if one.workload.meta.namespace == space and _stays(unit, one))
        left = [pod for one in jobs for pod in _left(unit, one)]
        room = max(0, quota.hard[PODS] // ONE - standing_pods(unit, quota))
        if left and room:
            new = any(not transitions_in(unit)[one.key].existing for one in jobs)
            found[space] = EndedJobs(quota.meta.name, jobs, tuple(left[:room]), room >= len(left), new)
    return found


def standing_pods(unit: ApplySet, quota: ResourceQuota) -> int:
    """Return how many other pods a quota always counts: those that run before and after this change."""
    kept = [one for one in transitions_in(unit).values() if one.existing and not controller_of(one.new).terminates]
    replicas = [min(one.old.replicas, one.new.replicas) for one in kept if quota.covers(created_pod(one.new, "new"))]
    rest = pods_of_others([one.new for one in transitions_in(unit).values()], unit.cluster.pods)
    return sum(replicas) + sum(quota.covers(pod) and not is_temporary(pod) for pod in rest if pod.spec.node_name)


def _stays(unit: ApplySet, subject: WorkloadCheck) -> bool:
    workload, job = subject.workload, job_of(subject.workload)
    if job is None or job.scheduled or job.strategy.suspend or not workload.replicas:
        return False
    ttl = field_pointers.at(subject.manifest, (*workload.template_pointer[:-1], TTL))
    return ttl is None and subject.key in transitions_in(unit)


def _left(unit: ApplySet, subject: WorkloadCheck) -> list[Pod]:
    """The pods of a succeeded Job, without those that the inventory has."""
    workload, job = subject.workload, job_of(subject.workload)
    number = objects_of_pods(job.strategy) if job is not None else 0
    there = len(pods_by_owner(unit.cluster.pods).own(subject.controller))
    return [replace(created_pod(workload, "new"), phase="Succeeded")] * max(0, number - there)
