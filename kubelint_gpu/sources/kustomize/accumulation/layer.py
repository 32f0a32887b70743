"""One kustomization while it is traced: its fields, files and generated objects, each with its writers."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import Pointer, Reading, SourceText, Span, read, source_text
from kubelint_gpu.kube.values.plain import sequence
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.traced import (
    DocumentScript,
    EntryScript,
    FieldWriter,
    InlineScript,
    LineScript,
    PartScript,
    Traced,
    within,
)
from kubelint_gpu.sources.kustomize.files.kustomization import Kustomization, joined
from kubelint_gpu.sources.kustomize.files.survey import Survey, text_of
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.values import Value

_KINDS = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}


class PluginFile(Value, eq=False):
    """A file with the configuration of a generator or transformer that does the work of kustomization fields.

    Attributes:
        script: the text of the configuration.
        moves: pairs of a kustomization pointer and the corresponding pointer in the configuration; the first match
            counts.
    """

    script: DocumentScript | InlineScript
    moves: tuple[tuple[Pointer, Pointer], ...] = ()

    def at(self, pointer: Pointer) -> Pointer:
        """Return the pointer in the configuration for a pointer in a kustomization."""
        for before, after in self.moves:
            if pointer[: len(before)] == before:
                return (*after, *pointer[len(before) :])
        return pointer


class Layer(Value, eq=False):
    """A kustomization with its survey; with a plugin, its fields are those that the plugin stands for."""

    kustomization: Kustomization
    survey: Survey
    plugin: PluginFile | None = None

    def entry(self, pointer: Pointer, by: str) -> FieldWriter:
        """Return the writer for the results of one entry of the kustomization."""
        if self.plugin is not None:
            script = PartScript(self.plugin.script, self.plugin.at(pointer))
            return FieldWriter(script, (), self.kustomization.path, by)
        document = self.kustomization.document
        if document is None:
            raise ValueError("a kustomization that cannot be read has no entries")
        return FieldWriter(EntryScript(document, pointer), (), self.kustomization.path, by)

    def value(self, pointer: Pointer, by: str) -> FieldWriter:
        """Return the writer of a value that stands in the kustomization itself, as in `literals` or `pairs`."""
        if self.plugin is not None:
            return FieldWriter(self.plugin.script, self.plugin.at(pointer), self.kustomization.path, by)
        document = self.kustomization.document
        if document is None:
            raise ValueError("a kustomization that cannot be read has no entries")
        return FieldWriter(DocumentScript(document), pointer, self.kustomization.path, by)

    def target(self, reference: str) -> str | None:
        """Return the path below the root that a reference means; None if it leads out of the root."""
        return joined(self.kustomization.folder, reference)

    def reading(self, reference: str) -> Reading | None:
        """Return a file with objects or patches that the kustomization names."""
        target = self.target(reference)
        if target is None or target in self.survey.readings or self.plugin is None:
            return self.survey.readings.get(target) if target is not None else None
        source = self.data(reference)
        return read(source.path, self.survey.files[target]) if source is not None else None

    def data(self, reference: str) -> SourceText | None:
        """Return a plain data file that the kustomization names."""
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
        """Yield the values of a file, each with its writer."""
        reading = self.reading(reference)
        for document in reading.documents if reading is not None else ():
            yield document.value, FieldWriter(DocumentScript(document), (), self.kustomization.path, by)

    def inline(self, text: str, pointer: Pointer, by: str) -> Iterator[tuple[Any, FieldWriter]]:
        """Yield the values of an inline text of the kustomization, each with its writer."""
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
        """Return the place of a part of an inline text of the kustomization."""
        outer = self.kustomization.document
        if outer is None:
            raise ValueError("a kustomization that cannot be read has no texts")
        return within(outer, pointer, source_text("", text), span)


def generate(layer: Layer, objects: list[Traceable]) -> None:
    """Add, merge or replace objects as the generators of a kustomization do."""
    for field, kind in _KINDS.items():
        for index, entry in enumerate(layer.kustomization.entries(field)):
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                _generate(layer, objects, entry, (field, index), kind)


def _generate(
    layer: Layer, objects: list[Traceable], entry: dict[str, Any], pointer: tuple[str, int], kind: str
) -> None:
    writer = layer.value((*pointer, "name"), "generator")
    behavior = entry.get("behavior", "create")
    known = [
        one
        for one in objects
        if behavior != "create" and one.kind.kind == kind and any(entry["name"] == name for name, _ in one.names)
    ]
    for one in known:
        if behavior == "replace":
            one.traced.put("data", {}, writer)
        _fill(layer, one.traced, entry, pointer)
    if known:
        return
    value: dict[str, Any] = {"apiVersion": "v1", "kind": kind, "metadata": {"name": entry["name"]}}
    made = Traceable(value, layer.value(pointer, "generator"), generated=_is_hashed(layer, entry))
    meta = made.traced.at("metadata")
    if meta is not None:
        for key in ("name", "namespace"):
            if isinstance(entry.get(key), str):
                meta.put(key, entry[key], layer.value((*pointer, key), "generator"))
    made.remember()
    _fill(layer, made.traced, entry, pointer)
    objects.append(made)


def _is_hashed(layer: Layer, entry: dict[str, Any]) -> bool:
    for options in (entry.get("options"), layer.kustomization.value.get("generatorOptions")):
        if isinstance(options, dict) and "disableNameSuffixHash" in options:
            return options["disableNameSuffixHash"] is not True
    return True


def _fill(layer: Layer, traced: Traced, entry: dict[str, Any], pointer: tuple[str, int]) -> None:
    home = traced.made(traced.writer, "data")
    if home is not None:
        for key, value, writer in entries_of(layer, entry, pointer):
            home.put(key, value, writer)


def entries_of(layer: Layer, entry: dict[str, Any], pointer: tuple[str, int]) -> Iterator[tuple[str, Any, FieldWriter]]:
    """Yield the data of a generator's entry: key, value and writer."""
    envs = [*sequence(entry.get("envs")), *([entry["env"]] if isinstance(entry.get("env"), str) else [])]
    for reference in envs:
        yield from _lines(layer, reference)
    for index, text in enumerate(sequence(entry.get("files"))):
        if isinstance(text, str):
            name, equals, path = text.partition("=")
            source = layer.data(path if equals else name)
            key = name if equals else posixpath.basename(name)
            value = source.text if source is not None else None
            yield key, value, layer.entry((*pointer, "files", index), "generator")
    for index, text in enumerate(sequence(entry.get("literals"))):
        if isinstance(text, str):
            key, _, value = text.partition("=")
            if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
                value = value[1:-1]
            yield key, value, layer.entry((*pointer, "literals", index), "generator")


def _lines(layer: Layer, reference: Any) -> Iterator[tuple[str, str, FieldWriter]]:
    """Yield the lines of an env file, `KEY=value`, without comments and empty lines."""
    source = layer.data(reference) if isinstance(reference, str) else None
    if source is None:
        return
    for number in range(1, len(source.line_starts) + 1):
        line = source.line(number)
        stripped = line.lstrip()
        key, equals, value = stripped.partition("=")
        if not equals or stripped.startswith("#"):
            continue
        start = source.line_starts[number - 1] + len(line) - len(value)
        script = LineScript(source, start, start + len(value)) if value else LineScript(source, start - 1, start)
        yield key, value, FieldWriter(script, (), layer.kustomization.path, "generator")
