"""The answer to 'fix all': the edits that make every safe fix of a document, one after the other, as `--fix` does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import SourceText, source_text
from kubelint_gpu.engine.repair import repair
from kubelint_gpu.engine.selection import select
from kubelint_gpu.findings.finding import Finding
from kubelint_gpu.lsp.document.diagnostics import suppression
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles
from kubelint_gpu.lsp.document.positions import offset_range

_LONG = 20_000


def answer(question: dict[str, Any], memory: ReadFiles) -> list[dict[str, Any]]:
    """The edits of the document; none where no safe fix helps."""
    project = Project(question, memory)
    selection = select(project.configuration, (), (), None)
    unit = project.unit()

    def wanted(finding: Finding) -> bool:
        mine = all(edit.place.path == project.shown for fix in finding.fixes for edit in fix.edits)
        return mine and selection.mends(finding)

    after = repair(unit, unsafe=False, suppression=suppression(selection), wanted=wanted).unit
    edits: list[dict[str, Any]] = []
    for old, new in zip(unit.readings, after.readings, strict=True):
        if old is not new and old.source is not None and new.source is not None and old.source.path == project.shown:
            edits += _edits(old.source, new.source.text, question["encoding"])
    return edits


def _edits(old: SourceText, new: str, encoding: str) -> Iterator[dict[str, Any]]:
    """The lines that differ, each block of them one edit, so that the cursor stays where it is."""
    from difflib import SequenceMatcher

    lines, others = _lines(old), _lines(source_text("", new))
    if len(lines) > _LONG:
        yield {"range": offset_range(old, 0, len(old.text), encoding), "newText": new}
        return
    starts = (*old.line_starts, len(old.text))
    for what, first, last, other_first, other_last in SequenceMatcher(
        None, lines, others, autojunk=False
    ).get_opcodes():
        if what != "equal":
            at = offset_range(old, starts[first], starts[last], encoding)
            yield {"range": at, "newText": "".join(others[other_first:other_last])}


def _lines(source: SourceText) -> list[str]:
    ends = (*source.line_starts[1:], len(source.text))
    return [source.text[start:end] for start, end in zip(source.line_starts, ends, strict=True)]
