"""A second build of a kustomization, in values that know their writers.

The order is kustomize's own (api/internal/target/kusttarget.go): resources, generators, components, then patches,
namespace, names, labels, annotations, JSON patches, replicas, images, replacements, then configured `generators` and
`transformers`, which work like the fields of a kustomization. Kustomize's output is authoritative: if this model has
another value, the place of the value is not certain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kubelint_gpu.documents import Pointer, items
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer, PluginFile, generate
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.patches import apply_json, apply_strategic
from kubelint_gpu.sources.kustomize.accumulation.replacements import field_of, replace_all
from kubelint_gpu.sources.kustomize.accumulation.traced import DocumentScript, FieldWriter, InlineScript, Traced
from kubelint_gpu.sources.kustomize.accumulation.transformers import (
    set_annotations,
    set_images,
    set_labels,
    set_names,
    set_namespaces,
    set_replicas,
)
from kubelint_gpu.sources.kustomize.files.survey import Survey
from kubelint_gpu.values import Value, replace

_BUILT_IN = "builtin"
_Change = Callable[[Layer, list[Traceable]], None]
_Value = dict[str, Any]
BY = "variable"
_NAMED = pattern(r"\$\(([^()\s]+)\)")


class _Built(Value):
    """How the configuration of a plugin corresponds to a field of a kustomization.

    Attributes:
        change: the function that makes the change.
        fields: builds the equivalent kustomization fields.
        moves: pairs of a pointer in these fields and the corresponding pointer in the configuration.
    """

    change: _Change
    fields: Callable[[_Value], _Value]
    moves: tuple[tuple[Pointer, Pointer], ...] = ()


def generate_more(layer: Layer, objects: list[Traceable]) -> None:
    """Run `generators`."""
    _run(layer, objects, "generators", _GENERATORS)


def transform_more(layer: Layer, objects: list[Traceable]) -> None:
    """Run `transformers`."""
    _run(layer, objects, "transformers", _TRANSFORMERS)


def _run(layer: Layer, objects: list[Traceable], field: str, known: dict[str, _Built]) -> None:
    for value, script in _configured(layer, field):
        built = known.get(str(value.get("kind"))) if value.get("apiVersion") == _BUILT_IN else None
        if built is not None:
            mine = replace(layer.kustomization, value=built.fields(value))
            built.change(Layer(mine, layer.survey, PluginFile(script, built.moves)), objects)


def _configured(layer: Layer, field: str) -> Iterator[tuple[_Value, DocumentScript | InlineScript]]:
    for index, entry in enumerate(layer.kustomization.entries(field)):
        if not isinstance(entry, str):
            continue
        inline = "\n" in entry
        values = layer.inline(entry, (field, index), field) if inline else layer.documents(entry, field)
        for value, writer in values:
            if isinstance(value, dict) and isinstance(writer.script, DocumentScript | InlineScript):
                yield value, writer.script


def _part(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _labels(value: _Value) -> _Value:
    specs = value.get("fieldSpecs")
    paths = [str(_part(one, "path")) for one in (specs if isinstance(specs, list) else ())]
    where = {
        "includeSelectors": any("elector" in path for path in paths),
        "includeTemplates": any("template" in path for path in paths),
    }
    return {"labels": [{"pairs": value.get("labels"), **where}]}


def _generator(field: str) -> _Built:
    def fields(value: _Value) -> _Value:
        meta = value.get("metadata")
        return {field: [{**value, "name": _part(meta, "name"), "namespace": _part(meta, "namespace")}]}

    moves: tuple[tuple[Pointer, Pointer], ...] = (
        ((field, 0, "name"), ("metadata", "name")),
        ((field, 0, "namespace"), ("metadata", "namespace")),
        ((field, 0), ()),
    )
    return _Built(generate, fields, moves)


def _merges(value: _Value) -> _Value:
    paths, text = value.get("paths"), value.get("patches")
    return {"patchesStrategicMerge": [*(paths if isinstance(paths, list) else ()), *([text] if text else ())]}


_GENERATORS = {kind: _generator(f"{kind[0].lower()}{kind[1:]}") for kind in ("ConfigMapGenerator", "SecretGenerator")}
_TRANSFORMERS = {
    "PatchTransformer": _Built(apply_strategic, lambda value: {"patches": [value]}, ((("patches", 0), ()),)),
    "PatchStrategicMergeTransformer": _Built(apply_strategic, _merges, ((("patchesStrategicMerge",), ("patches",)),)),
    "PatchJson6902Transformer": _Built(
        apply_json,
        lambda value: {"patchesJson6902": [{**value, "patch": value.get("jsonOp")}]},
        ((("patchesJson6902", 0, "patch"), ("jsonOp",)), (("patchesJson6902", 0), ())),
    ),
    "NamespaceTransformer": _Built(
        set_namespaces,
        lambda value: {"namespace": _part(value.get("metadata"), "namespace")},
        ((("namespace",), ("metadata", "namespace")),),
    ),
    "PrefixTransformer": _Built(
        set_names, lambda value: {"namePrefix": value.get("prefix")}, ((("namePrefix",), ("prefix",)),)
    ),
    "SuffixTransformer": _Built(
        set_names, lambda value: {"nameSuffix": value.get("suffix")}, ((("nameSuffix",), ("suffix",)),)
    ),
    "LabelTransformer": _Built(set_labels, _labels, ((("labels", 0, "pairs"), ("labels",)),)),
    "AnnotationsTransformer": _Built(
        set_annotations,
        lambda value: {"commonAnnotations": value.get("annotations")},
        ((("commonAnnotations",), ("annotations",)),),
    ),
    "ReplicaCountTransformer": _Built(
        set_replicas, lambda value: {"replicas": [value.get("replica")]}, ((("replicas", 0), ("replica",)),)
    ),
    "ImageTagTransformer": _Built(
        set_images, lambda value: {"images": [value.get("imageTag")]}, ((("images", 0), ("imageTag",)),)
    ),
    "ReplacementTransformer": _Built(replace_all, lambda value: {"replacements": value.get("replacements")}),
}


def trace(survey: Survey) -> list[Traceable]:
    """Return every object that the surveyed kustomization builds."""
    objects: list[Traceable] = []
    _accumulate(Layer(survey.kustomizations[survey.root], survey), objects)
    fill_in([Layer(one, survey) for one in survey.kustomizations.values()], objects)
    return objects


def _accumulate(layer: Layer, objects: list[Traceable]) -> None:
    """Add the objects of a kustomization, then change all objects; a component also changes those added by others."""
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
    """Fill in `vars` where they are used; the writer of the surrounding text stays its writer."""
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
    """Yield the texts below a value that use a variable."""
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
