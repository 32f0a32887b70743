"""Making the changes that fixes propose, one after the other, until nothing is left that a fix could mend."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubelint_gpu.checks.finding import Finding, Fix, Place, TextEdit
from kubelint_gpu.checks.run import Suppression, check
from kubelint_gpu.checks.trials import edited
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.world import World
from kubelint_gpu.documents import SourceText
from kubelint_gpu.documents.edits import Edit
from kubelint_gpu.values import dataclass

_MOST = 1000
Identity = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Repaired:
    """What became of a unit.

    Attributes:
        unit: the unit after the changes.
        applied: the findings that were mended, each with the fix that did it.
        refused: findings whose fix would have left or brought a finding, and was therefore not made.
    """

    unit: Unit
    applied: tuple[tuple[Finding, Fix], ...] = ()
    refused: tuple[Finding, ...] = ()


def repair(
    unit: Unit,
    *,
    unsafe: bool,
    suppression: Suppression | None = None,
    wanted: Callable[[Finding], bool] = lambda _finding: True,
) -> Repaired:
    """Mend what can be mended: the fix of the first finding, then look again, until no fix is left.

    Only findings that are `wanted` are mended.
    A change stays only if the text still parses, the finding is gone, and no new error or warning has come.
    """
    applied: list[tuple[Finding, Fix]] = []
    refused: dict[Identity, Finding] = {}
    findings = _findings(unit, suppression)
    for _ in range(_MOST):
        chosen = _next([finding for finding in findings if wanted(finding)], refused, unsafe=unsafe)
        if chosen is None:
            break
        finding, fix = chosen
        changed = edited(unit, _edits(unit, fix))
        after = _findings(changed, suppression) if changed is not None else None
        if changed is None or after is None or not _better(findings, after, finding):
            refused[_identity(finding)] = finding
            continue
        applied.append(chosen)
        unit, findings = changed, after
    return Repaired(unit, tuple(applied), tuple(refused.values()))


def _next(findings: Sequence[Finding], refused: dict[Identity, Finding], *, unsafe: bool) -> tuple[Finding, Fix] | None:
    for finding in findings:
        if _identity(finding) in refused:
            continue
        for fix in finding.fixes:
            if fix.safety == "safe" or unsafe:
                return finding, fix
    return None


def _findings(unit: Unit, suppression: Suppression | None) -> tuple[Finding, ...]:
    found = check((unit,), World(), suppression=suppression).findings
    return tuple(sorted(found, key=lambda finding: (finding.place, finding.code, finding.message)))


def serious(unit: Unit, suppression: Suppression | None) -> set[Identity]:
    """What is wrong with a unit, without notes."""
    return {_identity(finding) for finding in _findings(unit, suppression) if finding.severity != "note"}


def _better(before: Sequence[Finding], after: Sequence[Finding], mended: Finding) -> bool:
    now = {_identity(finding) for finding in after}
    serious = {_identity(finding) for finding in after if finding.severity != "note"}
    return _identity(mended) not in now and serious <= {_identity(finding) for finding in before}


def _identity(finding: Finding) -> Identity:
    return finding.code, finding.place.path, finding.fingerprint


def _edits(unit: Unit, fix: Fix) -> list[Edit]:
    sources = {reading.source.path: reading.source for reading in unit.sources if reading.source is not None}
    return [_edit(sources[edit.place.path], edit) for edit in fix.edits]


def _edit(source: SourceText, edit: TextEdit) -> Edit:
    start, end = offsets(source, edit.place)
    return Edit(edit.place.path, source.span(start, end), edit.text)


def offsets(source: SourceText, place: Place) -> tuple[int, int]:
    """Where a place begins and ends in the text."""
    return (
        source.line_starts[place.line - 1] + place.column - 1,
        source.line_starts[place.end_line - 1] + place.end_column - 1,
    )
