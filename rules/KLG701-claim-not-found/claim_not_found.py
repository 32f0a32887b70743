"""ResourceClaims and templates that do not exist."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kubelint_gpu.analysis.devices.written_claims import (
    CLAIM,
    TEMPLATE,
    PodClaimReference,
    claim_of,
    claim_references,
    device_objects,
)
from kubelint_gpu.analysis.transitions import transition_of, transitions_in
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Manifest, rule
from kubelint_gpu.engine.remedies import renamed, rewritten
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.kube.values.plain import at, written
from kubelint_gpu.messages.wording import owner_name, some
from kubelint_gpu.simulation.prepare.workload_change import own_pods

_KEYS = {CLAIM: "resourceClaimName", TEMPLATE: "resourceClaimTemplateName"}
_OTHER = {CLAIM: TEMPLATE, TEMPLATE: CLAIM}
_MAKER = ("spec", "channel", "resourceClaimTemplate", "name")


@rule("KLG701")
def claim_not_found(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods whose ResourceClaim or template does not exist: they wait without an event of the scheduler.

    Without an inventory only probable mistakes are reported: an object with a similar name, of the other kind, or in
    another namespace exists.
    """
    leaving = {one.key for one in unit.cluster.resource_claims if one.meta.terminating}
    for reference in claim_references(unit):
        if reference.kind == CLAIM and f"{reference.namespace}/{reference.name}" in leaving:
            yield _leaving(unit, reference)
        if is_placeholder(reference.name) or claim_of(unit, reference) is not None:
            continue
        if not _is_written(unit, reference):
            yield from _findings(unit, reference)


def _leaving(unit: ApplySet, reference: PodClaimReference) -> Diagnostic:
    """Return the finding that a claim is being deleted, so that the scheduler takes no new pod with it."""
    manifest, subject = reference.subject.manifest, reference.subject
    # the claim keeps its new pods from every node, so that it is not among those that are placed
    change = transitions_in(unit).get(subject.key) or transition_of(unit, subject)
    rolls = change.known and change.rolls
    later = bool(own_pods(subject.workload, unit.cluster.pods)) and not rolls
    return Diagnostic(
        "KLG701",
        manifest.place(reference.pointer),
        f'{CLAIM} "{reference.name}" of namespace {reference.namespace} is being deleted: '
        f"{'its next pods wait' if later else 'its pods wait'} until it is gone, and then for another of that name",
        manifest,
        cause=f"{CLAIM}/{reference.name} leaves",
        certainty="possible" if later or _is_written(unit, reference) else "certain",
        moment="next" if later else "now",
        help=("apply the claim again once it is gone",),
    )


def _findings(unit: ApplySet, reference: PodClaimReference) -> Iterator[Diagnostic]:
    import difflib

    manifest, kind, name = reference.subject.manifest, reference.kind, reference.name
    makers, known = _makers(unit, reference), _known(unit, kind)
    here = [one for namespace, one in known if namespace == reference.namespace]
    swapped = (reference.namespace, name) in _known(unit, _OTHER[kind])
    elsewhere = [namespace for namespace, one in known if one == name]
    near = difflib.get_close_matches(name, here, 1, 0.75)
    if not unit.has_nodes and (makers or not (swapped or elsewhere or near)):
        return
    what = f'{kind} "{name}" is not in namespace {reference.namespace}'
    help_: tuple[str, ...] = ()
    proposals: tuple[FixCandidate, ...] = ()
    wait = "its pods wait for it for ever" if kind == CLAIM else "no claim is made for its pods, and they wait for ever"
    if makers:
        what = f"{kind} {name} is not declared: the controller of {owner_name(makers[0].object)} makes it"
        wait = "whether a node has the devices that it asks for is undecided"
        help_ = ("declare in the inventory the template that it has made, and the ResourceSlices of its driver",)
    elif swapped:
        key = _KEYS[_OTHER[kind]]
        what += f", which has a {_OTHER[kind]} of that name"
        help_ = (f"write {key}",)
        edits = partial(renamed, manifest, [reference.pointer], key)
        proposals = (FixCandidate(f"write {key}", "unsafe", edits),)
    elif near:
        help_ = (f"did you mean {near[0]}?",)
        proposals = rewritten(manifest, reference.pointer, near, f"use {kind} {{}}")
    elif elsewhere:
        what += f": it is in {some(elsewhere, 'namespace')}, and a pod uses claims of its own namespace only"
    elif here:
        what += f", neither in the manifests nor in the inventory (known are {some(here, 'object')})"
    else:
        what += ", neither in the manifests nor in the inventory"
    yield Diagnostic(
        "KLG701",
        manifest.place(reference.pointer),
        f"{what}: {wait}",
        manifest,
        cause=f"{kind}/{name}",
        certainty="certain" if not makers and _all_known(unit, reference) else "possible",
        severity="note" if makers else None,
        help=help_,
        proposals=proposals,
    )


def _known(unit: ApplySet, kind: str) -> list[tuple[str, str]]:
    """Return namespace and name of the objects of a kind."""
    every = unit.cluster.resource_claims if kind == CLAIM else unit.cluster.claim_templates
    return sorted((one.meta.namespace, one.meta.name) for one in every)


def _is_written(unit: ApplySet, reference: PodClaimReference) -> bool:
    """Whether the object exists with errors that other rules report."""
    names = {(one.kind, one.namespace or "default", one.name) for one in device_objects(unit)}
    return reference.key in names


def _makers(unit: ApplySet, reference: PodClaimReference) -> list[Manifest]:
    """Return the ComputeDomains whose controller creates the template."""
    if reference.kind != TEMPLATE:
        return []
    named = reference.namespace, reference.name
    domains = (one for one in (*unit.manifests, *unit.neighbours) if one.kind == "ComputeDomain")
    return [one for one in domains if (one.namespace or "default", written(at(one.item.value, _MAKER))) == named]


def _all_known(unit: ApplySet, reference: PodClaimReference) -> bool:
    """Whether the inventory lists such objects of the namespace, or was captured, so that this one does not exist yet.

    Only a captured inventory has claims created for a pod; it also has all templates.
    """
    inventory = unit.world.inventory if unit.has_nodes else None
    if unit.has_nodes and unit.world.shows_all:
        return True
    listed = {one.value["metadata"].get("namespace") for one in inventory.of_kind(reference.kind)} if inventory else ()
    made = {one.meta.namespace for one in unit.cluster.resource_claims if one.meta.owner is not None}
    return reference.namespace in listed or (inventory is not None and reference.namespace in made)
