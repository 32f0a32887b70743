"""The answer to 'ignore here': where a suppression can be written so that it holds for a line and changes nothing else.

Tried in this order: a further code in a suppression that is there, a comment on the line above, one at the line's end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import Reading, SourceText, comments, read
from kubelint_gpu.lsp.document.document_context import Project, ReadFiles
from kubelint_gpu.lsp.document.positions import offset_range
from kubelint_gpu.patterns import pattern

_WRITTEN = pattern(r"#\s*kubelint-gpu:\s*ignore\s*\[[^\]]*(?=\])")
_REASON = "TODO: say why"


def answer(question: dict[str, Any], memory: ReadFiles) -> list[dict[str, Any] | None]:
    """For each pair of a line, which counts from 0, and a code: the edit; None where a comment has no place."""
    reading = Project(question, memory).reading
    if reading is None or reading.source is None:
        return [None for _ in question["marks"]]
    return [_edit(reading, line + 1, code, question["encoding"]) for line, code in question["marks"]]


def _edit(reading: Reading, line: int, code: str, encoding: str) -> dict[str, Any] | None:
    source = reading.source
    if source is None or source.path.endswith(".json") or line > len(source.line_starts):
        return None
    for at, text in _candidates(reading, source, line, code):
        if _holds(reading, source, at, text):
            return {"range": offset_range(source, at, at, encoding), "newText": text}
    return None


def _candidates(reading: Reading, source: SourceText, line: int, code: str) -> Iterator[tuple[int, str]]:
    for comment in comments(reading):
        alone = source.line(comment.line)[: comment.column - 1].strip() == ""
        written = _WRITTEN().match(comment.text)
        if written is not None and (comment.line == line or (alone and comment.line == line - 1)):
            yield comment.offset + written.end(), f", {code}"
    start = source.line_starts[line - 1]
    content = source.line(line)
    indent = content[: len(content) - len(content.lstrip(" "))]
    newline = "\r\n" if "\r\n" in source.text else "\n"
    yield start, f"{indent}# kubelint-gpu: ignore[{code}] {_REASON}{newline}"
    yield start + len(content.rstrip()), f"  # kubelint-gpu: ignore[{code}] {_REASON}"


def _holds(reading: Reading, source: SourceText, at: int, text: str) -> bool:
    """Whether the change is a comment and leaves the data as they are."""
    after = read(source.path, (source.text[:at] + text + source.text[at:]).encode(errors="replace"))
    if len(after.problems) > len(reading.problems) or len(after.documents) != len(reading.documents):
        return False
    if any(old.value != new.value for old, new in zip(reading.documents, after.documents, strict=True)):
        return False
    begin = at + len(text) - len(text.lstrip())
    return any(found.offset <= begin <= found.offset + len(found.text) for found in comments(after))
