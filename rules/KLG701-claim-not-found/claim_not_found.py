"""Claims and templates of claims that nobody declares."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from functools import partial

from kubelint_gpu.analysis.devices.written_claims import CLAIM, TEMPLATE, PodClaimReference, claim_of, claim_references
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.engine.remedies import renamed, rewritten
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.kube.values.plain import at, written
from kubelint_gpu.messages.wording import some
from kubelint_gpu.workspace.apply_set import ApplySet

_KEYS = {CLAIM: "resourceClaimName", TEMPLATE: "resourceClaimTemplateName"}
_OTHER = {CLAIM: TEMPLATE, TEMPLATE: CLAIM}
_MAKER = ("spec", "channel", "resourceClaimTemplate", "name")


@rule("KLG701")
def claim_not_found(unit: ApplySet) -> Iterator[Diagnostic]:
    """A pod names a ResourceClaim or a template that is nowhere: it waits, and no event of the scheduler says so.

    Without an inventory only what is probably a slip is told: an object of a like name, of the other kind, or of
    another namespace is there.
    """
    for reference in claim_references(unit):
        if is_placeholder(reference.name) or claim_of(unit, reference) is not None or _is_made(unit, reference):
            continue
        here = _names(unit, reference.kind, reference.namespace)
        swapped = reference.name in _names(unit, _OTHER[reference.kind], reference.namespace)
        elsewhere = _namespaces(unit, reference)
        near = get_close_matches(reference.name, here, 1, 0.75)
        if not (unit.has_nodes or swapped or elsewhere or near):
            continue
        yield _told(unit, reference, here, elsewhere, near, swapped=swapped)


def _told(
    unit: ApplySet,
    reference: PodClaimReference,
    here: list[str],
    elsewhere: list[str],
    near: list[str],
    *,
    swapped: bool,
) -> Diagnostic:
    manifest, kind, name = reference.subject.manifest, reference.kind, reference.name
    what = f'{kind} "{name}" is not in namespace {reference.namespace}'
    help_: tuple[str, ...] = ()
    proposals: tuple[FixCandidate, ...] = ()
    if swapped:
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
    wait = "its pods wait for it for ever" if kind == CLAIM else "no claim is made for its pods, and they wait for ever"
    return Diagnostic(
        "KLG701",
        manifest.place(reference.pointer),
        f"{what}: {wait}",
        manifest,
        cause=f"{kind}/{name}",
        certainty="certain" if _all_known(unit, reference) else "possible",
        help=help_,
        proposals=proposals,
    )


def _names(unit: ApplySet, kind: str, namespace: str) -> list[str]:
    every = unit.cluster.resource_claims if kind == CLAIM else unit.cluster.claim_templates
    return sorted(one.meta.name for one in every if one.meta.namespace == namespace)


def _namespaces(unit: ApplySet, reference: PodClaimReference) -> list[str]:
    """The other namespaces that have an object of the name."""
    every = unit.cluster.resource_claims if reference.kind == CLAIM else unit.cluster.claim_templates
    return sorted({one.meta.namespace for one in every if one.meta.name == reference.name})


def _is_made(unit: ApplySet, reference: PodClaimReference) -> bool:
    """Whether the controller of a ComputeDomain makes the template."""
    if reference.kind != TEMPLATE:
        return False
    domains = (one for one in (*unit.manifests, *unit.neighbours) if one.kind == "ComputeDomain")
    return any(written(at(one.item.value, _MAKER)) == reference.name for one in domains)


def _all_known(unit: ApplySet, reference: PodClaimReference) -> bool:
    """Whether the inventory lists such objects of the namespace: then this one is not there yet."""
    inventory = unit.world.inventory if unit.has_nodes else None
    found = inventory.of_kind(reference.kind) if inventory is not None else iter(())
    return any(at(one.value, ("metadata", "namespace")) == reference.namespace for one in found)
