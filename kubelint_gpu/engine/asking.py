"""Asks every rule about a unit or a cluster; a rule that fails becomes a finding."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kubelint_gpu.engine.diagnostic import LOWER, Diagnostic
from kubelint_gpu.engine.put_off import put_off
from kubelint_gpu.engine.registry import checks_for, unjudged_checks, world_checks
from kubelint_gpu.engine.reported import finding_of
from kubelint_gpu.findings.catalogue import rule
from kubelint_gpu.findings.finding import Finding, Place, defect
from kubelint_gpu.inventory.declarations.declared import Unread
from kubelint_gpu.messages.wording import foremost, some
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, parts
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.unread_objects import decisive, undeclared_claims

_OF_BARE_PODS = ("KLG2", "KLG4", "KLG5", "KLG7")
_OF_FIELDS = ("KLG002", "KLG003")


def drafts_of(
    unit: ApplySet, *, without: Collection[str] = (), only: Collection[str] = ()
) -> tuple[list[Diagnostic], list[Finding]]:
    """Return the drafts of the rules for a unit, and a finding for each rule that failed.

    Rules with a tag in `without` are not asked; with `only`, just the rules with these codes.

    A draft is only possible if it depends on objects that are not fully known. So are drafts that only hold after
    objects are deleted which are in no manifest any more.
    """
    drafts, crashed = _in_stages(unit, without, only)
    if unit.left:
        said = {one.identity for one in drafts}
        drafts += [
            _deleted(one, unit.left)
            for one in _in_stages(unit.without_left(), without, only)[0]
            if one.identity not in said
        ]
    drafts = [_of_shape(_with_unknown(_with_claims(unit, draft))) for draft in drafts if _holds(draft)]
    unsure = decisive(unit)
    if not unsure:
        return drafts, crashed
    firm = {one.identity for one in _in_stages(unit.without_cluster(), without, only)[0] if one.certainty == "certain"}
    return [one if one.identity in firm else _narrowed(one, unsure) for one in drafts], crashed


def _with_claims(unit: ApplySet, draft: Diagnostic) -> Diagnostic:
    """The draft, with the undeclared claims named that its fixes could not be verified with."""
    proposed = draft.proposals and draft.effective_severity != "note"
    names = claims_behind(unit, draft, draft.manifest) if proposed else ()
    if not names:
        return draft
    one = len(names) == 1
    them = f"the claim {names[0]} is" if one else f"the claims {some(names, 'claim')} are"
    told = f"{them} declared nowhere, so no fix is verified: {'it' if one else 'they'} may decide where pods run"
    return replace(draft, help=(*draft.help, told))


def _with_unknown(draft: Diagnostic) -> Diagnostic:
    """The draft, with the fields named that are filled in later, if its message may depend on them.

    What is certain about pods stays so, because unknown fields were assumed to ask for the least; how the pods are
    replaced may differ.
    """
    manifest = draft.manifest
    if manifest is None or manifest.workload is None or not manifest.workload.approximate:
        return draft
    template = manifest.workload.template_pointer
    within = all(one.pointer[: len(template)] == template for one in manifest.unknown)
    holds = draft.certainty == "certain" and (within or "rollout" not in rule(draft.code).tags)
    if holds or not manifest.unknown or draft.code in _OF_FIELDS:
        return draft
    possible = replace(draft, certainty="possible")
    severity = possible.effective_severity
    lowered = replace(possible, severity=severity if within else LOWER[severity])
    return _begun(lowered, f"depending on {some(manifest.unknown_fields, 'field')}, ")


def _is_of_shape(draft: Diagnostic) -> bool:
    manifest = draft.manifest
    return manifest is not None and manifest.workload is not None and manifest.workload.by_shape


def _holds(draft: Diagnostic) -> bool:
    """Whether the draft can be trusted: for pod templates found by their shape, only if it is about single pods."""
    return not _is_of_shape(draft) or draft.code.startswith(_OF_BARE_PODS)


def _of_shape(draft: Diagnostic) -> Diagnostic:
    """The draft, with a note that the controller is unknown, if the pod template was found by its shape."""
    if not _is_of_shape(draft):
        return draft
    severity = draft.effective_severity
    told = "; its controller is not known to kubelint-gpu"
    lowered = severity if severity == "note" else "warning"
    return replace(draft, certainty="possible", severity=lowered, message=f"{draft.message}{told}")


def claims_behind(unit: ApplySet, draft: Diagnostic, manifest: Manifest | None) -> tuple[str, ...]:
    """The undeclared claims that decide about fixes; empty for rules about fields."""
    return () if draft.code in _OF_FIELDS else undeclared_claims(unit, manifest)


def _narrowed(draft: Diagnostic, unsure: Sequence[Unread]) -> Diagnostic:
    """The draft, as certain only if some unreadable or contradictory objects change nothing."""
    severity = draft.effective_severity
    if draft.certainty != "certain" or severity == "note":
        return draft
    unread, apart = ([one for one in unsure if bool(one.paths) is is_apart] for is_apart in (False, True))
    names = [f"{one.kind or 'what is of no kind'} {one.name}".rstrip() for one in unread]
    told = [f"mend {some(names, 'object')} of the inventory to be sure"] if unread else []
    told += [f"declare {one.kind} {one.name} alike in {foremost(one.paths)} to be sure" for one in apart]
    unsure_of = replace(draft, certainty="possible", severity=LOWER[severity], help=(*draft.help, *told))
    guess = "" if unread else f"if {apart[0].kind} {apart[0].name} is as in {apart[0].paths[-1]}, "
    return _begun(unsure_of, guess or "as far as the inventory can be read, ")


def _deleted(draft: Diagnostic, left: Sequence[Manifest]) -> Diagnostic:
    """The draft, as true after objects are deleted that are in no manifest any more."""
    names = [f"{one.kind} {one.name}" for one in left]
    verb, them = ("is", "it") if len(names) == 1 else ("are", "them")
    told = f"once {some(names, 'object')} {verb} deleted, as no manifest has {them} any more, "
    return _begun(replace(draft, certainty="possible", moment="later"), told)


def _begun(draft: Diagnostic, begins: str) -> Diagnostic:
    """The draft with a clause before its message, and before the message that it shares with others."""
    shared = draft.shared
    told = shared and replace(shared, told=(begins, *shared.told))
    return replace(draft, message=f"{begins}{draft.message}", shared=told)


def _in_stages(
    unit: ApplySet, without: Collection[str], only: Collection[str]
) -> tuple[list[Diagnostic], list[Finding]]:
    """Return the drafts of the rules for each stage of a unit, equal ones once, and a finding for each failed rule."""
    first, *others = unit.stages
    drafts, crashed = _asked(first, without, only)
    said = {one.identity for one in drafts}
    for stage in others:
        told, failed = _asked(stage, without, only)
        drafts += [one for one in told if one.identity not in said]
        crashed += failed
    return drafts, crashed


def _asked(unit: ApplySet, without: Collection[str], only: Collection[str]) -> tuple[list[Diagnostic], list[Finding]]:
    drafts: list[Diagnostic] = []
    crashed: list[Finding] = []
    cut: list[str] = []
    with parts(1, 2) as begin:
        for code, found in checks_for(unit).items():
            if (only and code not in only) or not set(without).isdisjoint(rule(code).tags):
                continue
            begin()
            try:
                for draft in found(unit):
                    told = put_off(unit, draft)
                    if told is not None:
                        drafts.append(told)
            except UsedUp:
                cut.append(code)
            except Exception as error:  # noqa: BLE001 - one rule that crashes must not hide what the others found
                crashed.append(defect(first_place(unit), f"the rule {code} failed on this file", error, cause=code))
    if cut:
        crashed += [finding_of(draft) for check in unjudged_checks().values() for draft in check(unit, cut)]
    return drafts, crashed


def drafts_of_world(world: ClusterContext) -> tuple[list[Diagnostic], list[Finding]]:
    """Return the drafts of the rules for inventories, and a finding for each rule that failed."""
    drafts: list[Diagnostic] = []
    crashed: list[Finding] = []
    for code, found in world_checks().items():
        try:
            drafts += found(world)
        except Exception as error:  # noqa: BLE001 - same
            path = next((one.path for one in world.readings if one.source is not None), "")
            crashed.append(defect(Place(path, 1, 1, 1, 1), f"the rule {code} failed on this inventory", error))
    return drafts, crashed


def unread(unit: ApplySet) -> list[Finding]:
    """A finding for each object that could not be read because of a defect of this program."""
    return [
        defect(one.place(()), f"{one.object} is not judged", one.defect, name=one.object)
        for one in unit.manifests
        if one.defect is not None
    ]


def first_place(unit: ApplySet) -> Place:
    """The beginning of the first file of a unit."""
    return Place(unit.first_path, 1, 1, 1, 1)
