"""Shows a fix as changed lines: removed lines, added lines, and a few around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from kubelint_gpu.findings.finding import Fix, TextEdit
from kubelint_gpu.report.content import Report, source_line
from kubelint_gpu.values import Value

AROUND = 2
"""Unchanged lines that are shown before and after a change."""


class Line(Value):
    """A line of a change: kept, removed or added; `number` is its line before the change, or after it if added."""

    sign: Literal[" ", "-", "+"]
    number: int
    text: str


class Hunk(Value):
    """Neighbouring lines of one file."""

    path: str
    lines: tuple[Line, ...]


def hunks(fix: Fix, report: Report) -> tuple[Hunk, ...]:
    """Return the change by file and place; empty if the text of a file is not available."""
    found: list[Hunk] = []
    for path in sorted({edit.place.path for edit in fix.edits}):
        if source_line(report, path, 1) is None:
            return ()
        edits = sorted((edit for edit in fix.edits if edit.place.path == path), key=lambda edit: edit.place)
        grown = 0
        for group in _groups(edits):
            hunk, more = _hunk(path, group, grown, report)
            found.append(hunk)
            grown += more
    return tuple(found)


def _groups(edits: Sequence[TextEdit]) -> Iterator[list[TextEdit]]:
    """Yield groups of edits whose surrounding lines touch."""
    group: list[TextEdit] = []
    for edit in edits:
        if group and edit.place.line > group[-1].place.end_line + 2 * AROUND:
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _hunk(path: str, edits: Sequence[TextEdit], grown: int, report: Report) -> tuple[Hunk, int]:
    from difflib import SequenceMatcher

    first, last = edits[0].place.line, max(edit.place.end_line for edit in edits)
    low = max(1, first - AROUND)
    numbered = [(number, source_line(report, path, number)) for number in range(low, last + AROUND + 1)]
    # an edit may end behind the last line
    before = [text for number, text in numbered if text is not None or number <= last]
    old = [text or "" for text in before]
    new = _edited(old, low, edits)
    lines: list[Line] = []
    for kind, from_old, to_old, from_new, to_new in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += [Line(" ", low + at, old[at]) for at in range(from_old, to_old)]
            continue
        lines += [Line("-", low + at, old[at]) for at in range(from_old, to_old)]
        lines += [Line("+", low + grown + at, new[at]) for at in range(from_new, to_new)]
    return Hunk(path, tuple(lines)), len(new) - len(old)


def _edited(old: Sequence[str], low: int, edits: Sequence[TextEdit]) -> list[str]:
    """Return the lines after the edits, which do not overlap."""
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line) + 1)
    text = "\n".join(old)
    pieces: list[str] = []
    at = 0
    for edit in edits:
        begin = starts[edit.place.line - low] + edit.place.column - 1
        pieces += [text[at:begin], edit.text.replace("\r\n", "\n").replace("\r", "\n")]
        at = starts[edit.place.end_line - low] + edit.place.end_column - 1
    return "".join([*pieces, text[at:]]).split("\n")
