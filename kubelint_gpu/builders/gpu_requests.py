"""Where pods ask for GPUs, and fixes that ask for other resources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.engine.api import FixCandidate, Place, Pointer, WorkloadCheck, field_pointers
from kubelint_gpu.engine.remedies import renamed

GPU = "nvidia.com/gpu"


def renamed_requests(subject: WorkloadCheck, resource: str, names: Sequence[str]) -> tuple[FixCandidate, ...]:
    """A fix for each other name: ask for that resource instead, everywhere."""
    written = list(_written(subject, resource))
    return tuple(
        FixCandidate(
            f"ask for {name}",
            "unsafe",
            lambda name=name: renamed(subject.manifest, written, name),  # type: ignore[misc]
        )
        for name in names
        if written
    )


def _written(subject: WorkloadCheck, resource: str) -> Iterator[Pointer]:
    """Yield every place where containers name a resource, in limits and in requests."""
    for route in field_pointers.requests(subject.manifest, resource):
        for part in ("limits", "requests"):
            pointer = (*route[:-2], part, resource)
            if subject.manifest.present(pointer):
                yield pointer


def request_place(subject: WorkloadCheck, resource: str, role: str = "key") -> Place:
    """The place where the first container asks for a resource, or else the spec of the pods."""
    manifest = subject.manifest
    for route in field_pointers.requests(manifest, resource):
        return manifest.place(route, "key" if role == "key" else "value")
    return manifest.place(field_pointers.pod_spec(manifest), "key")
