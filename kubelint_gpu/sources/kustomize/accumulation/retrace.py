"""A kustomization built once more, in values that know their writers.

The order is kustomize's own (api/internal/target/kusttarget.go): resources, generators, components, then patches,
namespace, names, labels, annotations, JSON patches, replicas, images, replacements, transformers. What Kustomize
printed stays the truth: where this model says another value, its place is not taken for certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import items
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.kustomize.accumulation.generators import generate
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.patches import apply_json, apply_strategic
from kubelint_gpu.sources.kustomize.accumulation.plugins import generate_more, transform_more
from kubelint_gpu.sources.kustomize.accumulation.replacements import field_of, replace_all
from kubelint_gpu.sources.kustomize.accumulation.traced import Traced
from kubelint_gpu.sources.kustomize.accumulation.transformers import (
    set_annotations,
    set_images,
    set_labels,
    set_names,
    set_namespaces,
    set_replicas,
)
from kubelint_gpu.sources.kustomize.accumulation.writer import DocumentScript, FieldWriter
from kubelint_gpu.sources.kustomize.files.survey import Survey

BY = "variable"
_NAMED = pattern(r"\$\(([^()\s]+)\)")


def trace(survey: Survey) -> list[Traceable]:
    """Every object that the surveyed kustomization builds."""
    objects: list[Traceable] = []
    _accumulate(Layer(survey.kustomizations[survey.root], survey), objects)
    fill_in([Layer(one, survey) for one in survey.kustomizations.values()], objects)
    return objects


def _accumulate(layer: Layer, objects: list[Traceable]) -> None:
    """Add what a kustomization brings, then change all there is: for a component that is what others brought, too."""
    for key in ("resources", "bases"):
        for entry in layer.kustomization.entries(key):
            if isinstance(entry, str):
                _resource(layer, entry, objects)
    generate(layer, objects)
    generate_more(layer, objects)
    for entry in layer.kustomization.entries("components"):
        target = layer.target(entry) if isinstance(entry, str) else None
        found = layer.survey.kustomizations.get(target) if target is not None else None
        if found is not None:
            _accumulate(Layer(found, layer.survey), objects)
    apply_strategic(layer, objects)
    for change in (
        set_namespaces,
        set_names,
        set_labels,
        set_annotations,
        apply_json,
        set_replicas,
        set_images,
        replace_all,
        transform_more,
    ):
        change(layer, objects)


def _resource(layer: Layer, entry: str, objects: list[Traceable]) -> None:
    target = layer.target(entry)
    if target is None:
        return
    found = layer.survey.kustomizations.get(target)
    if found is not None:
        below: list[Traceable] = []
        _accumulate(Layer(found, layer.survey), below)
        objects.extend(below)
        return
    reading = layer.survey.readings.get(target)
    for document in reading.documents if reading is not None else ():
        for item in items(document):
            writer = FieldWriter(DocumentScript(document), item.pointer, layer.kustomization.path, "resource")
            objects.append(Traceable(item.value, writer))


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
    whole = _NAMED().fullmatch(traced.value)
    for name in _NAMED().findall(traced.value):
        if name in known:
            value, through = known[name]
            text = value if whole is not None else traced.value.replace(f"$({name})", str(value))
            traced.become(text, through)
