"""Pods for which there is no node at all."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from kubelint_gpu.analysis.diagnosis import Diagnosis, diagnose, of_cause
from kubelint_gpu.analysis.node_misfit import title
from kubelint_gpu.builders.waiting_pods import scheduler_message
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    Manifest,
    Place,
    Pointer,
    Related,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.evidence.declared_lines import reunion, tie_lines, volume_ties
from kubelint_gpu.evidence.node_lines import clues
from kubelint_gpu.kube.objects.requests import ephemeral_claims
from kubelint_gpu.kube.objects.storage import PersistentVolumeClaim, with_default_class
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.messages.wording import amount, bare, some
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.scheduler.plugins.volume_binding import unsuited
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.ordinals import makes_claim
from kubelint_gpu.values import replace

_MOST = 2


@rule("KLG201")
def unschedulable(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods that no node takes even without other pods, and that no more specific rule reports."""
    yield from _without_claim(unit, {subject.key for subject, _ in diagnose(unit)})
    yield from _without_runtime_class(unit)
    for subject, found in of_cause(unit, "KLG201"):
        manifest, ties = subject.manifest, volume_ties(unit, subject) if found.by_volume else {}
        why = "".join(f"; claim {name} {told}" for name, told in list(ties.items())[:1])
        unsuitable = tuple(_unsuited(unit, subject))[:_MOST] if found.by_volume else ()
        yield Diagnostic(
            "KLG201",
            _place(subject, found),
            f"no node takes its pod, even with nothing else running: {_nearest(unit, found)}{why}",
            manifest,
            cause="unschedulable",
            certainty=found.certainty,
            scheduler=scheduler_message(unit, subject),
            help=(*unsuitable, *((reunion(unit, subject),) if ties else ())),
            related=(
                *clues(unit, subject, found.resource, found.nodes, takes=False),
                *(tie_lines(unit, subject) if ties else ()),
            ),
        )


def _unsuited(unit: ApplySet, subject: WorkloadCheck) -> Iterator[str]:
    """Yield why the claims of a workload do not get volumes of their classes."""
    keys, classes = claim_keys(subject.workload), unit.cluster.storage_classes
    for claim in (one for one in unit.cluster.claims if one.key in keys and not one.bound):
        name = with_default_class(claim, classes).class_name
        for volume in (one for one in unit.cluster.volumes if one.storage_class == name):
            why = unsuited(volume, claim)
            if why:
                yield f"claim {claim.meta.name} does not get volume {volume.meta.name}: {why}"


def _without_claim(unit: ApplySet, told: Container[str]) -> Iterator[Diagnostic]:
    """Yield pods that wait for a missing claim or storage class, if the inventory declares storage."""
    base, there = unit.world.base, unit.cluster
    whole = unit.world.shows_all
    if not (base.claims or base.volumes or base.storage_classes or whole):
        return
    known = {one.key: one for one in there.claims}
    classes = {*(one.name for one in there.storage_classes), *(one.storage_class for one in there.volumes)}
    volumes = {one.meta.name for one in there.volumes}
    written = [one.workload for one in (*unit.templates, *unit.neighbours) if one.workload is not None]
    makers = [(one, controller_of(one).first_ordinal) for one in written if one.claims]
    for subject in unit.subjects:
        manifest, namespace = subject.manifest, subject.workload.meta.namespace
        if subject.key in told or subject.workload.custom:
            continue
        claims = [*_made_with_pods(subject)]
        for route in field_pointers.claims(manifest):
            name = str(field_pointers.at(manifest, route))
            if f"{namespace}/{name}" in known:
                claims.append((route, known[f"{namespace}/{name}"]))
                continue
            if any(makes_claim(one, f"{namespace}/{name}", first) for one, first in makers):
                continue
            event = f'persistentvolumeclaim "{name}" not found'
            yield _unknown(manifest, route, f"its pods wait for claim {name}", "it", "claim", name, event)
        if base.storage_classes or whole:
            yield from _without_volume(unit, manifest, claims, classes, volumes)


def _without_volume(
    unit: ApplySet,
    manifest: Manifest,
    claims: Sequence[tuple[Pointer, PersistentVolumeClaim]],
    classes: Container[str],
    volumes: Container[str],
) -> Iterator[Diagnostic]:
    """Yield the claims that are not bound, and whose volume or storage class does not exist."""
    for route, claim in claims:
        name, volume = with_default_class(claim, unit.cluster.storage_classes).class_name, claim.volume_name
        waits = f"its pods wait for a volume of claim {claim.meta.name}"
        if claim.phase == "Bound" or claim.bound:
            continue
        if volume and volume not in volumes and not is_placeholder(volume):
            yield _unknown(manifest, route, waits, f"PersistentVolume {volume}", "volume", volume)
        elif name not in classes and not volume:
            unnamed = "a default StorageClass" if claim.storage_class is None else "a volume without a StorageClass"
            what = f"StorageClass {name}" if name else unnamed
            draft = _unknown(manifest, route, waits, what, "storage class", name)
            yield _of_class(unit, manifest, route, claim, draft)


