"""The patches of a kustomization, applied to what it has accumulated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.sources.kustomize.accumulation import json_patch
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.strategic_merge import merge
from kubelint_gpu.sources.kustomize.accumulation.writer import FieldWriter

BY = "patch"


class _Named:
    """Objects by kind and by every name that they have had; made anew after a change that may give other ones."""

    def __init__(self, objects: list[Traceable]) -> None:
        self.objects = objects
        self._by: dict[tuple[str, str], list[Traceable]] | None = None

    def forget(self) -> None:
        """Something may be called otherwise, or be gone."""
        self._by = None

    def meant(self, patch: dict[str, Any]) -> list[Traceable]:
        """The objects that a patch without a target is for."""
        if self._by is None:
            self._by = {}
            for one in self.objects:
                for known in dict.fromkeys(name for name, _ in one.names):
                    self._by.setdefault((one.kind.kind, known), []).append(one)
        meta = patch.get("metadata")
        name = meta.get("name") if isinstance(meta, dict) else None
        found = self._by.get((str(patch.get("kind")), str(name)), ())
        return [one for one in found if one.is_meant(patch)]


def apply_strategic(layer: Layer, objects: list[Traceable]) -> None:
    """`patchesStrategicMerge`, then `patches`, as kustomize orders them."""
    named = _Named(objects)
    for index, entry in enumerate(layer.kustomization.entries("patchesStrategicMerge")):
        if isinstance(entry, str):
            for value, writer in _values(layer, entry, ("patchesStrategicMerge", index)):
                _apply(named, value, writer, None)
    for index, entry in enumerate(layer.kustomization.entries("patches")):
        if isinstance(entry, dict):
            _apply_entry(layer, named, entry, ("patches", index))


def apply_json(layer: Layer, objects: list[Traceable]) -> None:
    """`patchesJson6902`, which come after names, labels and namespaces."""
    named = _Named(objects)
    for index, entry in enumerate(layer.kustomization.entries("patchesJson6902")):
        if isinstance(entry, dict):
            _apply_entry(layer, named, entry, ("patchesJson6902", index))


def _apply_entry(layer: Layer, named: _Named, entry: dict[str, Any], pointer: Pointer) -> None:
    target = entry.get("target")
    chosen = target if isinstance(target, dict) else None
    if isinstance(entry.get("path"), str):
        values = list(layer.documents(entry["path"], BY))
    elif isinstance(entry.get("patch"), str):
        values = list(layer.inline(entry["patch"], (*pointer, "patch"), BY))
    else:
        return
    for value, writer in values:
        _apply(named, value, writer, chosen)


def _values(layer: Layer, entry: str, pointer: Pointer) -> Iterator[tuple[Any, FieldWriter]]:
    return layer.inline(entry, pointer, BY) if "\n" in entry else layer.documents(entry, BY)


def _apply(named: _Named, value: Any, writer: FieldWriter, target: dict[str, Any] | None) -> None:
    if isinstance(value, list):
        for one in [one for one in named.objects if target is not None and one.selected(target)]:
            json_patch.apply(one.traced, value, writer)
            one.remember()
            named.forget()
        return
    if not isinstance(value, dict):
        return
    chosen = (one for one in named.objects if target is not None and one.selected(target))
    for one in list(chosen) if target is not None else named.meant(value):
        if value.get("$patch") == "delete":
            named.objects.remove(one)
            named.forget()
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
