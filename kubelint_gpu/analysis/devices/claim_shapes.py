"""Claims in the shape of another version, and pods with wrong references to claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.devices.claim_faults import ShapeFault
from kubelint_gpu.analysis.devices.claim_uses import faults_of_pods
from kubelint_gpu.analysis.devices.written_claims import GROUP, KINDS, TEMPLATE
from kubelint_gpu.analysis.fields.refused_fields import unknown_fields
from kubelint_gpu.documents import Pointer
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.validation.api_fields import Misfit, misfits
from kubelint_gpu.kube.validation.api_table import table
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest

_VERSIONS = ("v1", "v1beta2", "v1beta1")
_EXACTLY = "exactly"


@once
def shape_faults(unit: ApplySet) -> tuple[ShapeFault, ...]:
    """The faults in the shape of a unit's claims, and of their use."""
    return (*_of_objects(unit), *faults_of_pods(unit))


@once
def told_shapes(unit: ApplySet) -> dict[Manifest, tuple[Pointer, ...]]:
    """Return the fields that `shape_faults` fully explains, by object."""
    found = grouped((fault.manifest, pointer) for fault in shape_faults(unit) for pointer in fault.covers)
    return {manifest: tuple(pointers) for manifest, pointers in found.items()}


def is_told(unit: ApplySet, manifest: Manifest, pointer: Pointer) -> bool:
    """Whether a shape fault is in a field, or in its content."""
    return any(one[: len(pointer)] == pointer for one in told_shapes(unit).get(manifest, ()))


def _of_objects(unit: ApplySet) -> Iterator[ShapeFault]:
    for manifest, unfit in zip(unit.templates, unknown_fields(unit), strict=True):
        if manifest.kind not in KINDS or api_group(manifest.item.value) != GROUP:
            continue
        unknown = [one for one in unfit if not one.wanted]
        yield from _of_template(manifest, unknown)
        groups = grouped(((one.pointer[:-1], _version_with(manifest, one)), one) for one in unknown)
        for (where, version), members in groups.items():
            if version:
                yield _of_version(manifest, where, version, members)


def _of_template(manifest: Manifest, unknown: Sequence[Misfit]) -> Iterator[ShapeFault]:
    for one in unknown:
        if manifest.kind == TEMPLATE and one.pointer == ("spec", "devices"):
            text = "a ResourceClaimTemplate has the spec of its claims in spec.spec: devices stands one level too high"
            yield ShapeFault(manifest, one.pointer, text, "template", at_key=True, covers=(one.pointer,))


def _version_with(manifest: Manifest, one: Misfit) -> str:
    """The apiVersion in which the field is valid at its place; empty if there is none."""
    value = manifest.item.value
    own, served = value.get("apiVersion"), table().versions(GROUP, manifest.kind)
    for version in (f"{GROUP}/{name}" for name in _VERSIONS):
        if version == own or version not in served:
            continue
        others = [other.pointer for other in misfits({**value, "apiVersion": version}, None)]
        if all(one.pointer[: len(other)] != other for other in others):
            return version
    return ""


def _of_version(manifest: Manifest, where: Pointer, version: str, members: Sequence[Misfit]) -> ShapeFault:
    keys = [str(one.pointer[-1]) for one in members]
    own = manifest.item.value.get("apiVersion")
    pointers = tuple(one.pointer for one in members)
    in_request = len(where) >= 2 and where[-2] == "requests"
    if in_request and _EXACTLY not in keys:
        text = f"{listed(keys)} {'stands' if len(keys) == 1 else 'stand'} in the request as in {version}; {own} has "
        text += f"{'it' if len(keys) == 1 else 'them'} under exactly"
        wrap = tuple(keys)
    else:
        text, wrap = f"{listed(keys)} {'is' if len(keys) == 1 else 'are'} of {version}, and the object is of {own}", ()
    return ShapeFault(
        manifest, pointers[0], text, f"version/{where}", at_key=True, covers=pointers, wrap=wrap, version=version
    )
