"""How far an autoscaler scales a workload of a unit."""

from __future__ import annotations

from kubelint_gpu.groups import grouped
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.autoscalers import Autoscaler, read_autoscaler
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey


@once
def scaling(unit: ApplySet) -> list[tuple[Autoscaler, WorkloadCheck]]:
    """The autoscalers in and beside the manifests, each with the workload of the unit that it scales."""
    found = filter(None, map(read_autoscaler, (*unit.manifests, *unit.neighbours)))
    return [(one, _by_name(unit)[one.scales]) for one in found if one.scales in _by_name(unit)]


@once
def _by_name(unit: ApplySet) -> dict[str, WorkloadCheck]:
    """The workloads that place pods, by object name; the first one of each name."""
    return {one.workload.object: one for one in reversed(unit.subjects) if one.places_pods}


def autoscalers_of(unit: ApplySet, subject: WorkloadCheck) -> list[Autoscaler]:
    """The autoscalers in and beside the manifests that scale a workload of the unit."""
    return [one for one, scaled in _by_key(unit).get(subject.key, ()) if scaled is subject]


@once
def _by_key(unit: ApplySet) -> dict[WorkloadKey, list[tuple[Autoscaler, WorkloadCheck]]]:
    return grouped((scaled.key, (one, scaled)) for one, scaled in scaling(unit))


def replicas_of(unit: ApplySet, subject: WorkloadCheck) -> tuple[int, int]:
    """The fewest and the most replicas of a workload: the bounds of its autoscaler, or else the written number."""
    found = (one.bounds for one in autoscalers_of(unit, subject) if one.bounds is not None)
    return next(found, (subject.workload.replicas, subject.workload.replicas))
