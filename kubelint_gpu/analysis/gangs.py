"""Jobs whose pods wait for each other, and the rollouts that wait for what such Jobs hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.collective import is_started_whole, sign_of_waiting
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER
from kubelint_gpu.kube.objects.rolling import JobStrategy
from kubelint_gpu.messages.wording import workload_name
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.workload_check import Subject

if TYPE_CHECKING:
    from kubelint_gpu.workspace.apply_set import Unit


def waits_for_all(unit: Unit, subject: Subject) -> bool:
    """Whether the pods of a Job need each other, and the scheduler takes them one by one."""
    workload, job = subject.workload, subject.manifest.item.value
    if workload.replicas < 2 or not subject.known_class or not subject.places_pods or workload.custom:
        return False
    strategy = workload.strategy
    if not isinstance(strategy, JobStrategy) or (strategy.completions or 0) > strategy.parallelism:
        return False
    if workload.spec.scheduler_name != DEFAULT_SCHEDULER or unit.alone(subject).held or is_started_whole(job):
        return False
    return sign_of_waiting(job) is not None


def held_up(unit: Unit, jobs: Sequence[Subject]) -> Iterator[Related]:
    """The strategies of workloads whose rollouts wait for what some Jobs hold."""
    keys = {one.workload.key for one in jobs}
    for subject in unit.subjects:
        judgement = judgements_in(unit).get(id(subject))
        if judgement is None or judgement.trace is None:
            continue
        if judgement.verdict not in (Verdict.STUCK, Verdict.MAY_STICK):
            continue
        mine = [one for one in judgement.trace.waiting if one.owner == subject.workload.key]
        if any(holding(one) & keys for one in mine):
            place = subject.manifest.place(field_pointers.strategy(subject.manifest), "key")
            waits = "waits" if judgement.verdict is Verdict.STUCK else "may wait"
            yield Related(place, f"the rollout of {workload_name(subject.workload)} {waits} for what they hold, too")


def holding(waiting: Waiting) -> frozenset[str]:
    """Whose pods hold what a pod waits for."""
    return frozenset(owner for lack in waiting.lacks for owner in lack.owners)
