"""Finds the line that an error of Kustomize means but does not name, by the texts that it quotes and its wording."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer, entries_of
from kubelint_gpu.sources.kustomize.blamed_patches import (
    patch_of_both,
    patch_of_nothing,
    patch_operation,
    patch_target,
    patch_without_target,
    patches_of,
)
from kubelint_gpu.sources.kustomize.files.survey import Survey
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.values import replace

_GENERATORS = ("configMapGenerator", "secretGenerator")
_PLUGINS = ("generators", "transformers", "validators")
_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "number": (int, float),
    "string": (str,),
    "array": (list,),
    "object": (dict,),
}
# shorter words stand in any message
_SHORTEST = 4
_NOT_THERE = r'Kind:"{kind}"(?:(?!Kind:|Name:).)*Name:"(?P<name>[^"]*)"(?:(?!Kind:|Name:).)*cannot merge or replace'
_Finder = Callable[[Layer, "re.Match[str]"], Iterator[Spot]]


def blamed(text: str, found: Survey, shown: Callable[[str], str]) -> Spot | None:
    """Return the place that the error means, in the innermost folder that it names first; None if unknown."""
    return next((spot for layer in _layers(text, found, shown) for spot in _known(layer, text)), None)


def quoted(text: str, found: Survey, shown: Callable[[str], str]) -> Spot | None:
    """Return the place of the longest value that the error quotes; None if there is none."""
    best: tuple[int, Spot] | None = None
    for layer in _layers(text, found, shown):
        for pointer, value in _scalars(layer.kustomization.value):
            if len(value) >= _SHORTEST and _is_quoted(value, text) and (best is None or len(value) > best[0]):
                best = len(value), layer.value(pointer, "").spot()
    return best[1] if best is not None else None


def _layers(text: str, found: Survey, shown: Callable[[str], str]) -> list[Layer]:
    having = [one for one in found.kustomizations.values() if one.document is not None]
    having.sort(key=lambda one: -text.rfind(f"'{shown(one.folder)}'"))
    return [Layer(one, found) for one in having]


def _known(layer: Layer, text: str) -> Iterator[Spot]:
    for expression, finder in _FINDERS:
        match = expression.search(text)
        if match is not None:
            yield from finder(layer, match)


def _mistyped(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
    """Yield values of the wrong type; the error gives their path as Go does, with types between the fields."""
    names = [name for name in match["path"].split(".") if name[:1].islower()]
    wanted = _TYPES.get(match["type"], ())
    for pointer, value in _below(layer.kustomization.value, names, ()):
        children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for where, one in ((pointer, value), *(((*pointer, key), child) for key, child in children)):
            if isinstance(one, wanted) and (bool in wanted or not isinstance(one, bool)):
                yield layer.value(where, "").spot()


def _below(value: Any, names: list[str], pointer: Pointer) -> Iterator[tuple[Pointer, Any]]:
    """Yield the values below nested fields, in each element of the lists on the way."""
    if not names:
        yield pointer, value
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _below(one, names, (*pointer, index))
    elif isinstance(value, dict) and names[0] in value:
        yield from _below(value[names[0]], names[1:], (*pointer, names[0]))


def _unknown_field(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
    todo: list[tuple[Pointer, Any]] = [((), layer.kustomization.value)]
    while todo:
        pointer, value = todo.pop(0)
        if isinstance(value, dict) and match["name"] in value:
            yield layer.value((*pointer, match["name"]), "").spot("key")
        children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        todo += [((*pointer, key), child) for key, child in children]


def _without(keys: tuple[str, ...], *fields: str) -> _Finder:
    """Return a finder of list entries that have none of the keys."""

    def finder(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:  # noqa: ARG001 - one form for all
        for field in fields:
            for index, entry in enumerate(layer.kustomization.entries(field)):
                if isinstance(entry, dict) and not any(entry.get(key) for key in keys):
                    yield layer.value((field, index), "").spot()

    return finder


def _named(field: str, key: str = "name") -> _Finder:
    """Return a finder of the list entry that the error names."""

    def finder(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
        for index, entry in enumerate(layer.kustomization.entries(field)):
            if isinstance(entry, dict) and (entry.get(key) or "") == match["name"]:
                yield layer.value((field, index, key) if key in entry else (field, index), "").spot()

    return finder


def _replacement(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
    """Yield the entry of `replacements`, or the path in it, that selects nothing."""
    for index, entry in enumerate(layer.kustomization.entries("replacements")):
        if not isinstance(entry, dict):
            continue
        source = entry.get("source")
        named = match.groupdict()
        for pointer, value in _scalars(entry):
            if named.get("field") is not None and value == named["field"]:
                yield layer.value(("replacements", index, *pointer), "").spot()
        if named.get("name") is not None and isinstance(source, dict) and source.get("name", "") == named["name"]:
            yield layer.value(("replacements", index, "source"), "").spot()


def _plugin(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
    for field in _PLUGINS:
        for index, entry in enumerate(layer.kustomization.entries(field)):
            held = (layer.inline if "\n" in entry else layer.documents) if isinstance(entry, str) else None
            if held == layer.documents:
                values = layer.documents(entry, "")
            elif held is not None:
                values = layer.inline(entry, (field, index), "")
            else:
                continue
            for value, writer in values:
                if isinstance(value, dict) and value.get("kind") == match["kind"]:
                    yield writer.child("kind").spot()


def _key(*names: str) -> _Finder:
    """Return a finder of a top-level field of the kustomization."""

    def finder(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:  # noqa: ARG001 - one form for all
        for name in names:
            if name in layer.kustomization.value:
                yield layer.value((name,), "").spot()

    return finder


def _twice(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
    """Yield the last entry of `resources` that adds an object that exists already."""
    for field in ("resources", "bases"):
        for index, entry in reversed(list(enumerate(layer.kustomization.entries(field)))):
            for value, _ in layer.documents(entry, "") if isinstance(entry, str) else ():
                meta = value.get("metadata") if isinstance(value, dict) else None
                name = meta.get("name") if isinstance(meta, dict) else None
                if isinstance(value, dict) and (value.get("kind"), name) == (match["kind"], match["name"]):
                    yield layer.value((field, index), "").spot()
        if layer.kustomization.entries(field):
            yield layer.value((field, len(layer.kustomization.entries(field)) - 1), "").spot()


def _incomplete(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
    """Yield a document without the fields that identify an object."""
    steps = match["field"].split(".")
    for value, writer in layer.documents(match["file"], ""):
        found = value
        for step in steps:
            found = found.get(step) if isinstance(found, dict) else None
        if not found:
            yield replace(writer, pointer=(*writer.pointer, *steps)).spot("key")


def _value_of_another_type(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
    """Yield texts of a generator or a patch that replace a number or a boolean."""
    for field in _GENERATORS:
        for index, entry in enumerate(layer.kustomization.entries(field)):
            for _, value, writer in entries_of(layer, entry, (field, index)) if isinstance(entry, dict) else ():
                if value == match["value"]:
                    yield writer.spot()
    for _, _, values in patches_of(layer):
        for value, writer in values:
            for pointer, text in _scalars(value):
                if text == match["value"]:
                    yield replace(writer, pointer=(*writer.pointer, *pointer)).spot()


def _component(layer: Layer, match: re.Match[str]) -> Iterator[Spot]:
    for index, entry in enumerate(layer.kustomization.entries("components")):
        if isinstance(entry, str) and (layer.target(entry) or ".") == match["path"].strip("/"):
            yield layer.value(("components", index), "").spot()


def _scalars(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, str]]:
    if isinstance(value, str):
        yield pointer, value
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _scalars(child, (*pointer, key))


def _is_quoted(value: str, text: str) -> bool:
    """Whether a message quotes a text as a whole word."""
    return re.search(rf"(?<![\w./-]){re.escape(value)}(?![\w/-])", text) is not None


_FINDERS: tuple[tuple[re.Pattern[str], _Finder], ...] = tuple(
    (re.compile(pattern), finder)
    for pattern, finder in (
        (r"cannot unmarshal (?P<type>\w+) into Go struct field (?P<path>[\w.]+) of type", _mistyped),
        (r'unknown field "(?P<name>[^"]+)"', _unknown_field),
        (r"must specify a target for JSON patch", patch_without_target),
        (r"must specify one of patch and path", _without(("patch", "path"), "patches", "patchesJson6902")),
        (r"patch and path can't be set at the same time", patch_of_both),
        (r'unable to parse SM or JSON patch from \[(?:path: "(?P<path>[^"]*)"|patch)', patch_of_nothing),
        (r"""doc is missing path: "?(?P<path>/[^\s:"]*)""", patch_operation),
        (r"in remove for path: '(?P<path>[^']*)'", patch_operation),
        (r"testing value (?P<path>/\S*) failed", patch_operation),
        (r"Unexpected kind: (?P<op>\S+)", patch_operation),
        (r"resource with name (?P<name>\S*) does not match a config", _named("replicas")),
        (r"a configmap must have a name", _without(("name",), "configMapGenerator")),
        (r"a secret must have a name", _without(("name",), "secretGenerator")),
        (_NOT_THERE.format(kind="ConfigMap"), _named("configMapGenerator")),
        (_NOT_THERE.format(kind="Secret"), _named("secretGenerator")),
        (r"nothing selected by [^/\s]*/(?P<name>[^.\s]*)\.", _replacement),
        (r'unable to find field "(?P<field>[^"]+)" in replacement target', _replacement),
        (r"fieldPath `(?P<field>[^`]+)` is missing for replacement source", _replacement),
        (r"var '\{(?P<name>\S+) ", _named("vars")),
        (r"unable to load builtin (?P<kind>\w+)\.", _plugin),
        (r"error parsing regexp|unable to parse requirement", patch_target),
        (r"already registered id: (?P<kind>\w+)\.[^/\s]*/(?P<name>[^.\s]+)", _twice),
        (r"expected kind 'Component' for path '(?P<path>[^']*)'", _component),
        (r"from '(?P<file>[^']+)': missing (?P<field>metadata\.name|kind|apiVersion) in object", _incomplete),
        (r"cannot decode !!str `(?P<value>[^`]*)` as", _value_of_another_type),
        (r"apiVersion for Kustomization should be", _key("apiVersion")),
        (r"kind should be Kustomization", _key("kind")),
    )
)
