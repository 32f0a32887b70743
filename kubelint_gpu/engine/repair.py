"""Applies fixes one after the other, until no fix is left that helps: to a unit, and to all units of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kubelint_gpu.documents import Reading, SourceText, encode
from kubelint_gpu.documents.editing import Edit
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.asking import first_place
from kubelint_gpu.engine.fixes.trials import changed_by
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import Suppression
from kubelint_gpu.findings.finding import MOMENTS, SEVERITIES, Finding, Fix, Place
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.worlds import complain

_MOST = 1000
_MOST_AT_ONCE = 12
_FEW = 8
"""Of more fixes than this all are made at once, and looked at once."""
Identity = tuple[str, str, str]
Changed = Sequence[tuple[SourceText, SourceText]]
"""Files, each as it was read and with its changes."""


class Repaired(Value):
    """The result of repairing a unit.

    Attributes:
        unit: the unit after the changes.
        applied: the findings that were fixed, each with its fix.
        refused: findings that remain although they had a fix, each with the reason.
    """

    unit: ApplySet
    applied: tuple[tuple[Finding, Fix], ...] = ()
    refused: tuple[tuple[Finding, str], ...] = ()


def repair(
    unit: ApplySet,
    *,
    unsafe: bool,
    suppression: Suppression | None = None,
    wanted: Callable[[Finding], bool] = lambda _finding: True,
) -> Repaired:
    """Apply the fix of the most urgent finding, then look again, until no fix is left.

    Only findings for which `wanted` is true are fixed. A change stays only if the text still parses, the finding is
    gone, and no new error or warning appears.
    """
    applied: list[tuple[Finding, Fix]] = []
    refused: dict[tuple[Identity, str], str] = {}
    findings = _findings(unit, suppression)
    bulk = _at_once(unit, _by_urgency(findings, wanted), unsafe=unsafe)
    for _ in range(_MOST_AT_ONCE):
        if len(bulk) <= _FEW:
            break
        try:
            changed = changed_by(unit, [edit for _, fix in bulk for edit in _edits(unit, fix)])
        except NotEditable:
            break
        after = _findings(changed, suppression)
        good = [one for one in bulk if not _objection(findings, after, one[0])]
        if len(good) == len(bulk):
            applied += bulk
            unit, findings = changed, after
            bulk = _at_once(unit, _by_urgency(findings, wanted), unsafe=unsafe)
            continue
        bulk = good
    for _ in range(_MOST):
        chosen = _next(_by_urgency(findings, wanted), refused, unsafe=unsafe)
        if chosen is None:
            break
        finding, fix = chosen
        try:
            changed = changed_by(unit, _edits(unit, fix))
        except NotEditable as error:
            refused[_identity(finding), fix.title] = f"{fix.title}: {error}"
            continue
        after = _findings(changed, suppression)
        why = _objection(findings, after, finding)
        if why:
            refused[_identity(finding), fix.title] = f"{fix.title}: {why}"
            continue
        applied.append(chosen)
        unit, findings = changed, after
    left = [finding for finding in findings if wanted(finding)]
    told = [(finding, _refusal(finding, refused, unsafe=unsafe)) for finding in left]
    return Repaired(unit, tuple(applied), tuple((finding, why) for finding, why in told if why))


def _by_urgency(findings: Sequence[Finding], wanted: Callable[[Finding], bool]) -> list[Finding]:
    """The wanted findings, errors first, and effects of this change before later ones."""
    chosen = [finding for finding in findings if wanted(finding)]
    return sorted(chosen, key=lambda one: (-SEVERITIES.index(one.severity), MOMENTS.index(one.moment)))


def _at_once(unit: ApplySet, findings: Sequence[Finding], *, unsafe: bool) -> list[tuple[Finding, Fix]]:
    """The first fix of each finding, one for each object, as far as their edits do not overlap."""
    chosen: dict[str, tuple[Finding, Fix]] = {}
    touched: set[tuple[str, int]] = set()
    for finding in findings:
        fix = next((one for one in finding.fixes if one.safety == "safe" or unsafe), None)
        if fix is None or not fix.verified or finding.object in chosen:
            continue
        spans = {(edit.path, offset) for edit in _edits(unit, fix) for offset in (edit.span.start, edit.span.end)}
        if touched.isdisjoint(spans):
            touched |= spans
            chosen[finding.object] = finding, fix
    return list(chosen.values())


def _refusal(finding: Finding, refused: dict[tuple[Identity, str], str], *, unsafe: bool) -> str:
    """Why a finding was not fixed: the result of the first change; empty if none was tried or allowed."""
    made = [refused.get((_identity(finding), fix.title), "") for fix in finding.fixes]
    if made:
        return next(filter(None, made), "")
    tried = [one for one in finding.refusals if one.safety == "safe" or unsafe]
    if not tried:
        return ""
    first = tried[0]
    return f"{first.title}{first.effect and f', which {first.effect}'}: {first.why}"


def _next(
    findings: Sequence[Finding], refused: dict[tuple[Identity, str], str], *, unsafe: bool
) -> tuple[Finding, Fix] | None:
    for finding in findings:
        for fix in finding.fixes:
            if (unsafe or (fix.verified and fix.safety == "safe")) and (_identity(finding), fix.title) not in refused:
                return finding, fix
    return None


def _findings(unit: ApplySet, suppression: Suppression | None) -> tuple[Finding, ...]:
    found = check((unit,), ClusterContext(), suppression=suppression).findings
    return tuple(sorted(found, key=lambda finding: (finding.place, finding.code, finding.message)))


def serious(unit: ApplySet, suppression: Suppression | None) -> set[Identity]:
    """The identities of all findings of a unit except notes."""
    return {_identity(finding) for finding in _findings(unit, suppression) if finding.severity != "note"}


def _objection(before: Sequence[Finding], after: Sequence[Finding], mended: Finding) -> str:
    """Why a tried fix must not stay; empty if it may."""
    if _identity(mended) in {_identity(finding) for finding in after}:
        return "beside the other fixes it does not help"
    there = {_identity(finding) for finding in before}
    worse = [finding for finding in after if finding.severity != "note" and _identity(finding) not in there]
    return f"it would bring {worse[0].code}: {worse[0].message}" if worse else ""


def _identity(finding: Finding) -> Identity:
    return finding.code, finding.place.path, finding.fingerprint


def _edits(unit: ApplySet, fix: Fix) -> list[Edit]:
    sources = {reading.source.path: reading.source for reading in unit.sources if reading.source is not None}
    found = [(edit, sources[edit.place.path]) for edit in fix.edits]
    return [Edit(edit.place.path, source.span(*offsets(source, edit.place)), edit.text) for edit, source in found]


def offsets(source: SourceText, place: Place) -> tuple[int, int]:
    """The offsets of the beginning and the end of a place in the text."""
    return (
        source.line_starts[place.line - 1] + place.column - 1,
        source.line_starts[place.end_line - 1] + place.end_column - 1,
    )


class Fixed(Value):
    """Units after their fixes, with the changed files; `failed` says that a file could not be written."""

    units: tuple[ApplySet, ...]
    applied: tuple[tuple[Finding, Fix], ...]
    changed: Changed
    failed: bool = False


def fix_units(
    units: Sequence[ApplySet],
    suppression: Suppression,
    wanted: Callable[[Finding], bool],
    *,
    unsafe: bool = False,
    write: Callable[[Changed], bool] = bool,
) -> Fixed:
    """Fix the `wanted` findings of every unit. `write` gets a unit's changed files and returns whether it could."""
    after = list(units)
    applied: list[tuple[Finding, Fix]] = []
    changed: list[tuple[SourceText, SourceText]] = []
    failed = False
    complaints: set[tuple[str, str]] = set()
    for number in range(len(after)):
        unit = after[number]
        try:
            repaired = repair(unit, unsafe=unsafe, suppression=suppression, wanted=wanted)
        except Exception as error:  # noqa: BLE001 - the other units are fixed; the check that follows reports the error
            complain(first_place(unit).path, f"is not fixed: internal error: {type(error).__name__}: {error}")
            failed = True
            continue
        for finding, why in repaired.refused:
            complaint = f"{finding.place.path}:{finding.place.line}", f"{finding.code} is not fixed: {why}"
            if complaint not in complaints:
                complaints.add(complaint)
                complain(*complaint)
        texts = list(_changed(unit.sources, repaired.unit.sources))
        if not texts:
            continue
        others, worse = _others(after, number, texts, suppression)
        if worse is not None:
            for finding, _ in repaired.applied:
                complain(f"{finding.place.path}:{finding.place.line}", f"{finding.code} is not fixed: {worse}")
            continue
        if not write(texts):
            failed = True
            continue
        after[number] = repaired.unit
        for index, other in others.items():
            after[index] = other
        applied += repaired.applied
        changed += texts
    return Fixed(tuple(after), tuple(applied), changed, failed)


