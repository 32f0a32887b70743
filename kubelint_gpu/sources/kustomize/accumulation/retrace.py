"""A kustomization built once more, in values that know their writers.

The order is kustomize's own (api/internal/target/kusttarget.go): resources, generators, components, then patches,
namespace, names, labels, annotations, JSON patches, replicas, images, replacements, transformers. What Kustomize
printed stays the truth: where this model says another value, its place is not taken for certain.
"""

from __future__ import annotations

from kubelint_gpu.documents import items
from kubelint_gpu.sources.kustomize.accumulation.generators import generate
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.patches import apply_json, apply_strategic
from kubelint_gpu.sources.kustomize.accumulation.plugins import generate_more, transform_more
from kubelint_gpu.sources.kustomize.accumulation.replacements import replace_all
from kubelint_gpu.sources.kustomize.accumulation.transformers import (
    set_annotations,
    set_images,
    set_labels,
    set_names,
    set_namespaces,
    set_replicas,
)
from kubelint_gpu.sources.kustomize.accumulation.variables import fill_in
from kubelint_gpu.sources.kustomize.accumulation.writer import DocumentScript, FieldWriter
from kubelint_gpu.sources.kustomize.files.survey import Survey


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
