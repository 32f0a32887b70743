"""Finds the patch that an error of Kustomize means: its entry, a document or an operation in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import Pointer, read
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer
from kubelint_gpu.sources.kustomize.accumulation.traced import FieldWriter
from kubelint_gpu.sources.render import Spot

_PATCHES = ("patches", "patchesJson6902", "patchesStrategicMerge")
_CONDITION = r"\s*!?[\w./-]+\s*(?:(?:==?|!=)\s*(?:[\w.-]+\s*)?|\s(?:not)?in\s*\([^()]*\)\s*)?"
_SELECTOR = pattern(rf"{_CONDITION}(?:,{_CONDITION})*|\s*")


def patch_without_target(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:  # noqa: ARG001 - one form for all
    """Yield JSON patches without a target."""
    for pointer, entry, values in patches_of(layer):
        if "target" not in entry and any(isinstance(value, list) for value, _ in values):
            yield layer.value(pointer, "").spot()


def patch_of_both(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:  # noqa: ARG001 - one form for all
    """Yield patches that are inline and also name a file."""
    for pointer, entry, _ in patches_of(layer):
        if "patch" in entry and "path" in entry:
            yield layer.value((*pointer, "path"), "").spot()


def patch_of_nothing(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
    """Yield patches of neither kind: unreadable texts, and objects that do not say what they are for."""
    for pointer, entry, values in patches_of(layer):
        named = match["path"]
        if named is not None and entry.get("path") != named:
            continue
        text = entry.get("patch")
        if isinstance(text, str) and named is None:
            for problem in read("", text.encode(errors="replace")).problems:
                if problem.span is not None:
                    yield layer.within(text, (*pointer, "patch"), problem.span)
        for value, writer in values:
            meta = value.get("metadata") if isinstance(value, dict) else None
            if not isinstance(value, list) and not (isinstance(meta, dict) and value.get("kind") and meta.get("name")):
                yield writer.spot()


def patch_operation(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
    """Yield the impossible operations of JSON patches, found by their `path` or `op`."""
    for _, _, values in patches_of(layer):
        for value, writer in values:
            for index, operation in enumerate(value if isinstance(value, list) else ()):
                for key in ("path", "op"):
                    if isinstance(operation, dict) and operation.get(key) == match.groupdict().get(key):
                        yield writer.child(index).child(key).spot()


def patches_of(layer: Layer) -> Iterator[tuple[Pointer, dict[str, Any], list[tuple[Any, FieldWriter]]]]:
    """Yield the entries of patches, each with its contents."""
    for field in _PATCHES:
        for index, entry in enumerate(layer.kustomization.entries(field)):
            if isinstance(entry, str):
                inline = {"patch": entry} if "\n" in entry else {"path": entry}
                pointer: Pointer = (field, index)
                values = layer.inline(entry, pointer, "") if "\n" in entry else layer.documents(entry, "")
                yield pointer, inline, list(values)
            elif isinstance(entry, dict):
                yield (field, index), entry, list(_held(layer, entry, (field, index)))


def _held(layer: Layer, entry: dict[str, Any], pointer: Pointer) -> Iterator[tuple[Any, FieldWriter]]:
    if isinstance(entry.get("path"), str):
        yield from layer.documents(entry["path"], "")
    elif isinstance(entry.get("patch"), str):
        yield from layer.inline(entry["patch"], (*pointer, "patch"), "")


def patch_target(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:  # noqa: ARG001 - one form for all
    """Yield targets of patches whose regular expressions or selectors cannot be read."""
    from kubelint_gpu import linear

    for pointer, entry, _ in patches_of(layer):
        target = entry.get("target")
        for key, value in target.items() if isinstance(target, dict) else ():
            if isinstance(value, str) and not (
                _SELECTOR().fullmatch(value) is not None
                if key.endswith("Selector")
                else linear.compiled(value) is not None
            ):
                yield layer.value((*pointer, "target", key), "").spot()