def _others(
    units: Sequence[ApplySet], number: int, texts: Changed, suppression: Suppression
) -> tuple[dict[int, ApplySet], str | None]:
    """Return the other units that use the changed files, with the changes, and why the changes harm a unit.

    A file that goes to several clusters is fixed for each in turn. A base must suit every overlay that uses it.
    """
    paths = {source.path: encode(source, source.text) for _, source in texts}
    others: dict[int, ApplySet] = {}
    for index, unit in enumerate(units):
        mine = {reading.source.path for reading in unit.sources if reading.source is not None}
        if index == number or not mine & set(paths):
            continue
        from kubelint_gpu.engine.fixes.transport import with_texts

        name = unit.rendered[0].path if unit.rendered else ""
        try:
            others[index] = with_texts(unit, paths)
        except NotEditable as error:
            return {}, f"with it {name} could not be rendered: {error}"
        if unit.rendered and not serious(others[index], suppression) <= serious(unit, suppression):
            return {}, f"it would bring another finding to {name}, which is made of the same file"
    return others, None


def _changed(before: Sequence[Reading], after: Sequence[Reading]) -> Iterator[tuple[SourceText, SourceText]]:
    for old, new in zip(before, after, strict=True):
        if old is not new and old.source is not None and new.source is not None and old.source.text != new.source.text:
            yield old.source, new.source
