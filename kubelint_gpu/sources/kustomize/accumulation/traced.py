"""Values that know the text and the place where they were written, for tracing a kustomization field by field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from kubelint_gpu.documents import Document, Pointer, Role, SourceText, Span
from kubelint_gpu.documents.inline_text import span_within
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.values import Value


class Script(Protocol):
    """A text in which values have places."""

    def spot(self, pointer: Pointer, role: Role) -> Spot:
        """Return the place of the value at a pointer, or of its key."""


class DocumentScript(Value, eq=False):
    """An object or a patch in its own file."""

    document: Document

    def spot(self, pointer: Pointer, role: Role) -> Spot:
        """Return the place in the document."""
        return Spot(self.document.source.path, self.document.locate(pointer, role))


class EntryScript(Value, eq=False):
    """A single entry of a kustomization that gives whole values: a prefix, a count, a label.

    `pointer` leads to the entry; everything that it gives stands there, or at its key.
    """

    document: Document
    pointer: Pointer
    role: Role = "value"

    def spot(self, pointer: Pointer, role: Role) -> Spot:  # noqa: ARG002 - one place for all
        """Return the place of the entry."""
        return Spot(self.document.source.path, self.document.locate(self.pointer, self.role))


class PartScript(Value, eq=False):
    """A single entry of another script that gives whole values, as `EntryScript` does for a document."""

    script: Script
    pointer: Pointer

    def spot(self, pointer: Pointer, role: Role) -> Spot:  # noqa: ARG002 - one place for all
        """Return the place of the entry."""
        return self.script.spot(self.pointer, "value")


class LineScript(Value, eq=False):
    """A piece of a file that is not YAML, for example a value in an env file."""

    source: SourceText
    start: int
    end: int

    def spot(self, pointer: Pointer, role: Role) -> Spot:  # noqa: ARG002 - one place for all
        """Return the place of the piece."""
        return Spot(self.source.path, self.source.span(self.start, self.end))


class InlineScript(Value, eq=False):
    """A document in an inline text of a kustomization.

    `outer` and `pointer` say where the text stands; `inner` is the parsed text.
    """

    outer: Document
    pointer: Pointer
    inner: Document

    def spot(self, pointer: Pointer, role: Role) -> Spot:
        """Return the place in the kustomization."""
        return within(self.outer, self.pointer, self.inner.source, self.inner.locate(pointer, role))


def within(outer: Document, pointer: Pointer, inner: SourceText, span: Span) -> Spot:
    """Return the place of a part of an inline text, whose contents are `inner`.

    It is exact in a literal block and in a text written on one line without escapes; else it is the whole text.
    """
    place = span_within(outer, pointer, inner, span)
    return Spot(outer.source.path, place if place is not None else outer.locate(pointer))


class FieldWriter(Value, eq=False):
    """One value in one text.

    Attributes:
        script: the text.
        pointer: where the value stands in the text.
        layer: the kustomization through which it comes, below the root of the tree.
        by: the kind of writer: resource, patch, replicas, …
    """

    script: Script
    pointer: Pointer
    layer: str
    by: str

    def child(self, step: str | int) -> FieldWriter:
        """Return the writer of a child of the value."""
        return FieldWriter(self.script, (*self.pointer, step), self.layer, self.by)

    def spot(self, role: Role = "value") -> Spot:
        """Return where the value stands."""
        return self.script.spot(self.pointer, role)


class Gone(Value):
    """An entry removed from a mapping or list: its key (None in a list), its value, and the writer that removed it."""

    key: str | None
    value: Any
    writer: FieldWriter


class Traced:
    """A value and its writers, the oldest first; a mapping or list is split into children only when one is touched.

    The last writer of an unsplit value wrote all of it. `gone` are the removed entries; some may have come back since.
    """

    __slots__ = ("_value", "before", "children", "gone", "writers")

    def __init__(self, value: Any, writers: list[FieldWriter]) -> None:
        self._value = value
        self.before: tuple[tuple[FieldWriter, Any], ...] = ()
        self.children: dict[str, Traced] | list[Traced] | None = None
        self.gone: tuple[Gone, ...] = ()
        self.writers = writers

    @property
    def value(self) -> Any:
        """Return the plain value."""
        if isinstance(self.children, dict):
            return {key: child.value for key, child in self.children.items()}
        if isinstance(self.children, list):
            return [child.value for child in self.children]
        return self._value

    @property
    def writer(self) -> FieldWriter:
        """Return the last writer."""
        return self.writers[-1]

    def mapping(self) -> dict[str, Traced] | None:
        """Return the entries; None if the value is no mapping."""
        if self.children is None and isinstance(self._value, dict):
            self.children = {key: Traced(entry, [self.writer.child(key)]) for key, entry in self._value.items()}
        return self.children if isinstance(self.children, dict) else None

    def elements(self) -> list[Traced] | None:
        """Return the elements; None if the value is no list."""
        if self.children is None and isinstance(self._value, list):
            self.children = [Traced(entry, [self.writer.child(index)]) for index, entry in enumerate(self._value)]
        return self.children if isinstance(self.children, list) else None

    def assign(self, value: Any, *writers: FieldWriter) -> None:
        """Replace the value; `before` keeps the old one.

        Of several writers the last one gives the value, and the others passed it on.
        """
        old = self.value
        if not isinstance(old, dict | list):
            self.before = (*self.before, (self.writer, old), *((one, None) for one in writers[:-1]))
        self.gone = (*self.gone, *(Gone(key, entry, writers[-1]) for key, entry in _left_out(old, value)))
        whole = isinstance(value, dict | list)
        self._value, self.children = value, None
        self.writers = [writers[-1]] if whole else [*self.writers, *writers]

    def become(self, value: Any, through: FieldWriter) -> None:
        """Set a value extended by `through`; the writer stays the same."""
        self.before = (*self.before, (through, None))
        self._value = value

    def put(self, key: str, value: Any, *writers: FieldWriter) -> None:
        """Set a key of a mapping; a new key comes last."""
        entries = self.mapping()
        if entries is None:
            return
        if key in entries:
            entries[key].assign(value, *writers)
        else:
            entries[key] = Traced(value, list(writers))

    def take(self, key: str, writer: FieldWriter) -> None:
        """Remove an entry from a mapping."""
        entries = self.mapping()
        found = entries.pop(key, None) if entries is not None else None
        if found is not None:
            self.gone = (*self.gone, Gone(key, found.value, writer))

    def take_element(self, index: int, writer: FieldWriter) -> None:
        """Remove an element from a list; the index must exist."""
        elements = self.elements()
        if elements is not None:
            self.gone = (*self.gone, Gone(None, elements.pop(index).value, writer))

    def at(self, *path: str) -> Traced | None:
        """Return the value below nested keys; None if there is none."""
        found: Traced | None = self
        for key in path:
            entries = found.mapping() if found is not None else None
            found = entries.get(key) if entries is not None else None
        return found

    def made(self, writer: FieldWriter, *path: str) -> Traced | None:
        """Return the value below nested keys, creating missing mappings; None if another value is in the way."""
        found = self
        for key in path:
            entries = found.mapping()
            if entries is None:
                return None
            if key not in entries or entries[key].value is None:
                entries[key] = Traced({}, [writer])
            found = entries[key]
        return found


def _left_out(old: Any, new: Any) -> Iterator[tuple[str | None, Any]]:
    """Yield the entries that are lost when another value replaces a mapping or list."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from ((key, value) for key, value in old.items() if key not in new)
    elif isinstance(old, list) and isinstance(new, list):
        yield from ((None, value) for value in old if value not in new)
