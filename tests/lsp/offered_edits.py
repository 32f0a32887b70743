"""Edits that an editor is offered."""

from __future__ import annotations

from kubelint_gpu.documents import read
from kubelint_gpu.lsp.document.positions import offset


def applied(text, edits, encoding="utf-16"):
    source = read("", text.encode()).source
    pieces = sorted(
        (
            offset(source, one.range.start.line, one.range.start.character, encoding),
            offset(source, one.range.end.line, one.range.end.character, encoding),
            one.new_text,
        )
        for one in edits
    )
    at, out = 0, ""
    for start, end, new in pieces:
        out += source.text[at:start] + new
        at = end
    return out + source.text[at:]


def edits_of(editor, action, name="tracker.yaml"):
    (change,) = action.edit.document_changes
    assert change.text_document.uri == editor.uri(name)
    assert change.text_document.version == editor.versions[name]
    return change.edits
