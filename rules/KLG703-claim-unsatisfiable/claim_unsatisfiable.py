"""Claims that the devices of no node satisfy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.devices.told_claims import unserved_pod
from kubelint_gpu.analysis.devices.unserved_claims import certainty, declared_trial, device_trial, faults
from kubelint_gpu.analysis.devices.written_claims import (
    PodClaimReference,
    WrittenClaim,
    claim_of,
    claim_references,
    has_devices,
    written_claims,
)
from kubelint_gpu.documents import editing
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Manifest, Pointer, WorkloadCheck, rule
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.dra.nvidia import OPTIONAL
from kubelint_gpu.kube.values.errors import field_path
from kubelint_gpu.messages.wording import listed, some
from kubelint_gpu.workspace.kind_validation import further_problems

if TYPE_CHECKING:
    from kubelint_gpu.analysis.devices.unmet_conditions import Fault
    from kubelint_gpu.kube.dra.claim import ClaimSpec
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial


_EXACTLY = "exactly"


@rule("KLG703")
def claim_unsatisfiable(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield claims that no node can satisfy, even without other pods."""
    if not written_claims(unit) and not claim_references(unit):
        return
    trial = device_trial(unit)
    if trial is None:
        yield from _of_doubtful_pools(unit)
        return
    mine = {}
    users = grouped((one.key, one) for one in claim_references(unit))
    for claim in written_claims(unit):
        found = () if has_devices(unit, claim) else tuple(faults(trial, claim.spec, users.get(claim.key, ())))
        mine[claim.key] = bool(found)
        for fault in found:
            # of a claim that is refused an attempt says nothing that its refusal does not say
            if fault.below != ("requests",) or not any(further_problems(claim.manifest, unit.minor_release)):
                yield _finding(unit, claim, fault, _doubt(unit, trial, claim.spec, fault))
    for reference in claim_references(unit):
        spec = claim_of(unit, reference)
        if reference.key in mine or spec is None:
            continue
        found = () if has_devices(unit, reference) else tuple(faults(trial, spec, [reference]))
        mine[reference.key] = bool(found)
        for fault in found:
            yield _of_inventory(unit, reference, fault, _doubt(unit, trial, spec, fault))
    named = ((one.subject.key, one) for one in claim_references(unit) if one.subject.places_pods)
    for of_pod in grouped(named).values():
        if not any(mine.get(one.key, True) for one in of_pod):
            yield from _of_pod(unit, of_pod[0])


def _doubt(unit: ApplySet, trial: ClaimTrial, spec: ClaimSpec, fault: Fault) -> str:
    """Return why devices of an optional class may exist, though concise devices have none; empty if they cannot."""
    asked = spec.requests[int(fault.below[1])].exactly if fault.below[-1] == "deviceClassName" else None
    concise = any(device.undeclared for one in unit.cluster.resource_slices for device in one.devices)
    if asked is None or asked.device_class not in OPTIONAL or not concise or trial.selected(asked):
        return ""
    return "whether the driver publishes such devices, the inventory does not tell: declare them in `devices`"


