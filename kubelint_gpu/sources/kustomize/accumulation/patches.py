"""The patches of a kustomization, applied to the accumulated objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.strategic_merge import merge
from kubelint_gpu.sources.kustomize.accumulation.traced import FieldWriter, Traced

BY = "patch"


def apply_operations(target: Traced, operations: list[Any], writer: FieldWriter) -> None:
    """Apply the operations in order; an impossible operation is skipped, because the real build fails with it."""
    for index, operation in enumerate(operations):
        if isinstance(operation, dict) and isinstance(operation.get("path"), str):
            _apply_operation(target, operation, writer.child(index))


def _apply_operation(target: Traced, operation: dict[str, Any], writer: FieldWriter) -> None:
    steps = [step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")[1:]]
    kind = operation.get("op")
    if kind in {"move", "copy"}:
        source = [step.replace("~1", "/").replace("~0", "~") for step in str(operation.get("from")).split("/")[1:]]
        found = _descend(target, source)
        if found is not None:
            value = found.value
            if kind == "move":
                _remove(target, source, writer)
            _set(target, steps, value, writer.child("from"))
    elif kind == "remove":
        _remove(target, steps, writer)
    elif kind in {"add", "replace"}:
        _set(target, steps, operation.get("value"), writer.child("value"), replace=kind == "replace")


def _descend(target: Traced, steps: list[str]) -> Traced | None:
    found: Traced | None = target
    for step in steps:
        if found is None:
            return None
        entries, elements = found.mapping(), found.elements()
        if entries is not None:
            found = entries.get(step)
        elif elements is not None and step.isdigit() and int(step) < len(elements):
            found = elements[int(step)]
        else:
            return None
    return found


def _set(target: Traced, steps: list[str], value: Any, writer: FieldWriter, *, replace: bool = False) -> None:
    parent = _descend(target, steps[:-1]) if steps else None
    if parent is None:
        return
    elements = parent.elements()
    if elements is None:
        parent.put(steps[-1], value, writer)
    elif steps[-1] == "-":
        elements.append(Traced(value, [writer]))
    elif steps[-1].isdigit() and int(steps[-1]) <= len(elements):
        index = int(steps[-1])
        if replace and index < len(elements):
            elements[index].assign(value, writer)
        else:
            elements.insert(index, Traced(value, [writer]))


def _remove(target: Traced, steps: list[str], writer: FieldWriter) -> None:
    parent = _descend(target, steps[:-1]) if steps else None
    if parent is None:
        return
    entries, elements = parent.mapping(), parent.elements()
    if entries is not None:
        parent.take(steps[-1], writer)
    elif elements is not None and steps[-1].isdigit() and int(steps[-1]) < len(elements):
        parent.take_element(int(steps[-1]), writer)


class _Named:
    """Objects by kind and by every name that they have had; rebuilt after a change of names."""

    def __init__(self, objects: list[Traceable]) -> None:
        self.objects = objects
        self._by: dict[tuple[str, str], list[Traceable]] | None = None

    def forget(self) -> None:
        """Drop the index, because objects may have other names or be gone."""
        self._by = None

    def meant(self, patch: dict[str, Any]) -> list[Traceable]:
        """Return the objects that a patch without a target is for."""
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
    """Apply `patchesStrategicMerge`, then `patches`, as kustomize orders them."""
    named = _Named(objects)
    for index, entry in enumerate(layer.kustomization.entries("patchesStrategicMerge")):
        if isinstance(entry, str):
            for value, writer in _values(layer, entry, ("patchesStrategicMerge", index)):
                _apply(named, value, writer, None)
    for index, entry in enumerate(layer.kustomization.entries("patches")):
        if isinstance(entry, dict):
            _apply_entry(layer, named, entry, ("patches", index))


def apply_json(layer: Layer, objects: list[Traceable]) -> None:
    """Apply `patchesJson6902`, which come after names, labels and namespaces."""
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
            apply_operations(one.traced, value, writer)
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
    """Return a patch without the fields that only identify its target, because a patch renames nothing."""
    meta = patch.get("metadata")
    rest = {key: entry for key, entry in patch.items() if key not in ("apiVersion", "kind", "metadata")}
    if isinstance(meta, dict):
        more = {key: entry for key, entry in meta.items() if key not in ("name", "namespace")}
        return {**rest, "metadata": more} if more else rest
    return rest
