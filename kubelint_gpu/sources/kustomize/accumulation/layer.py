"""One kustomization while it is traced: its fields, the files they name, and the writers of both."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import Pointer, Reading, SourceText, Span, read, source_text
from kubelint_gpu.sources.kustomize.accumulation.writer import (
    DocumentScript,
    EntryScript,
    FieldWriter,
    InlineScript,
    PartScript,
    within,
)
from kubelint_gpu.sources.kustomize.files.kustomization import Kustomization
from kubelint_gpu.sources.kustomize.files.survey import Survey, text_of
from kubelint_gpu.sources.kustomize.files.tree import joined
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.values import Value


class PluginFile(Value, eq=False):
    """A text of its own that configures what fields of a kustomization do otherwise.

    Attributes:
        script: that text.
        moves: pointers of a kustomization, each with where the same stands in the text; the first that fits counts.
    """

    script: DocumentScript | InlineScript
    moves: tuple[tuple[Pointer, Pointer], ...] = ()

    def at(self, pointer: Pointer) -> Pointer:
        """Where the text has what a kustomization would have there."""
        for before, after in self.moves:
            if pointer[: len(before)] == before:
                return (*after, *pointer[len(before) :])
        return pointer


class Layer(Value, eq=False):
    """A kustomization and what it was surveyed with; with a plugin, its fields are those that the plugin stands for."""

    kustomization: Kustomization
    survey: Survey
    plugin: PluginFile | None = None

    def entry(self, pointer: Pointer, by: str) -> FieldWriter:
        """The writer of what one entry of the kustomization gives."""
        if self.plugin is not None:
            script = PartScript(self.plugin.script, self.plugin.at(pointer))
            return FieldWriter(script, (), self.kustomization.path, by)
        document = self.kustomization.document
        if document is None:
            raise ValueError("a kustomization that cannot be read has no entries")
        return FieldWriter(EntryScript(document, pointer), (), self.kustomization.path, by)

    def value(self, pointer: Pointer, by: str) -> FieldWriter:
        """The writer of a value that the kustomization itself holds, such as `literals` or `pairs`."""
        if self.plugin is not None:
            return FieldWriter(self.plugin.script, self.plugin.at(pointer), self.kustomization.path, by)
        document = self.kustomization.document
        if document is None:
            raise ValueError("a kustomization that cannot be read has no entries")
        return FieldWriter(DocumentScript(document), pointer, self.kustomization.path, by)

    def target(self, reference: str) -> str | None:
        """The path below the root that a reference means."""
        return joined(self.kustomization.folder, reference)

    def reading(self, reference: str) -> Reading | None:
        """A file with objects or patches that the kustomization names."""
        target = self.target(reference)
        if target is None or target in self.survey.readings or self.plugin is None:
            return self.survey.readings.get(target) if target is not None else None
        source = self.data(reference)
        return read(source.path, self.survey.files[target]) if source is not None else None

    def data(self, reference: str) -> SourceText | None:
        """A file of mere data that the kustomization names."""
        target = self.target(reference)
        data = self.survey.files.get(target) if target is not None else None
        if data is None or target is None:
            return None
        here = self.kustomization.reading.source
        folder = posixpath.dirname(here.path) if here is not None else ""
        path = posixpath.normpath(posixpath.join(folder, reference))
        try:
            return source_text(path, text_of(data, "strict").removeprefix("\ufeff"))
        except UnicodeDecodeError:
            return None

    def documents(self, reference: str, by: str) -> Iterator[tuple[Any, FieldWriter]]:
        """The values of a file, each with its writer."""
        reading = self.reading(reference)
        for document in reading.documents if reading is not None else ():
            yield document.value, FieldWriter(DocumentScript(document), (), self.kustomization.path, by)

    def inline(self, text: str, pointer: Pointer, by: str) -> Iterator[tuple[Any, FieldWriter]]:
        """The values of a text within the kustomization, each with its writer."""
        outer = self.kustomization.document
        if self.plugin is not None:
            pointer = self.plugin.at(pointer)
            if isinstance(self.plugin.script, InlineScript):
                # a text in a text in a text: the place is the middle one
                whole = FieldWriter(PartScript(self.plugin.script, pointer), (), self.kustomization.path, by)
                yield from ((one.value, whole) for one in read("", text.encode(errors="replace")).documents)
                return
            outer = self.plugin.script.document
        for inner in read("", text.encode(errors="replace")).documents if outer is not None else ():
            if outer is not None:
                yield inner.value, FieldWriter(InlineScript(outer, pointer, inner), (), self.kustomization.path, by)

    def within(self, text: str, pointer: Pointer, span: Span) -> Spot:
        """The place of a part of a text within the kustomization."""
        outer = self.kustomization.document
        if outer is None:
            raise ValueError("a kustomization that cannot be read has no texts")
        return within(outer, pointer, source_text("", text), span)
