"""ConfigMaps and Secrets that a kustomization generates, each entry with the line it comes from."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.values.plain import sequence
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.traced import Traced
from kubelint_gpu.sources.kustomize.accumulation.writer import FieldWriter, LineScript

_KINDS = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}


def generate(layer: Layer, objects: list[Traceable]) -> None:
    """What the generators of a kustomization add, merge or replace."""
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
    if home is None:
        return
    for key, value, writer in entries_of(layer, entry, pointer):
        home.put(key, value, writer)


def entries_of(layer: Layer, entry: dict[str, Any], pointer: tuple[str, int]) -> Iterator[tuple[str, Any, FieldWriter]]:
    """What an entry of a generator holds: keys, values and who wrote them."""
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
    """The lines of an env file: `KEY=value`, comments and empty lines left out."""
    source = layer.data(reference) if isinstance(reference, str) else None
    for number in range(1, len(source.line_starts) + 1) if source is not None else ():
        if source is None:
            return
        line = source.line(number)
        stripped = line.lstrip()
        key, equals, value = stripped.partition("=")
        if not equals or stripped.startswith("#"):
            continue
        start = source.line_starts[number - 1] + len(line) - len(value)
        script = LineScript(source, start, start + len(value)) if value else LineScript(source, start - 1, start)
        yield key, value, FieldWriter(script, (), layer.kustomization.path, "generator")
