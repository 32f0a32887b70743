"""Rollouts that wait for a quota that their own old pods use up."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.scenarios import beside_pods, now
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.builders.claim_quota import claims_not_created
from kubelint_gpu.builders.deadlocks import deadlocks, rollout_ends
from kubelint_gpu.builders.object_quota import full_histories, quotas_of, refused_objects
from kubelint_gpu.builders.revision_quota import refused_revisions
from kubelint_gpu.builders.rollout_end import End, end_of
from kubelint_gpu.builders.strategy_fixes import strategy_fixes
from kubelint_gpu.builders.stuck_rollout import standstill
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.messages.wording import listed, workload_name
from kubelint_gpu.simulation.controllers.job import job_of, objects_of_pods
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.values import replace

_PODS = "count/pods"
_ONE = 1000
_TTL = "ttlSecondsAfterFinished"


@rule("KLG105", of_workloads=True)
def rollout_deadlock_quota(unit: ApplySet) -> Iterator[Diagnostic]:
    """A quota that the old pods use up refuses the new pod: it is not even created."""
    yield from deadlocks(unit, "KLG105")
    yield from refused_objects(unit)
    yield from claims_not_created(unit)
    yield from refused_revisions(unit)
    yield from full_histories(unit)
    for subject, end, jobs in _stopped_by_ended(unit):
        have = "has" if len(jobs) == 1 else "have"
        after = f"once {listed([workload_name(one.workload) for one in jobs])} {have} ended"
        fixes = strategy_fixes(unit, subject, "KLG105")
        draft = standstill(unit, subject, end, "KLG105", proposals=fixes, after=after)
        yield replace(draft, cause="ended jobs", related=(*draft.related, *_kept_pods(jobs)))


def _stopped_by_ended(unit: ApplySet) -> Iterator[tuple[WorkloadCheck, End, list[WorkloadCheck]]]:
    """The rollouts that end, and never do so once Jobs beside them have ended; with these Jobs.

    A quota's `count/pods` counts a pod that has ended until it is deleted (quota controller, 1.34); that of a Job
    without `ttlSecondsAfterFinished` stays as long as the Job.
    """
    for quota in quotas_of(unit):
        if _PODS not in quota.hard or quota.used is not None:
            continue
        space = quota.meta.namespace
        jobs = [one for one in unit.subjects if one.workload.meta.namespace == space and _stays(unit, one)]
        left = [pod for one in jobs for pod in _left(unit, one)]
        # with more of them than the quota has room for they are not all there
        if not left or (len(left) + 1) * _ONE > quota.hard[_PODS]:
            continue
        rolled = {key: one for key, one in transitions_in(unit).items() if job_of(one.new) is None}
        only = [key for key, one in rolled.items() if _surges(unit, one.new.key)]
        if not only:
            continue
        scenario = beside_pods(replace(now(unit), transitions=rolled), left)
        found = {key: one for key, one in scenario.judgements(only).items() if one.verdict is Verdict.STUCK}
        for subject in unit.subjects:
            if subject.key in found and subject.workload.meta.namespace == space and rollout_ends(unit, subject):
                end = end_of(found[subject.key])
                if end.waiting.refusal:
                    yield subject, end, jobs


def _kept_pods(jobs: list[WorkloadCheck]) -> Iterator[Related]:
    """That the pods of Jobs stay when these have ended."""
    for one in jobs:
        yield Related(
            one.manifest.place(("spec",), "key"),
            f"without {_TTL} the pods of {workload_name(one.workload)} count until it is deleted",
        )


def _stays(unit: ApplySet, subject: WorkloadCheck) -> bool:
    workload, job = subject.workload, job_of(subject.workload)
    if job is None or job.scheduled or job.strategy.suspend or not workload.replicas:
        return False
    ttl = field_pointers.at(subject.manifest, (*workload.template_pointer[:-1], _TTL))
    return ttl is None and subject.key in judgements_in(unit)


def _left(unit: ApplySet, subject: WorkloadCheck) -> list[Pod]:
    """The pods of a Job that has succeeded, without those that the inventory has."""
    workload, job = subject.workload, job_of(subject.workload)
    number = objects_of_pods(job.strategy) if job is not None else 0
    there = sum(
        1
        for pod in unit.cluster.pods
        if pod.meta.namespace == workload.meta.namespace
        and pod.meta.owner is not None
        and (pod.meta.owner.kind, pod.meta.owner.name) == ("Job", workload.meta.name)
    )
    return [replace(created_pod(workload, "new"), phase="Succeeded")] * max(0, number - there)


def _surges(unit: ApplySet, key: str) -> bool:
    return any(
        one.workload.key == key and one.controller.has_replica_sets and rollout_ends(unit, one) for one in unit.subjects
    )