def _made_with_pods(subject: WorkloadCheck) -> Iterator[tuple[Pointer, PersistentVolumeClaim]]:
    """Yield the claims created with the pods of a workload, and the pointers of their templates."""
    for place, claim in enumerate(subject.workload.claims):
        yield ("spec", "volumeClaimTemplates", place), claim
    at = (*field_pointers.pod_spec(subject.manifest), "volumes")
    for place, volume in enumerate(subject.workload.spec.volumes):
        for claim in ephemeral_claims([volume]):
            named = replace(claim, meta=replace(claim.meta, name=volume.name))
            yield (*at, place, "ephemeral", "volumeClaimTemplate"), named


def _of_class(
    unit: ApplySet, manifest: Manifest, route: Pointer, claim: PersistentVolumeClaim, draft: Diagnostic
) -> Diagnostic:
    """Return the finding with the place of the claim's storage class, and the classes that exist."""
    key, meta = "storageClassName", claim.meta
    claims = [one for one in unit.manifests if (one.kind, one.name) == ("PersistentVolumeClaim", meta.name)]
    holder = next((one for one in claims if (one.namespace or "default") == meta.namespace), None)
    maker, where = (manifest, (*route, "spec", key)) if holder is None else (holder, ("spec", key))
    classes = [f"{one.name}{' (the default)' * one.default}" for one in unit.cluster.storage_classes]
    if not classes:
        return draft
    others = f"write a {key} that exists: the inventory has {some(classes, 'class')}"
    less = f", which a claim gets without {key}" if any(one.default for one in unit.cluster.storage_classes) else ""
    beside = () if holder is None else (Related(manifest.place(route), f"the pods use claim {meta.name}"),)
    return replace(draft, place=maker.place(where), related=beside, help=(f"{others}{less}", *draft.help))


def _without_runtime_class(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods refused for a missing RuntimeClass; if all classes are known, KLG003 reports it."""
    base, known = unit.world.base, {one.name for one in unit.cluster.runtime_classes}
    if unit.complete if base.runtime_classes else not unit.world.shows_all:
        return
    for subject in unit.subjects:
        manifest, name = subject.manifest, subject.workload.spec.runtime_class_name
        if name and name not in known and not subject.workload.custom:
            route, what = (*field_pointers.pod_spec(manifest), "runtimeClassName"), f"RuntimeClass {name}"
            yield _unknown(manifest, route, "admission refuses its pods", what, "runtime class", name)


def _unknown(
    manifest: Manifest, route: Pointer, waits: str, what: str, kind: str, name: str, event: str | None = None
) -> Diagnostic:
    """Return the finding that pods do not start because an object is in neither the inventory nor the manifests."""
    return Diagnostic(
        "KLG201",
        manifest.place(route),
        f"{waits}: neither the inventory nor the manifests have {what}",
        manifest,
        cause=f"{kind} {name}",
        certainty="possible",
        severity="warning",
        scheduler=event,
        help=(f"declare the {kind} in the inventory, or check the manifest that makes it together with this one",),
    )


def _place(subject: WorkloadCheck, found: Diagnosis) -> Place:
    """Return the request that is too large, else the field that binds the pod to its nodes, else its spec."""
    manifest = subject.manifest
    if found.by_volume:
        for route in field_pointers.claims(manifest):
            return manifest.place(route)
    if found.resource:
        for route in field_pointers.requests(manifest, found.resource):
            return manifest.place(route)
    for route in field_pointers.selectors(manifest):
        return field_pointers.selector_place(manifest, route)
    return manifest.place(field_pointers.pod_spec(manifest), "key")


def _nearest(unit: ApplySet, found: Diagnosis) -> str:
    if not found.nodes:
        return found.reason
    node = title(unit, found.nodes[0])
    if found.resource:
        needed, resource = amount(found.resource, found.needed), found.resource
        has = bare(resource, found.allocatable) if found.allocatable else "none"
        return f"it asks for {needed}, and {node}, which comes closest, has {has}"
    return f"{node} comes closest: {found.reason}"
