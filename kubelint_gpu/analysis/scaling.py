"""How far a HorizontalPodAutoscaler scales a workload of a unit."""

from __future__ import annotations

from kubelint_gpu.groups import grouped
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.autoscalers import TARGET, range_of
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey


def target(unit: ApplySet, manifest: Manifest) -> WorkloadCheck | None:
    """The workload of the unit that an autoscaler scales."""
    if manifest.kind != "HorizontalPodAutoscaler":
        return None
    kind, name = field_pointers.at(manifest, (*TARGET, "kind")), field_pointers.at(manifest, (*TARGET, "name"))
    return _by_name(unit).get(f"{kind}/{manifest.namespace or 'default'}/{name}")


@once
def _by_name(unit: ApplySet) -> dict[str, WorkloadCheck]:
    """The workloads that place pods; of one name the first."""
    return {one.workload.object: one for one in reversed(unit.subjects) if one.places_pods}


def autoscalers_of(unit: ApplySet, subject: WorkloadCheck) -> list[Manifest]:
    """The autoscalers among the manifests that scale a workload of the unit."""
    return [manifest for scaled, manifest in _autoscalers(unit).get(subject.key, ()) if scaled is subject]


@once
def _autoscalers(unit: ApplySet) -> dict[WorkloadKey, list[tuple[WorkloadCheck, Manifest]]]:
    found = ((target(unit, manifest), manifest) for manifest in unit.manifests)
    return grouped((scaled.key, (scaled, manifest)) for scaled, manifest in found if scaled is not None)


def replicas_of(unit: ApplySet, subject: WorkloadCheck) -> tuple[int, int]:
    """The fewest and the most replicas that a workload has: as its autoscaler says, else as they are written."""
    found = filter(None, map(range_of, autoscalers_of(unit, subject)))
    return next(found, (subject.workload.replicas, subject.workload.replicas))
