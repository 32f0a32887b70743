"""A text that is a value of a document, such as YAML in a block: where its parts stand, and edits of it."""

from __future__ import annotations

from kubelint_gpu.documents.document import Document, Pointer
from kubelint_gpu.documents.editing import Edit, apply, tried
from kubelint_gpu.documents.layout import NotEditable, newline
from kubelint_gpu.documents.source_text import SourceText, Span


def span_within(outer: Document, pointer: Pointer, inner: SourceText, span: Span) -> Span | None:
    """The place of a part of a text value, of which `inner` is the text.

    It is known in a literal block, and where the text is written as it is, quoted or not; else None.
    """
    source, whole = outer.source, outer.locate(pointer)
    written = source.text[whole.start : whole.end]
    for margin in (0, 1):
        if written[margin : len(written) - margin] == inner.text:
            start = whole.start + margin
            return source.span(start + span.start, start + span.end)
    ends = [_in_block(source, whole, inner, at) for at in ((span.line, span.column), (span.end_line, span.end_column))]
    return source.span(ends[0], ends[1]) if ends[0] is not None and ends[1] is not None else None


def edit_within(outer: Document, pointer: Pointer, inner: SourceText, edit: Edit) -> Edit:
    """An edit of a text value, of which `inner` is the text, as one of the document that holds it.

    Raises:
        NotEditable: it is not known where the text stands, or what stands around it does not allow the edit.
    """
    source, whole, span, text = outer.source, outer.locate(pointer), edit.span, edit.text
    place, margin = span_within(outer, pointer, inner, span), _margin(source, whole, inner)
    if margin:
        lines = text.split("\n")
        first = source.line_starts[whole.line - 1 :]
        if span.column == span.end_column == 1 and lines[-1] == "" and span.end_line < len(first):
            # whole lines come or go
            place = source.span(first[span.line], first[span.end_line])
            lines[0] = lines[0] and margin + lines[0]
        text = newline(source.text).join([lines[0], *(one and margin + one for one in lines[1:])])
    if place is None:
        raise NotEditable("it stands in a text that is not edited")
    change = place.start, place.end, text
    return tried(outer, change, pointer, apply(inner, [edit]))


def _margin(source: SourceText, whole: Span, inner: SourceText) -> str:
    """What stands before each line of a literal block; empty if the text is none."""
    for number in range(1, len(inner.line_starts) + 1):
        if inner.line(number).strip() and source.text.startswith("|", whole.start):
            return source.line(whole.line + number).removesuffix(inner.line(number))
    return ""


def _in_block(source: SourceText, whole: Span, inner: SourceText, at: tuple[int, int]) -> int | None:
    """The offset of a line and column of a literal block; None where the text is no such block."""
    number, column = whole.line + at[0], at[1]
    if not source.text.startswith("|", whole.start) or number > len(source.line_starts):
        return None
    line, written = source.line(number), inner.line(at[0])
    indent = len(line) - len(written)
    if not line.endswith(written) or line[:indent].strip():
        return None
    return source.line_starts[number - 1] + indent + column - 1
