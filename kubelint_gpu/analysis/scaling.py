"""How far a HorizontalPodAutoscaler scales a workload of a unit."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.autoscalers import TARGET, range_of
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck


def target(unit: ApplySet, manifest: Manifest) -> WorkloadCheck | None:
    """The workload of the unit that an autoscaler scales."""
    if manifest.kind != "HorizontalPodAutoscaler":
        return None
    kind, name = field_pointers.at(manifest, (*TARGET, "kind")), field_pointers.at(manifest, (*TARGET, "name"))
    namespace = manifest.namespace or "default"
    for subject in unit.subjects:
        meta = subject.workload.meta
        if (subject.workload.kind, meta.name, meta.namespace) == (kind, name, namespace) and subject.places_pods:
            return subject
    return None


def replicas_of(unit: ApplySet, subject: WorkloadCheck) -> tuple[int, int]:
    """The fewest and the most replicas that a workload has: as its autoscaler says, else as they are written."""
    return next(_ranges(unit, subject), (subject.workload.replicas, subject.workload.replicas))


def _ranges(unit: ApplySet, subject: WorkloadCheck) -> Iterator[tuple[int, int]]:
    for manifest in unit.manifests:
        if target(unit, manifest) is subject:
            found = range_of(manifest)
            if found is not None:
                yield found
