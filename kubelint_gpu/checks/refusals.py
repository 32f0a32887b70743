"""What else the API server refuses of a manifest, apart from what keeps it from being read."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks.manifest import Manifest
from kubelint_gpu.checks.routes import at
from kubelint_gpu.kube.api_fields import Misfit, misfits, mismatch, template_misfits
from kubelint_gpu.kube.errors import InvalidObject, Pointer
from kubelint_gpu.kube.template_validation import name_problems, pod_problems, quota_problems, workload_problems
from kubelint_gpu.kube.workload import api_group


def refusals(manifest: Manifest, minor: int | None) -> Iterator[InvalidObject]:
    """Values of the wrong type by the schema of a release, then what the schema does not say; each place once.

    Patches are looked at for their types only.
    """
    said = {problem.pointer for problem in manifest.problems}
    for problem in (*_types(manifest, minor), *_further(manifest), *_gated(manifest, minor)):
        if not _covered(problem.pointer, said):
            said.add(problem.pointer)
            yield problem


def written_misfits(manifest: Manifest, minor: int | None) -> Iterator[Misfit]:
    """Fields that do not fit: of the whole object, or of the pod template inside a custom resource."""
    workload = manifest.workload
    if workload is None or not workload.custom:
        yield from misfits(manifest.item.value, minor)
    elif workload.is_template:
        yield from template_misfits(manifest.item.value, workload.template_pointer, minor)


def _types(manifest: Manifest, minor: int | None) -> Iterator[InvalidObject]:
    for found in written_misfits(manifest, minor):
        if found.wanted:
            yield InvalidObject(mismatch(found), found.pointer, found.value)


def _further(manifest: Manifest) -> Iterator[InvalidObject]:
    workload, value = manifest.workload, manifest.item.value
    if workload is not None and workload.custom:
        if workload.is_template and not workload.partial:
            spec = at(manifest, workload.spec_pointer)
            yield from pod_problems(spec if isinstance(spec, dict) else {}, workload.spec_pointer, volumes=None)
    elif workload is not None and not workload.partial:
        yield from name_problems(workload.kind, value)
        yield from workload_problems(workload.kind, value, workload.template_pointer)
    elif manifest.kind == "ResourceQuota" and not api_group(value):
        yield from quota_problems(value)


def _gated(manifest: Manifest, minor: int | None) -> Iterator[InvalidObject]:
    """Values that only releases with the gate MaxUnavailableStatefulSet on (1.35 and later) look at."""
    if manifest.kind != "StatefulSet" or minor is None or minor < 35:
        return
    route = ("spec", "updateStrategy", "rollingUpdate", "maxUnavailable")
    value = at(manifest, route)
    if value in (0, "0%"):
        yield InvalidObject("cannot be 0", route, value)
    elif isinstance(value, str) and value.endswith("%") and value[:-1].isdigit() and int(value[:-1]) > 100:
        yield InvalidObject(f"must not be greater than 100%, not {value}", route, value)
    elif isinstance(value, int) and value < 0:
        yield InvalidObject(f"must be greater than or equal to 0, not {value}", route, value)


def _covered(pointer: Pointer, said: set[Pointer]) -> bool:
    """Whether something was said of the field, of one around it, or of one inside it."""
    return any(pointer[: len(one)] == one or one[: len(pointer)] == pointer for one in said)
