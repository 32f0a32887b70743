"""The claims of a pod that not every pod can use at once."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.storage import READ_WRITE_ONCE, READ_WRITE_ONCE_POD
from kubelint_gpu.scheduler.framework.storage_index import direct_claims
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


def exclusive_claims(unit: ApplySet, subject: WorkloadCheck) -> tuple[str, ...]:
    """The claims of the pod that not every pod can use at once, each with its access mode."""
    return tuple(f"{name} ({mode})" for name, mode in _modes(unit, subject).items())


def _modes(unit: ApplySet, subject: WorkloadCheck) -> dict[str, str]:
    """The access mode of each claim of the pod that not every pod can use at once, by the claim's name."""
    modes = {one.key: one.access_modes for one in unit.cluster.claims}
    keys = {name: f"{subject.workload.meta.namespace}/{name}" for name in direct_claims(subject.workload.spec)}
    named = {name: modes[key][0] for name, key in keys.items() if modes.get(key)}
    return {name: mode for name, mode in named.items() if mode in (READ_WRITE_ONCE_POD, READ_WRITE_ONCE)}


def exclusive_claim_lines(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Related]:
    """Yield the lines that name these claims, each with the pods that can use it at once."""
    exclusive = _modes(unit, subject)
    for route in field_pointers.claims(subject.manifest):
        mode = exclusive.get(str(field_pointers.at(subject.manifest, route)))
        if mode is not None:
            users = "one pod at a time" if mode == READ_WRITE_ONCE_POD else "the pods of one node at a time"
            yield Related(subject.manifest.place(route), f"the claim is {mode}: {users}")
