"""Pods with wrong references to claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.devices.claim_faults import ShapeFault
from kubelint_gpu.analysis.devices.written_claims import claim_of, claim_references
from kubelint_gpu.documents import Pointer
from kubelint_gpu.kube.dra.resource_api import SOURCE_UNTIL
from kubelint_gpu.kube.validation.api_table import service
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.kube.values.plain import containers, mapping, sequence, written
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


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
