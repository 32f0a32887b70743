"""Findings as editors take them: diagnostics, what is said of them on hover, and their fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kubelint_gpu.documents import SourceText
from kubelint_gpu.findings.catalogue import UnknownRule, rule
from kubelint_gpu.findings.finding import Finding, Fix, Place
from kubelint_gpu.lsp.document.positions import place_range
from kubelint_gpu.lsp.document.texts import absolute

SOURCE = "kubelint-gpu"
ERROR, WARNING, INFORMATION = 1, 2, 3
_LEVELS = {"error": ERROR, "warning": WARNING, "note": INFORMATION}
_UNNECESSARY, _DEPRECATED = 1, 2
_TAGS = {"KLG005": _UNNECESSARY, "KLG004": _DEPRECATED}
_MOST = 500


class DiagnosticWriter:
    """Writes places of some texts in the editor's units; paths that are written are absolute."""

    def __init__(self, sources: Mapping[str, SourceText], encoding: str) -> None:
        self._sources = sources
        self._encoding = encoding

    def diagnostics(self, findings: Sequence[Finding]) -> list[dict[str, Any]]:
        """The findings of one file, the first ones of too many, in the order of the text."""
        ordered = sorted(findings, key=lambda found: (found.place, found.code, found.message))
        written = [self._diagnostic(found) for found in ordered[:_MOST]]
        if len(ordered) > _MOST:
            more = f"{len(ordered) - _MOST} more findings are not shown here; kubelint-gpu check shows all"
            written.append(plain(more, INFORMATION))
        return written

    def _diagnostic(self, finding: Finding) -> dict[str, Any]:
        found: dict[str, Any] = {
            "range": self._range(finding.place),
            "severity": _LEVELS[finding.severity],
            "code": finding.code,
            "source": SOURCE,
            "message": finding.message,
            "data": {
                "fingerprint": finding.fingerprint,
                "told": "\n\n".join(told(finding)),
                "fixes": [self._fix(fix) for fix in finding.fixes],
            },
        }
        url = _url(finding.code)
        if url:
            found["codeDescription"] = {"href": url}
        if finding.code in _TAGS:
            found["tags"] = [_TAGS[finding.code]]
        if finding.related:
            found["relatedInformation"] = [
                {"location": {"uri": absolute(one.place.path), "range": self._range(one.place)}, "message": one.message}
                for one in finding.related
            ]
        return found

    def _fix(self, fix: Fix) -> dict[str, Any]:
        edits = [
            {"path": absolute(edit.place.path), "range": self._range(edit.place), "newText": edit.text}
            for edit in fix.edits
        ]
        return {"title": fix.title, "safe": fix.safety == "safe", "verified": fix.verified, "edits": edits}

    def _range(self, place: Place) -> dict[str, Any]:
        return place_range(self._sources.get(place.path), place, self._encoding)


def plain(message: str, severity: int, at: dict[str, Any] | None = None) -> dict[str, Any]:
    """What this program says that no rule does; without a range at the beginning."""
    zero = {"line": 0, "character": 0}
    return {"range": at or {"start": zero, "end": zero}, "severity": severity, "source": SOURCE, "message": message}


def told(finding: Finding) -> Iterator[str]:
    """What a finding tells beside its sentence, as Markdown paragraphs."""
    if finding.scheduler:
        yield f"**kube-scheduler:** {escaped(finding.scheduler)}"
    if finding.trace:
        steps = [f"{step.step}. {escaped(f'{step.actor}: {step.message}')}" for step in finding.trace]
        yield "\n".join(("**What happens**\n", *steps))
    if finding.cycle:
        yield "\n".join(("**Who waits for whom**\n", *(f"- {escaped(sentence)}" for sentence in finding.cycle)))
    for sentence in finding.help:
        yield f"**Help:** {escaped(sentence)}"


def escaped(text: str, special: str = "\\`*_[]<>#|") -> str:
    """Text of unknown origin as Markdown shows it: nothing in it is markup."""
    return "".join(f"\\{char}" if char in special else char if char.isprintable() else " " for char in text)


def code(text: str) -> str:
    """Text of unknown origin as Markdown shows code."""
    return f"`{''.join(char if char.isprintable() and char != '`' else '?' for char in text)}`"


def by_path(findings: Sequence[Finding], wanted: Callable[[str], bool]) -> dict[str, list[Finding]]:
    """The findings of the files that are wanted, by absolute path."""
    grouped: dict[str, list[Finding]] = {}
    for finding in findings:
        path = absolute(finding.place.path)
        if wanted(path):
            grouped.setdefault(path, []).append(finding)
    return grouped


def _url(code: str) -> str:
    try:
        return rule(code).url
    except UnknownRule:
        return ""
