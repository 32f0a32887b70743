"""Who wrote a value: the text in which it stands, and the pointer there."""

from __future__ import annotations

from typing import Protocol

from kubelint_gpu.documents import Document, Pointer, Role, SourceText, Span
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.values import Value


class Script(Protocol):
    """A text that gives values their places."""

    def spot(self, pointer: Pointer, role: Role) -> Spot:
        """Where the value of a pointer, or its key, stands."""


class DocumentScript(Value, eq=False):
    """An object or a patch in a file of its own."""

    document: Document

    def spot(self, pointer: Pointer, role: Role) -> Spot:
        """The place in the document."""
        return Spot(self.document.source.path, self.document.locate(pointer, role))


class EntryScript(Value, eq=False):
    """A single entry of a kustomization that gives whole values: a prefix, a count, a label.

    `pointer` leads to it; everything that it gives stands there, or at its key.
    """

    document: Document
    pointer: Pointer
    role: Role = "value"

    def spot(self, pointer: Pointer, role: Role) -> Spot:  # noqa: ARG002 - one place for all
        """The place of the entry."""
        return Spot(self.document.source.path, self.document.locate(self.pointer, self.role))


class PartScript(Value, eq=False):
    """A single entry of another text that gives whole values, as `EntryScript` is one of a document."""

    script: Script
    pointer: Pointer

    def spot(self, pointer: Pointer, role: Role) -> Spot:  # noqa: ARG002 - one place for all
        """The place of the entry."""
        return self.script.spot(self.pointer, "value")


class LineScript(Value, eq=False):
    """A piece of a file that is no YAML, such as the value of a line in an env file."""

    source: SourceText
    start: int
    end: int

    def spot(self, pointer: Pointer, role: Role) -> Spot:  # noqa: ARG002 - one place for all
        """The place of the piece."""
        return Spot(self.source.path, self.source.span(self.start, self.end))


class InlineScript(Value, eq=False):
    """A document inside of a text value of a kustomization.

    `outer` and `pointer` say where that text stands; `inner` is what was read of it.
    """

    outer: Document
    pointer: Pointer
    inner: Document

    def spot(self, pointer: Pointer, role: Role) -> Spot:
        """The place in the kustomization."""
        return within(self.outer, self.pointer, self.inner.source, self.inner.locate(pointer, role))


def within(outer: Document, pointer: Pointer, inner: SourceText, span: Span) -> Spot:
    """The place of a part of a text value, of which `inner` is the text.

    It is exact in a literal block, and where the text is written as it is, quoted or not; else it is all of the text.
    """
    source, whole = outer.source, outer.locate(pointer)
    written = source.text[whole.start : whole.end]
    for margin in (0, 1):
        if written[margin : len(written) - margin] == inner.text:
            start = whole.start + margin
            return Spot(source.path, source.span(start + span.start, start + span.end))
    ends = [_in_block(source, whole, inner, at) for at in ((span.line, span.column), (span.end_line, span.end_column))]
    if ends[0] is None or ends[1] is None:
        return Spot(source.path, whole)
    return Spot(source.path, source.span(ends[0], ends[1]))


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


class FieldWriter(Value, eq=False):
    """One value as one text has it.

    Attributes:
        script: the text.
        pointer: the value within it.
        layer: the kustomization through which it comes, below the root of the tree.
        by: what it is: resource, patch, replicas, …
    """

    script: Script
    pointer: Pointer
    layer: str
    by: str

    def child(self, step: str | int) -> FieldWriter:
        """Who wrote a part of the value."""
        return FieldWriter(self.script, (*self.pointer, step), self.layer, self.by)

    def spot(self, role: Role = "value") -> Spot:
        """Where the value stands."""
        return self.script.spot(self.pointer, role)
