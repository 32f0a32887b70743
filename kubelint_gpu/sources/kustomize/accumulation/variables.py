"""`vars`: values of fields that stand as `$(NAME)` in the texts of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.replacements import field_of
from kubelint_gpu.sources.kustomize.accumulation.traced import Traced
from kubelint_gpu.sources.kustomize.accumulation.writer import FieldWriter

BY = "variable"
_NAMED = pattern(r"\$\(([^()\s]+)\)")


def fill_in(layers: list[Layer], objects: list[Traceable]) -> None:
    """Put the values where they are named; who wrote the text around stays its writer."""
    known: dict[str, tuple[Any, FieldWriter]] = {}
    for layer in layers:
        for index, entry in enumerate(layer.kustomization.entries("vars")):
            value = _value(entry, objects) if isinstance(entry, dict) else None
            if value is not None:
                known.setdefault(str(entry.get("name")), (value, layer.value(("vars", index, "name"), BY)))
    for one in objects if known else ():
        for text in _texts(one.traced):
            _fill(text, known)


def _value(entry: dict[str, Any], objects: list[Traceable]) -> Any:
    reference, field = entry.get("objref"), entry.get("fieldref")
    path = field.get("fieldpath", field.get("fieldPath")) if isinstance(field, dict) else None
    if not isinstance(reference, dict):
        return None
    selector = {key: reference[key] for key in ("kind", "name", "namespace") if reference.get(key)}
    found = field_of({**selector, "fieldPath": path or "metadata.name"}, objects)
    return found.value if found is not None else None


def _texts(traced: Traced) -> Iterator[Traced]:
    """The texts below a value in which something is named."""
    if "$(" not in str(traced.value):
        return
    entries, elements = traced.mapping(), traced.elements()
    if entries is None and elements is None:
        if isinstance(traced.value, str):
            yield traced
        return
    for child in entries.values() if entries is not None else elements or ():
        yield from _texts(child)


def _fill(traced: Traced, known: dict[str, tuple[Any, FieldWriter]]) -> None:
    whole = _NAMED.fullmatch(traced.value)
    for name in _NAMED.findall(traced.value):
        if name in known:
            value, through = known[name]
            text = value if whole is not None else traced.value.replace(f"$({name})", str(value))
            traced.become(text, through)