def _of_doubtful_pools(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield claims without devices while slices of a pool are missing or disagree, as during a driver's update."""
    trial = declared_trial(unit)
    if trial is None:
        return
    pools = some([pool.key for pool in trial.doubtful_pools], "pool", kind=True)
    are = "is" if len(trial.doubtful_pools) == 1 else "are"
    first = trial.doubtful_pools[0]
    why = first.invalid or "the inventory does not have all slices that its newest generation tells of"
    for reference in claim_references(unit):
        spec = claim_of(unit, reference)
        if spec is None or not reference.subject.places_pods or has_devices(unit, reference):
            continue
        trial.renewed()
        found = trial.asked(spec)
        if found.refused is None and not found.served:
            yield Diagnostic(
                "KLG703",
                reference.subject.manifest.place(reference.pointer),
                f"the scheduler finds no devices for claim {reference.alias} as long as {pools} {are} as declared: "
                f"{why}",
                reference.subject.manifest,
                cause="pools",
                certainty="possible",
                help=("capture the inventory again, or declare the slices that are missing",),
            )


def _finding(unit: ApplySet, claim: WrittenClaim, fault: Fault, doubt: str) -> Diagnostic:
    manifest = claim.manifest
    below = tuple(step for step in fault.below if step != _EXACTLY) if claim.flat else fault.below
    pointer = _present(manifest, (*claim.base, *below))
    proposals: tuple[FixCandidate, ...] = ()
    if fault.near and fault.offset is not None and not doubt:
        edits = partial(_rewritten, manifest, pointer, fault)
        proposals = (FixCandidate(f"write '{fault.near}'", "unsafe", edits),)
    return Diagnostic(
        "KLG703",
        manifest.place(pointer) if fault.offset is None else manifest.place_within(pointer, fault.offset),
        fault.text,
        manifest,
        cause=field_path(fault.below),
        certainty="possible" if doubt else certainty(unit),
        help=tuple(filter(None, [doubt or (f"did you mean '{fault.near}'?" if fault.near else fault.help)])),
        proposals=proposals,
    )


def _present(manifest: Manifest, pointer: Pointer) -> Pointer:
    """Return the field if it is written; for a default, the enclosing field."""
    while not manifest.present(pointer):
        pointer = pointer[:-1]
    return pointer


def _rewritten(manifest: Manifest, pointer: Pointer, fault: Fault) -> list[editing.Edit]:
    """Return the edit that replaces a literal which no device has."""
    start = manifest.offset_within(pointer, fault.offset or 0)
    source = manifest.item.document.source
    written = "" if start is None else source.text[start : start + len(fault.wanted) + 2]
    if start is None or written[1:-1] != fault.wanted or written[0] != written[-1] or written[0] in fault.near:
        raise NotEditable("the literal is not written plainly")
    span = source.span(start + 1, start + 1 + len(fault.wanted))
    return [editing.Edit(source.path, span, fault.near)]


def _of_inventory(unit: ApplySet, reference: PodClaimReference, fault: Fault, doubt: str) -> Diagnostic:
    manifest = reference.subject.manifest
    return Diagnostic(
        "KLG703",
        manifest.place(reference.pointer),
        f"{reference.kind} {reference.name} of the inventory cannot be served: {fault.text}",
        manifest,
        cause=f"{reference.name}/{field_path(fault.below)}",
        certainty="possible" if doubt else certainty(unit),
        help=(doubt,) if doubt else (),
    )


def _of_pod(unit: ApplySet, reference: PodClaimReference) -> Iterator[Diagnostic]:
    """Yield pods that fit on no node with all their claims, although each claim alone can be served."""
    subject, found = reference.subject, unserved_pod(unit, reference.subject)
    if found is None:
        return
    refused, served, text = found
    aliases = [one.alias for one in claim_references(unit) if one.subject is subject]
    which = f"claim {aliases[0]}" if len(aliases) == 1 else f"all of its claims {listed(aliases)}"
    which += f" beside those that it asks for as {listed(served)}" if served else ""
    others = _with_devices(unit, subject, refused) if len(refused) < len(unit.cluster.nodes) else ""
    yield Diagnostic(
        "KLG703",
        subject.manifest.place(reference.entry[:-1], "key"),
        f"no node that may take the pod has devices for {which}: {some(refused)} "
        f"{'lacks' if len(refused) == 1 else 'lack'} them{others}",
        subject.manifest,
        cause="pod",
        certainty=certainty(unit),
        scheduler=text,
    )


def _with_devices(unit: ApplySet, subject: WorkloadCheck, refused: Sequence[str]) -> str:
    """Return a clause that names the nodes with devices for all claims of a pod, which do not take it."""
    trial = device_trial(unit)
    specs = [claim_of(unit, one) for one in claim_references(unit) if one.subject is subject]
    fits = trial.asked(*filter(None, specs)).fits if trial is not None and None not in specs else ()
    names = [name for name in fits if name not in refused]
    if not names:
        return ", and the others do not take it"
    return f"; {some(names)} {'has them, but does' if len(names) == 1 else 'have them, but do'} not take the pod"
