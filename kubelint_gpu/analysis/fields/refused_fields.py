"""Other reasons for which the API server refuses a manifest that can be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.validation.api_fields import Misfit, misfits, mismatch, template_misfits
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer
from kubelint_gpu.kube.values.fields import NAMES_AS_LABELS, is_label, is_subdomain
from kubelint_gpu.kube.values.plain import shortened, written
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.field_pointers import at
from kubelint_gpu.workspace.kind_validation import further_problems
from kubelint_gpu.workspace.manifest import Manifest


def refusals(manifest: Manifest, unfit: Iterable[Misfit], minor: int | None) -> Iterator[InvalidObject]:
    """Yield values of the wrong type by the schema of a release, then problems beyond the schema; each place once.

    Patches are only checked for types. `unfit` is the result of `written_misfits`.
    """
    unfit = tuple(unfit)
    said, unknown = {one.pointer for one in manifest.problems}, {one.pointer for one in unfit if not one.wanted}
    around = {outer for one in said for outer in _outer(one)}
    for problem in (*_types(unfit), *further_problems(manifest, minor), *_gated(manifest, minor)):
        mine = problem.pointer
        # nothing was said of the field, of one around it, or of one inside it
        outer = _outer(mine)
        if not unknown.isdisjoint(outer):
            continue
        if said.isdisjoint(outer) and mine not in around:
            said.add(mine)
            around.update(outer)
            yield problem


def _outer(pointer: Pointer) -> list[Pointer]:
    """The pointer and those of all its parents."""
    return [pointer[:length] for length in range(len(pointer) + 1)]


def written_misfits(manifest: Manifest, minor: int | None) -> Iterator[Misfit]:
    """Yield fields that do not fit the schema: of the whole object, or of the pod template in a custom resource."""
    workload = manifest.workload
    if workload is None or not workload.custom:
        yield from misfits(manifest.item.value, minor)
    elif workload.is_template and not workload.extended:
        yield from template_misfits(manifest.item.value, workload.template_pointer, minor)


@once
def unknown_fields(unit: ApplySet) -> tuple[tuple[Misfit, ...], ...]:
    """For each of the unit's templates, the fields that do not exist in the cluster's release."""
    return tuple(tuple(written_misfits(manifest, unit.minor_release)) for manifest in unit.templates)


def _types(unfit: Iterable[Misfit]) -> Iterator[InvalidObject]:
    for found in unfit:
        if found.wanted:
            yield InvalidObject(mismatch(found), found.pointer, found.value, is_text=found.wanted == "a string")


def _gated(manifest: Manifest, minor: int | None) -> Iterator[InvalidObject]:
    """Yield the problems that only newer releases refuse; nothing if the release is unknown."""
    if manifest.kind != "StatefulSet" or minor is None or api_group(manifest.item.value) != "apps":
        return
    if minor >= NAMES_AS_LABELS:
        for route in (("metadata", "name"), ("spec", "serviceName")):
            name = written(at(manifest, route))
            # what is no name of anything is told already
            if name and not is_label(name) and (route != ("metadata", "name") or is_subdomain(name)):
                text = f'"{shortened(name)}" is not a DNS label: lower case letters, digits and "-", at most 63'
                yield InvalidObject(text, route, name)
