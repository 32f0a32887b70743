"""The patches of a kustomization, applied to what it has accumulated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.sources.kustomize import json_patch
from kubelint_gpu.sources.kustomize.layer import Layer
from kubelint_gpu.sources.kustomize.objects import Traceable
from kubelint_gpu.sources.kustomize.strategic_merge import merge
from kubelint_gpu.sources.kustomize.writer import Writer

BY = "patch"


def apply_strategic(layer: Layer, objects: list[Traceable]) -> None:
    """`patchesStrategicMerge`, then `patches`, as kustomize orders them."""
    for index, entry in enumerate(layer.kustomization.entries("patchesStrategicMerge")):
        if isinstance(entry, str):
            for value, writer in _values(layer, entry, ("patchesStrategicMerge", index)):
                _apply(objects, value, writer, None)
    for index, entry in enumerate(layer.kustomization.entries("patches")):
        if isinstance(entry, dict):
            _apply_entry(layer, objects, entry, ("patches", index))


def apply_json(layer: Layer, objects: list[Traceable]) -> None:
    """`patchesJson6902`, which come after names, labels and namespaces."""
    for index, entry in enumerate(layer.kustomization.entries("patchesJson6902")):
        if isinstance(entry, dict):
            _apply_entry(layer, objects, entry, ("patchesJson6902", index))


def _apply_entry(layer: Layer, objects: list[Traceable], entry: dict[str, Any], pointer: Pointer) -> None:
    target = entry.get("target")
    chosen = target if isinstance(target, dict) else None
    if isinstance(entry.get("path"), str):
        values = list(layer.documents(entry["path"], BY))
    elif isinstance(entry.get("patch"), str):
        values = list(layer.inline(entry["patch"], (*pointer, "patch"), BY))
    else:
        return
    for value, writer in values:
        _apply(objects, value, writer, chosen)


def _values(layer: Layer, entry: str, pointer: Pointer) -> Iterator[tuple[Any, Writer]]:
    return layer.inline(entry, pointer, BY) if "\n" in entry else layer.documents(entry, BY)


def _apply(objects: list[Traceable], value: Any, writer: Writer, target: dict[str, Any] | None) -> None:
    if isinstance(value, list):
        for one in [one for one in objects if target is not None and one.selected(target)]:
            json_patch.apply(one.traced, value, writer)
            one.remember()
        return
    if not isinstance(value, dict):
        return
    meant = [one for one in objects if (one.selected(target) if target is not None else one.is_meant(value))]
    for one in meant:
        if value.get("$patch") == "delete":
            objects.remove(one)
            continue
        merge(one.traced, _without_identity(value), writer, one.kind)


def _without_identity(patch: dict[str, Any]) -> dict[str, Any]:
    """A patch without what only says whom it is for; it renames nothing."""
    meta = patch.get("metadata")
    rest = {key: entry for key, entry in patch.items() if key not in ("apiVersion", "kind", "metadata")}
    if isinstance(meta, dict):
        more = {key: entry for key, entry in meta.items() if key not in ("name", "namespace")}
        return {**rest, "metadata": more} if more else rest
    return rest
