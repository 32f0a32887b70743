"""The values that a chart is rendered with: merged as Helm merges them, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from kubelint_gpu.documents import Document, Pointer, Reading, Role, read, value_at
from kubelint_gpu.documents.document import with_value
from kubelint_gpu.documents.emitter import block_lines
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.helm.given_values import GivenValues
from kubelint_gpu.sources.kustomize.accumulation.traced import DocumentScript, InlineScript
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.values import Value

STEPS = pattern(r"(?<!\\)\.")
ABSENT = object()
"""Stands in place of a value that is not there."""
RENAMED = object()
"""In place of another value: the key of the value gets another name."""
Setting = tuple[Pointer, Any]
"""A value to set, with its pointer."""

_LONGEST_TEXT = 20_000
MOST_VALUES = 20_000
"""Values of one chart that are looked at."""


class ValuesPart(Value, eq=False):
    """Values from one source.

    Attributes:
        value: the values.
        places: where single values stand in `script`, by pointer; None if all stand in order below `base`.
        prefix: the pointer of these values among those of the chart; empty except for subcharts.
        flag: the flag of Helm that sets a single value, as it is given; empty otherwise.
        spot_of_flag: where that flag is written, if that is known.
    """

    path: str
    value: dict[str, Any]
    script: DocumentScript | InlineScript | None = None
    base: Pointer = ()
    places: dict[Pointer, Pointer] | None = None
    prefix: tuple[str, ...] = ()
    flag: str = ""
    spot_of_flag: Spot | None = None

    def spot(self, pointer: Pointer, role: Role) -> Spot | None:
        """Return where a value stands; None if it is absent, or its place is unknown."""
        inner = self.inner(pointer)
        if inner is None or self.script is None:
            return self.spot_of_flag
        if self.places is not None:
            return self.script.spot((*self.base, *self.places[inner]), "value") if inner in self.places else None
        script, where = self.script_of(inner)
        return script.spot(where, role) if script is not None else None

    def script_of(self, inner: Pointer, *, into: bool = False) -> tuple[DocumentScript | InlineScript | None, Pointer]:
        """The text in which one of these values stands, and its place there: the text may be a value itself."""
        held = text_at(self.value, inner, into=into)
        if held is None:
            return self.script, (*self.base, *inner)
        text, document, rest = held
        if isinstance(self.script, DocumentScript):
            return InlineScript(self.script.document, (*self.base, *text), document), rest
        return self.script, (*self.base, *text)

    def inner(self, pointer: Pointer) -> Pointer | None:
        """Return the pointer within this source of a value of the chart; None if this source does not set it."""
        size = len(self.prefix)
        inner = pointer[size:]
        return inner if inner and pointer[:size] == self.prefix and _present(self.value, inner) else None


def values_of_file(reading: Reading, prefix: tuple[str, ...] = ()) -> ValuesPart:
    """Return the values of a file; `prefix` is their pointer among the values of the chart."""
    document = next((one for one in reading.documents if isinstance(one.value, dict)), None)
    if document is None:
        return ValuesPart(reading.path, {}, prefix=prefix)
    return ValuesPart(reading.path, document.value, DocumentScript(document), prefix=prefix)


def values_of_object(reading: Reading, given: GivenValues) -> ValuesPart:
    """Return the values that an object holds; none if it no longer holds them."""
    document = reading.documents[given.document] if given.document < len(reading.documents) else None
    value = value_at(document.value, given.pointer) if document is not None else None
    if document is not None and given.form == "mapping" and isinstance(value, dict):
        return ValuesPart(reading.path, value, DocumentScript(document), given.pointer)
    if document is not None and given.form == "text" and isinstance(value, str):
        text = next((one for one in read(reading.path, value.encode(errors="replace")).documents), None)
        if text is not None and isinstance(text.value, dict):
            return ValuesPart(reading.path, text.value, InlineScript(document, given.pointer, text))
    if document is not None and given.form == "parameters" and isinstance(value, list):
        found, places = _parameters(value)
        return ValuesPart(reading.path, found, DocumentScript(document), given.pointer, places)
    return ValuesPart(reading.path, {})


def _parameters(entries: list[Any]) -> tuple[dict[str, Any], dict[Pointer, Pointer]]:
    """Return the values that a list of parameters sets, and where each stands in the list."""
    found: dict[str, Any] = {}
    places: dict[Pointer, Pointer] = {}
    for index, entry in enumerate(entries):
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or "[" in name:
            continue
        text = str(entry.get("value", ""))
        document = next((one for one in read("", text.encode(errors="replace")).documents), None)
        plain = document.value if document is not None and not isinstance(document.value, dict | list) else text
        pointer = tuple(step.replace("\\.", ".") for step in STEPS().split(name))
        found = _merged(found, overlay(found, pointer, text if entry.get("forceString") is True else plain))
        places[pointer] = (index, "value")
    return found, places


class ChartValues:
    """Values from several sources, in increasing precedence."""

    def __init__(self, parts: Sequence[ValuesPart]) -> None:
        self._parts = tuple(parts)
        self._yaml: dict[str, Document | None] = {}
        self._below: dict[Pointer, list[tuple[Pointer, Any]]] = {}
        self._in_texts: dict[Pointer, dict[tuple[Pointer, str | None], list[Pointer]]] = {}
        self.merged: dict[str, Any] = {}
        self.flagged: dict[str, Any] = {}
        """The values of flags alone."""
        for part in self._parts:
            self.merged = _merged(self.merged, _below(part.prefix, part.value))
            self.flagged = _merged(self.flagged, part.value if part.flag else {})

    def spot(self, pointer: Pointer, role: Role = "value") -> Spot | None:
        """Return where a value is set: by the last source that sets it; None if none does."""
        part = self._last(pointer)
        return part.spot(pointer, role) if part is not None else None

    def flag(self, pointer: Pointer) -> str:
        """Return the flag that sets a value last; empty if a text sets it."""
        part = self._last(pointer)
        return part.flag if part is not None else ""

    def written(self, pointer: Pointer) -> tuple[ValuesPart, Pointer] | None:
        """Return the source that sets a value last, and the pointer of the value in it; None if no source sets it.

        The empty pointer gives the source with the highest precedence.
        """
        if not pointer:
            texts = [one for one in self._parts if one.script is not None and not one.prefix]
            return (texts[-1], ()) if texts else None
        part = self._last(pointer)
        inner = part.inner(pointer) if part is not None else None
        return (part, inner) if part is not None and inner is not None else None

    def _last(self, pointer: Pointer) -> ValuesPart | None:
        return next((one for one in reversed(self._parts) if one.inner(pointer) is not None), None)

    def below(self, pointer: Pointer) -> Sequence[tuple[Pointer, Any]]:
        """Return the value at a pointer and all values below it, each with its own pointer."""
        if pointer not in self._below:
            self._below[pointer] = list(islice(_nodes(value_at(self.merged, pointer), pointer), MOST_VALUES))
        return self._below[pointer]

    def in_texts(self, name: Pointer, field: Pointer, value: Any) -> Iterator[Pointer]:
        """Yield places in texts of YAML below a pointer at which a field may stand, those with its value first.

        A place within a text has the same last steps as the field.
        """
        places = self._places_in_texts(name)
        for known in (str(value), None):
            for start in range(len(field) + 1):
                yield from places.get((field[start:], known), ())

    def _places_in_texts(self, name: Pointer) -> Mapping[tuple[Pointer, str | None], Sequence[Pointer]]:
        """Return where texts below a pointer have a place, by this place and its value, and by the place alone."""
        if name not in self._in_texts:
            found = self._in_texts[name] = {}
            for one, text in self.below(name):
                held = self._held(text) if isinstance(text, str) else None
                for inner, known in _nodes(held.value, ()) if held is not None else ():
                    for key in ((inner, str(known)), (inner, None)):
                        found.setdefault(key, []).append((*one, *inner))
        return self._in_texts[name]

    def _held(self, text: str) -> Document | None:
        if text not in self._yaml:
            self._yaml[text] = yaml_in(text)
        return self._yaml[text]

    def value(self, pointer: Pointer) -> Any:
        """Return the value at a pointer, which may lead to or into a text that holds YAML; None if nothing sets it."""
        held = text_at(self.merged, pointer, self._held, into=True)
        return value_at(self.merged, pointer) if held is None else value_at(held[1].value, held[2])

    def present(self, pointer: Pointer) -> bool:
        """Whether any source sets a value."""
        return _present(self.merged, pointer)


def overlay(merged: Mapping[str, Any], pointer: Pointer, value: Any) -> dict[str, Any]:
    """Return the first step of a pointer with all that `merged` has below it, and one value set."""
    first, rest = str(pointer[0]), pointer[1:]
    return {first: _set(merged.get(first), rest, value)}


def overlays(values: ChartValues, further: Sequence[Setting]) -> dict[str, Any]:
    """Return the values of flags with `further` values set one after the other, as `overlay` does it."""
    whole, found = values.merged, values.flagged
    for pointer, value in further:
        one = overlay(whole, pointer, value)
        whole, found = _merged(whole, one), _merged(found, one)
    return found


def _set(base: Any, pointer: Pointer, value: Any) -> Any:
    """Return a value with one of its values set; nothing is merged. A text of YAML stays a text."""
    held = text_at(base, pointer, into=isinstance(value, dict | list))
    if held is not None and not held[0]:
        return "\n".join(block_lines(with_value(held[1].value, pointer, value)))
    if not pointer:
        return value
    step, rest = pointer[0], pointer[1:]
    if isinstance(base, list) and isinstance(step, int):
        return [_set(one, rest, value) if index == step else one for index, one in enumerate(base)]
    known = base if isinstance(base, dict) else {}
    if value is RENAMED and not rest:
        return {**known, step: None, f"{step}x": known.get(step)}
    return {**known, step: _set(known.get(step), rest, value)}


def _below(prefix: tuple[str, ...], value: Any) -> dict[str, Any]:
    for step in reversed(prefix):
        value = {step: value}
    return value if isinstance(value, dict) else {}


def _merged(base: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    found = dict(base)
    for key, value in above.items():
        known = found.get(key)
        found[key] = _merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return found


def value_or_absent(value: Any, pointer: Pointer) -> Any:
    """Return the value at a pointer, even null; `ABSENT` if there is none."""
    for step in pointer:
        if isinstance(value, list):
            known = isinstance(step, int) and step < len(value)
        else:
            known = isinstance(value, dict) and step in value
        if not known:
            return ABSENT
        value = value[step]
    return value


def items(value: Any) -> Iterable[tuple[str | int, Any]]:
    """Return the entries of a mapping or list, each with its step; none of another value."""
    return value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()


def _nodes(value: Any, pointer: Pointer) -> Iterator[tuple[Pointer, Any]]:
    """Yield a value and all values within it, each with its own pointer."""
    todo: list[tuple[Pointer, Any]] = [(pointer, value)]
    while todo:
        place, one = todo.pop()
        yield place, one
        todo += reversed([((*place, step), known) for step, known in items(one)])


def text_at(
    value: Any, pointer: Pointer, held: Callable[[str], Document | None] | None = None, *, into: bool = False
) -> tuple[Pointer, Document, Pointer] | None:
    """Return the text of YAML that a pointer leads into: its place, its contents, and the rest of the pointer.

    With `into`, a pointer to a text leads to what it holds.
    """
    for size in range(len(pointer) + into):
        if isinstance(value, str):
            document = (held or yaml_in)(value)
            return (pointer[:size], document, pointer[size:]) if document is not None else None
        value = value_at(value, pointer[size : size + 1])
    return None


def yaml_in(text: str) -> Document | None:
    """Return the mapping or list in a text of several lines; None if there is none, or the text is too long."""
    if "\n" not in text or len(text) > _LONGEST_TEXT:
        return None
    found = read("", text.encode(errors="replace")).documents
    return next((one for one in found if isinstance(one.value, dict | list)), None)


def _present(value: Any, pointer: Pointer) -> bool:
    held = text_at(value, pointer)
    return value_or_absent(value, pointer) is not ABSENT if held is None else held[1].present(held[2])
