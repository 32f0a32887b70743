"""Replacements: a value of one object, or a piece of it, copied to fields of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents.builder import MAX_DEPTH
from kubelint_gpu.kube.values.plain import sequence
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.traced import FieldWriter, Traced

_STEP = pattern(r"\[[^\]]*(?:\]|\Z)|(?:\\.|[^.\\\[])+")


def replace_all(layer: Layer, objects: list[Traceable]) -> None:
    """Apply `replacements` in order; the writer of a copied value is the writer of its source."""
    for index, entry in enumerate(layer.kustomization.entries("replacements")):
        if not isinstance(entry, dict):
            continue
        if isinstance(entry.get("path"), str):
            for value, writer in layer.documents(entry["path"], "replacement"):
                for one in value if isinstance(value, list) else [value]:
                    if isinstance(one, dict):
                        _replace(one, objects, writer)
        else:
            _replace(entry, objects, layer.entry(("replacements", index), "replacement"))


def _replace(entry: dict[str, Any], objects: list[Traceable], through: FieldWriter) -> None:
    source = entry.get("source")
    found = field_of(source, objects) if isinstance(source, dict) else None
    if found is None or not isinstance(source, dict):
        return
    value = _piece(found.value, source.get("options"))
    for target in sequence(entry.get("targets")):
        if isinstance(target, dict):
            _copy(target, objects, value, (through, found.writer))


def field_of(source: dict[str, Any], objects: list[Traceable]) -> Traced | None:
    """Return the field that the `source` of a replacement means, in the first object that it selects."""
    path = source.get("fieldPath", "metadata.name")
    for one in objects:
        if _is_selected(one, source) and isinstance(path, str):
            return next(_descend(one.traced, _steps(path), None), None)
    return None


def _copy(target: dict[str, Any], objects: list[Traceable], value: Any, writers: tuple[FieldWriter, ...]) -> None:
    select = target.get("select")
    options = target.get("options")
    rejected = [one for one in sequence(target.get("reject")) if isinstance(one, dict)]
    for one in objects:
        if not isinstance(select, dict) or not _is_selected(one, select):
            continue
        if any(_is_selected(one, other) for other in rejected):
            continue
        create = isinstance(options, dict) and options.get("create") is True
        for path in target.get("fieldPaths") or ("metadata.name",):
            for found in _descend(one.traced, _steps(str(path)), writers[-1] if create else None):
                # an object or list comes over whole, and its parts keep their writer
                found.assign(_with_piece(found.value, value, options), *writers)
        one.remember()


def _is_selected(one: Traceable, selector: dict[str, Any]) -> bool:
    from kubelint_gpu import linear

    exact = {key: linear.escaped(str(selector[key])) for key in ("name", "namespace", "kind") if selector.get(key)}
    others = {key: selector[key] for key in ("group", "version") if selector.get(key)}
    return one.selected({**exact, **others})


def _steps(path: str) -> list[str]:
    """Return the steps of a path `a.b.[name=c].d`; a dot in brackets or after a backslash does not end a step.

    A path deeper than any object that is read is cut there.
    """
    return [step.replace("\\.", ".") for step in _STEP().findall(path)][:MAX_DEPTH]


def _descend(traced: Traced, steps: list[str], create: FieldWriter | None) -> Iterator[Traced]:
    if not steps:
        yield traced
        return
    step, rest = steps[0], steps[1:]
    elements = traced.elements()
    if elements is None:
        key = step[1:-1] if step.startswith("[") and "=" not in step else step
        entries = traced.mapping()
        if entries is not None and key not in entries and create is not None:
            entries[key] = Traced(None if not rest else {}, [create])
        if entries is not None and key in entries:
            yield from _descend(entries[key], rest, create)
        return
    for index, element in enumerate(elements):
        if step == "*" or step == str(index) or _is_element(element.value, step):
            yield from _descend(element, rest, create)


def _is_element(value: Any, step: str) -> bool:
    key, equals, wanted = step.removeprefix("[").removesuffix("]").partition("=")
    return bool(equals) and isinstance(value, dict) and str(value.get(key)) == wanted


def _piece(value: Any, options: Any) -> Any:
    delimiter = options.get("delimiter") if isinstance(options, dict) else None
    if not isinstance(value, str) or not isinstance(delimiter, str) or not delimiter:
        return value
    index, parts = options.get("index", 0), value.split(delimiter)
    return parts[index] if isinstance(index, int) and 0 <= index < len(parts) else value


def _with_piece(value: Any, new: Any, options: Any) -> Any:
    delimiter = options.get("delimiter") if isinstance(options, dict) else None
    if not isinstance(value, str) or not isinstance(delimiter, str) or not delimiter:
        return new
    index, parts = options.get("index", 0), value.split(delimiter)
    if not isinstance(index, int):
        return new
    if index < 0:
        parts = [str(new), *parts]
    elif index >= len(parts):
        parts = [*parts, str(new)]
    else:
        parts[index] = str(new)
    return delimiter.join(parts)
