"""Claims in the shape of another version, and pods with wrong references to claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.devices.written_claims import GROUP, KINDS, TEMPLATE, claim_of, claim_references
from kubelint_gpu.analysis.fields.refused_fields import unknown_fields
from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Certainty, Severity
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.resource_api import SOURCE_UNTIL
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.validation.api_fields import Misfit, misfits, service, table
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.kube.values.plain import containers, mapping, sequence, written
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.values import Value
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck


class ClaimFault(Value):
    """A field that the API server refuses or drops, or that makes pods wait.

    Attributes:
        manifest: the object.
        pointer: the field to point at.
        text: what is wrong.
        cause: distinguishes it from other faults of the object.
        at_key: whether to point at the key of the field, not at its value.
        help: what to do about it.
        severity: the severity, if it is not that of the rule.
    """

    manifest: Manifest
    pointer: Pointer
    text: str
    cause: str
    at_key: bool = False
    help: tuple[str, ...] = ()
    severity: Severity | None = None
    certainty: Certainty = "certain"


class ShapeFault(ClaimFault):
    """A field of a claim, or of its use, that is in the wrong place or names nothing.

    Attributes:
        covers: the fields that this fault fully explains: no other rule reports them.
        near: the name that was probably meant.
        wrap: the fields of the request at `pointer[:-1]` that belong under `exactly`.
        unwrap: whether the content of the field belongs in its place.
        version: the apiVersion with this shape.
    """

    covers: tuple[Pointer, ...] = ()
    near: str = ""
    wrap: tuple[str, ...] = ()
    unwrap: bool = False
    version: str = ""


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


def faults_of_pods(unit: ApplySet) -> Iterator[ShapeFault]:
    """Yield the faults in how the pods of a unit reference claims."""
    for subject in unit.subjects:
        base = field_pointers.pod_spec(subject.manifest)
        spec = mapping(field_pointers.at(subject.manifest, base))
        entries = sequence(spec.get("resourceClaims"))
        used: set[str] = set()
        names = [name for entry in entries if (name := written(mapping(entry).get("name")))]
        asks = False
        for pointer, container in containers(spec, base):
            for number, one in enumerate(sequence(mapping(container.get("resources")).get("claims"))):
                asks, called = True, mapping(one).get("name")
                where: Pointer = (*pointer, "resources", "claims", number)
                used.add(str(called))
                yield from _of_container(subject, where, called, names)
                yield from _of_request(unit, subject, where, mapping(one))
        if entries or asks:
            yield from _of_entries(unit, subject, (*base, "resourceClaims"), entries, used)


def _of_container(subject: WorkloadCheck, where: Pointer, name: object, names: list[str]) -> Iterator[ShapeFault]:
    import difflib

    if not isinstance(name, str) or not name or is_placeholder(name) or name in names:
        return
    near = difflib.get_close_matches(name, names, 1, 0.6) or (names if len(names) == 1 else [])
    known = f"it has {listed(names)}" if names else "it has none"
    text = f'the container uses claim "{name}", which is not in resourceClaims of the pod: {known}'
    yield ShapeFault(
        subject.manifest,
        (*where, "name"),
        text,
        f"container/{name}",
        help=_meant(near),
        covers=(where,),
        near=near[0] if near else "",
    )


def _meant(near: Sequence[str]) -> tuple[str, ...]:
    return (f"did you mean {near[0]}?",) if near else ()


def _of_request(unit: ApplySet, subject: WorkloadCheck, where: Pointer, one: dict[str, object]) -> Iterator[ShapeFault]:
    """Yield a container that uses a request of a claim which the claim does not have: it gets no device."""
    import difflib

    name, request = one.get("name"), one.get("request")
    if not isinstance(request, str) or not request or is_placeholder(request):
        return
    for reference in claim_references(unit):
        if reference.subject is not subject or reference.alias != name:
            continue
        spec = claim_of(unit, reference)
        if spec is None:
            continue
        requests = [found.name for found in spec.requests]
        if request not in requests:
            near = difflib.get_close_matches(request, requests, 1, 0.6)
            text = f'{reference.kind} {reference.name} has no request "{request}": the container gets no device of it '
            yield ShapeFault(
                subject.manifest,
                (*where, "request"),
                f"{text}(it has {listed(requests)})",
                f"request/{request}",
                help=_meant(near),
                near=near[0] if near else "",
                severity="warning",
            )


def _of_entries(
    unit: ApplySet, subject: WorkloadCheck, base: Pointer, entries: list[object], used: set[str]
) -> Iterator[ShapeFault]:
    minor = unit.minor_release
    for number, one in enumerate(entries):
        entry = mapping(one)
        name = written(entry.get("name"))
        if entry.get("source") is not None and (minor is None or minor > SOURCE_UNTIL):
            since = "since 1.31" if minor is None else f"in 1.{minor}"
            shown = [found.since for one in unit.manifests if (found := service(one.item.value, minor)) is not None]
            yield ShapeFault(
                subject.manifest,
                (*base, number, "source"),
                f"source is gone {since}: resourceClaimName or resourceClaimTemplateName stand in the entry itself",
                f"source/{name}",
                at_key=True,
                covers=((*base, number, "source"),),
                unwrap=True,
                certainty="certain" if max(minor or 0, *shown, 0) > SOURCE_UNTIL else "possible",
            )
        elif name and name not in used and not is_placeholder(name):
            yield ShapeFault(
                subject.manifest,
                (*base, number, "name"),
                f'no container uses claim "{name}": its devices are allocated for the pod, and no container gets them',
                f"unused/{name}",
                severity="warning",
                help=("name it under resources.claims of a container",),
            )
