"""A finding as a SARIF result: places, links, trace and fixes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any
from urllib.parse import quote

from kubelint_gpu.findings.finding import Finding, Fix, Place
from kubelint_gpu.patterns import pattern
from kubelint_gpu.report.content import headline

FINGERPRINT = "kubelintGpu/v1"
REACTS = frozenset({"kube-scheduler", "kubelet"})
"""Actors that only answer what a controller did; their steps are shown one level deeper."""

MOST_STEPS = 1_000
"""Steps of a trace; GitHub shows no more of them."""
MOST_PLACES = 100
"""Related places of a result; GitHub shows no more of them."""

_DRIVE = pattern(r"[A-Za-z]:[\\/]")


def result(finding: Finding, rule_index: int) -> dict[str, Any]:
    """Return the result; `kind` is always fail, because another kind forces the level to none (2.1.0, 3.27.10)."""
    cycle = [(finding.place, sentence) for sentence in finding.cycle]
    further = [(related.place, related.message) for related in finding.related]
    left_out = max(0, len(further) + len(cycle) - MOST_PLACES)
    further = [*further[: len(further) - left_out], *cycle]
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "kind": "fail",
        "level": finding.severity,
        "message": {"text": "\n".join(_message(finding, [sentence for _, sentence in further], left_out))},
        "locations": [_primary(finding)],
    }
    if further:
        found["relatedLocations"] = [
            {"id": number, "message": {"text": literal(sentence)}, "physicalLocation": _physical(place)}
            for number, (place, sentence) in enumerate(further, 1)
        ]
    if finding.trace or finding.cycle:
        found["codeFlows"] = [{"threadFlows": [{"locations": _steps(finding)}]}]
    if finding.fingerprint:
        found["partialFingerprints"] = {FINGERPRINT: finding.fingerprint}
    fixes = [_fix(fix) for fix in finding.fixes if fix.edits]
    if fixes:
        found["fixes"] = fixes
    found["properties"] = {"certainty": finding.certainty, "moment": finding.moment}
    if finding.undecided:
        found["properties"]["undecided"] = finding.undecided
    return found


def literal(text: str) -> str:
    """Return literal text for a message: braces are doubled, since `{0}` is a placeholder (2.1.0, 3.11.5)."""
    return text.replace("{", "{{").replace("}", "}}")


def uri(path: str) -> tuple[str, bool]:
    """Return the address of a file, and whether it is relative to the root of the run."""
    rooted = path.startswith("/")
    if _DRIVE().match(path):
        path, rooted = "/" + path.replace("\\", "/"), True
    try:
        quoted = quote(path, safe="/", errors="surrogateescape")
    except UnicodeEncodeError:
        quoted = quote(path, safe="/", errors="replace")
    return (f"file://{quoted}", False) if rooted else (quoted, True)


def _message(finding: Finding, further: list[str], left_out: int) -> Iterator[str]:
    """Yield the message, which becomes the title, the scheduler's text, and a link to each further place.

    The wording equals that of every other format; GitHub takes the text up to the full stop as the title.
    """
    yield _unlinked(f"{headline(finding).rstrip('.')}.")
    if finding.scheduler:
        yield _unlinked(f"Scheduler: {finding.scheduler}")
    for number, text in enumerate(further, 1):
        yield f"[{_link_text(literal(text))}]({number})"
    if left_out:
        yield f"{left_out} more places are left out."
    for advice in finding.help:
        yield _unlinked(f"Help: {advice}")


def _unlinked(text: str) -> str:
    text = literal(text)
    return _link_text(text) if "](" in text else text


def _link_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _primary(finding: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": _physical(finding.place)}
    if finding.object:
        name = finding.object.rpartition("/")[2]
        location["logicalLocations"] = [{"name": name, "fullyQualifiedName": finding.object, "kind": "resource"}]
    return location


def _steps(finding: Finding) -> list[dict[str, Any]]:
    """Return the trace, ended by the cycle; only the steps that end it are essential.

    Of a very long trace only the beginning and the end, where it gets stuck, are returned.
    """
    told = [
        (f"{step.actor}: {step.message}", int(step.actor.partition(" ")[0] in REACTS), step.place or finding.place)
        for step in finding.trace
    ]
    told += [(sentence, 0, finding.place) for sentence in finding.cycle]
    closes = len(finding.trace) if finding.cycle else len(told) - 1
    ranked = [
        (text, level, place, "essential" if number >= closes else "important")
        for number, (text, level, place) in enumerate(told)
    ]
    if len(ranked) > MOST_STEPS:
        half = MOST_STEPS // 2
        gap = (f"{len(ranked) - MOST_STEPS + 1} steps are left out", 0, finding.place, "important")
        ranked = [*ranked[: half - 1], gap, *ranked[-half:]]
    return [
        {
            "location": {"message": {"text": literal(text)}, "physicalLocation": _physical(place)},
            "executionOrder": number,
            "nestingLevel": level,
            "importance": importance,
        }
        for number, (text, level, place, importance) in enumerate(ranked, 1)
    ]


def _fix(fix: Fix) -> dict[str, Any]:
    edits = sorted(fix.edits, key=lambda edit: edit.place)
    standing = "" if fix.verified else " (not verified)"
    return {
        "description": {"text": literal(fix.title + standing)},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(path),
                "replacements": [
                    {"deletedRegion": _region(edit.place), "insertedContent": {"text": edit.text}} for edit in group
                ],
            }
            for path, group in groupby(edits, lambda edit: edit.place.path)
        ],
    }


def _physical(place: Place) -> dict[str, Any]:
    return {"artifactLocation": _artifact(place.path), "region": _region(place)}


def _artifact(path: str) -> dict[str, Any]:
    address, relative = uri(path)
    return {"uri": address, "uriBaseId": "%SRCROOT%"} if relative else {"uri": address}


def _region(place: Place) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
