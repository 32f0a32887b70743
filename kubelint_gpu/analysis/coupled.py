"""Workloads of a unit whose pods must be near one another, or apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.scaling import replicas_of
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.messages.wording import some, workload_name
from kubelint_gpu.scheduler.companions import own_terms
from kubelint_gpu.simulation.prepare.coupling import bound_workloads, companion_workloads, heeds_others
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


def bound_to(unit: ApplySet, subject: WorkloadCheck) -> list[WorkloadCheck]:
    """The permanent workloads of the unit whose places depend on this workload, or the reverse.

    Workloads that its pods can preempt are left out, unless its pods must be near them.
    """
    if not _any_heeds_others(unit):
        return []
    mine = subject.workload
    others = [one for one in _lasting(unit) if one is not subject]
    near = companion_workloads(mine, [one.workload for one in others], unit.cluster)
    lowest = -(2**31) if mine.spec.preemption_policy == "Never" else mine.spec.priority or 0
    others = [one for place, one in enumerate(others) if place in near or (one.workload.spec.priority or 0) >= lowest]
    return [others[place] for place in bound_workloads(mine, [one.workload for one in others], unit.cluster)]


@once
def _any_heeds_others(unit: ApplySet) -> bool:
    """Whether the place of any workload depends on other pods."""
    return any(heeds_others(one.workload.spec) for one in unit.subjects)


@once
def _lasting(unit: ApplySet) -> list[WorkloadCheck]:
    return [one for one in unit.subjects if _runs_for_good(unit, one)]


def _runs_for_good(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its pods run permanently, beside those of others."""
    workload = subject.workload
    if subject.controller.runs_to_completion or workload.custom or not subject.admitted:
        return False
    runs = subject.controller.node_bound or replicas_of(unit, subject)[1] > 0
    return runs and not workload.spec.node_name and not unit.alone(subject).held


def ties(unit: ApplySet, subject: WorkloadCheck, others: Sequence[WorkloadCheck]) -> Iterator[Related]:
    """Yield the terms that require its pods to be near to, or apart from, pods of the others."""
    pod, manifest = subject.pod, subject.manifest
    near, apart = tuple(field_pointers.affinity(manifest)), tuple(field_pointers.anti_affinity(manifest))
    written = [
        *zip(near, own_terms(pod, pod.spec.pod_affinity, unit.empty), ["near to"] * len(near), strict=False),
        *zip(apart, own_terms(pod, pod.spec.pod_anti_affinity, unit.empty), ["apart from"] * len(apart), strict=False),
    ]
    for route, term, how in written:
        names = [workload_name(one.workload) for one in others if term.matches(one.pod)]
        if names:
            told = f"its pods must be {how} those of {some(names, 'workload')}"
            yield Related(manifest.place((*route, "topologyKey")), told)
