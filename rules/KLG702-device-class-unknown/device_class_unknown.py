"""DeviceClasses that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.written_claims import (
    PodClaimReference,
    claim_of,
    claim_references,
    has_devices,
    written_claims,
)
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Pointer, rule
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.messages.did_you_mean_label import nearest_key
from kubelint_gpu.messages.wording import some
from kubelint_gpu.scheduler.framework.release import behaviour

_FIELD = "deviceClassName"
_DECLARE = "declare `devices` of the nodes, or capture the inventory: then claims are judged"


@rule("KLG702")
def device_class_unknown(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield requests for a missing class: the scheduler refuses every pod with the claim.

    A missing class in one alternative of `firstAvailable` is enough, even if an earlier one could be served.
    """
    cluster = unit.cluster
    known = sorted(one.name for one in cluster.device_classes)
    asked = unit.world.has_slices or known or behaviour(cluster.version).dynamic_resources
    if not unit.has_nodes or not asked:
        return
    mine = set()
    for claim in written_claims(unit):
        mine.add(claim.key)
        for pointer, query in () if has_devices(unit, claim) else claim.queries():
            if _is_unknown(query.device_class, known):
                yield _finding(unit, claim.manifest, (*pointer, _FIELD), query.device_class, known)
    for reference in claim_references(unit):
        if reference.key not in mine and not has_devices(unit, reference):
            yield from _of_inventory(unit, reference, known)


def _is_unknown(name: str, known: list[str]) -> bool:
    return bool(name) and name not in known and not is_placeholder(name)


def _finding(unit: ApplySet, manifest: Manifest, pointer: Pointer, name: str, known: list[str]) -> Diagnostic:
    near, nothing = nearest_key(name, known), not (unit.world.has_slices or known)
    known = [one for one in known if one == near] + [one for one in known if one != near]
    has = f"known are {some(known, 'class')}" if known else "the inventory declares none"
    text = (
        f'DeviceClass "{name}" is neither in the manifests nor in the inventory: the scheduler refuses every pod '
        f"with this claim ({has})"
    )
    if nothing:
        text = f'whether there is a DeviceClass "{name}", and devices of it, is not known: the inventory declares none'
    return Diagnostic(
        "KLG702",
        manifest.place(pointer),
        text,
        manifest,
        cause=name,
        certainty="certain" if _all_known(unit) else "possible",
        severity="note" if nothing else None,
        help=(_DECLARE,) if nothing else (f"did you mean {near}?",) if near else (),
        proposals=rewritten(manifest, pointer, [near] if near else [], "use DeviceClass {}"),
    )


def _of_inventory(unit: ApplySet, reference: PodClaimReference, known: list[str]) -> Iterator[Diagnostic]:
    """Yield missing classes that a claim or a template of the inventory names."""
    spec = claim_of(unit, reference) if unit.world.has_slices or known else None
    for query in spec.queries if spec is not None else ():
        if not _is_unknown(query.device_class, known):
            continue
        manifest = reference.subject.manifest
        yield Diagnostic(
            "KLG702",
            manifest.place(reference.pointer),
            f'DeviceClass "{query.device_class}" is neither in the manifests nor in the inventory: '
            f"{reference.kind} {reference.name} of the inventory asks for it, and the scheduler refuses its pods",
            manifest,
            cause=f"{reference.name}/{query.device_class}",
            certainty="certain" if _all_known(unit) else "possible",
        )


def _all_known(unit: ApplySet) -> bool:
    inventory = unit.world.inventory
    return inventory is not None and next(inventory.of_kind("DeviceClass"), None) is not None
