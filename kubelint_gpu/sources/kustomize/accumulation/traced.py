"""Values that know who wrote them, down to the text and the place in it: what a kustomization makes, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from kubelint_gpu.documents import Document, Pointer, Role, SourceText, Span
from kubelint_gpu.documents.inline_text import span_within
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
    place = span_within(outer, pointer, inner, span)
    return Spot(outer.source.path, place if place is not None else outer.locate(pointer))


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


class Gone(Value):
    """What somebody took out of a mapping or list: its key, None in a list, what it was, and who took it."""

    key: str | None
    value: Any
    writer: FieldWriter


class Traced:
    """A value and its writers, the oldest first; a mapping or list is taken apart only where something touches it.

    The last writer of what is not taken apart wrote all of it. `gone` is what was taken out of it; some of that may
    have come back since.
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
        """The plain value."""
        if isinstance(self.children, dict):
            return {key: child.value for key, child in self.children.items()}
        if isinstance(self.children, list):
            return [child.value for child in self.children]
        return self._value

    @property
    def writer(self) -> FieldWriter:
        """Who wrote it last."""
        return self.writers[-1]

    def mapping(self) -> dict[str, Traced] | None:
        """Its entries, None where it is no mapping."""
        if self.children is None and isinstance(self._value, dict):
            self.children = {key: Traced(entry, [self.writer.child(key)]) for key, entry in self._value.items()}
        return self.children if isinstance(self.children, dict) else None

    def elements(self) -> list[Traced] | None:
        """Its elements, None where it is no list."""
        if self.children is None and isinstance(self._value, list):
            self.children = [Traced(entry, [self.writer.child(index)]) for index, entry in enumerate(self._value)]
        return self.children if isinstance(self.children, list) else None

    def assign(self, value: Any, *writers: FieldWriter) -> None:
        """Another value in its place; `before` keeps the old one.

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
        """The same value with something added by `through`; who wrote it stays its writer."""
        self.before = (*self.before, (through, None))
        self._value = value

    def put(self, key: str, value: Any, *writers: FieldWriter) -> None:
        """Another value for a key of a mapping; a new key comes last."""
        entries = self.mapping()
        if entries is None:
            return
        if key in entries:
            entries[key].assign(value, *writers)
        else:
            entries[key] = Traced(value, list(writers))

    def take(self, key: str, writer: FieldWriter) -> None:
        """Take an entry out of a mapping."""
        entries = self.mapping()
        found = entries.pop(key, None) if entries is not None else None
        if found is not None:
            self.gone = (*self.gone, Gone(key, found.value, writer))

    def take_element(self, index: int, writer: FieldWriter) -> None:
        """Take an element out of a list that is that long."""
        elements = self.elements()
        if elements is not None:
            self.gone = (*self.gone, Gone(None, elements.pop(index).value, writer))

    def at(self, *path: str) -> Traced | None:
        """What stands under some keys, one after the other; None where nothing does."""
        found: Traced | None = self
        for key in path:
            entries = found.mapping() if found is not None else None
            found = entries.get(key) if entries is not None else None
        return found

    def made(self, writer: FieldWriter, *path: str) -> Traced | None:
        """The same, with mappings made where there are none; None where something else stands in the way."""
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
    """What a mapping or list no longer has when another one takes its place."""
    if isinstance(old, dict) and isinstance(new, dict):
        yield from ((key, value) for key, value in old.items() if key not in new)
    elif isinstance(old, list) and isinstance(new, list):
        yield from ((None, value) for value in old if value not in new)
