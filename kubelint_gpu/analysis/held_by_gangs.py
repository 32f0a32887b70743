"""Rollouts that wait for what Jobs hold whose pods wait for each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.messages.wording import workload_name
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


def held_up(unit: ApplySet, jobs: Sequence[WorkloadCheck]) -> Iterator[Related]:
    """Yield the strategies of workloads whose rollouts wait for resources of Jobs."""
    keys = {one.workload.key for one in jobs}
    for subject in unit.subjects:
        judgement = judgements_in(unit).get(subject.key)
        if judgement is None or judgement.trace is None:
            continue
        if not judgement.waits:
            continue
        mine = [one for one in judgement.trace.waiting if one.owner == subject.workload.key]
        if any(holding(one) & keys for one in mine):
            place = subject.manifest.place(field_pointers.strategy(subject.manifest), "key")
            waits = "waits" if judgement.verdict is Verdict.STUCK else "may wait"
            yield Related(place, f"the rollout of {workload_name(subject.workload)} {waits} for what they hold, too")


def holding(waiting: Waiting) -> frozenset[str]:
    """Return the owners of the pods whose resources a pod waits for."""
    return frozenset(owner for lack in waiting.lacks for owner in lack.owners)
