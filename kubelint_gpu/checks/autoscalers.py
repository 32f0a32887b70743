"""HorizontalPodAutoscalers of a unit: what they scale, and how far."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.manifest import Manifest
from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.documents import Pointer

LEAST: Pointer = ("spec", "minReplicas")
MOST: Pointer = ("spec", "maxReplicas")
TARGET: Pointer = ("spec", "scaleTargetRef")


def target(unit: Unit, manifest: Manifest) -> Subject | None:
    """The workload of the unit that an autoscaler scales."""
    if manifest.kind != "HorizontalPodAutoscaler":
        return None
    kind, name = routes.at(manifest, (*TARGET, "kind")), routes.at(manifest, (*TARGET, "name"))
    namespace = manifest.namespace or "default"
    for subject in unit.subjects:
        meta = subject.workload.meta
        if (subject.workload.kind, meta.name, meta.namespace) == (kind, name, namespace) and subject.places_pods:
            return subject
    return None


def replicas_of(unit: Unit, subject: Subject) -> tuple[int, int]:
    """The fewest and the most replicas that a workload has: as its autoscaler says, else as they are written."""
    return next(_ranges(unit, subject), (subject.workload.replicas, subject.workload.replicas))


def _ranges(unit: Unit, subject: Subject) -> Iterator[tuple[int, int]]:
    for manifest in unit.manifests:
        if target(unit, manifest) is subject:
            least, most = routes.at(manifest, LEAST), routes.at(manifest, MOST)
            least = 1 if least is None else least
            if type(least) is int and type(most) is int and 0 <= least <= most:
                yield least, most
