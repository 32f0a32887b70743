"""Traces the fields of a rendered object to where they were written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from kubelint_gpu.documents import Pointer, Role
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.strategic_merge import element_of, merge_key
from kubelint_gpu.sources.kustomize.accumulation.traced import DocumentScript, FieldWriter, InlineScript, Traced
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.values import Value

_MOST_TEXT = 60
_THROUGH = {"namePrefix": "this prefix is put before it", "nameSuffix": "this suffix is put behind it"}


class Answer(Value, eq=False):
    """The origin of one field.

    Attributes:
        spot: where the field was set last, or where its object stands.
        certain: whether the value there equals the rendered one.
        writer: the last writer; None if the object itself is unknown.
        before: the earlier writers, the oldest first, each with its value.
        pointer: the field of the rendered object; for an absent field its nearest present ancestor.
    """

    spot: Spot
    certain: bool
    writer: FieldWriter | None = None
    before: tuple[tuple[FieldWriter, Any], ...] = ()
    pointer: Pointer = ()


class Removal(Value, eq=False):
    """Entries that one line removed from a mapping or list of a rendered object, and that did not come back.

    Attributes:
        pointer: the mapping or list.
        writer: the writer that removed the entries.
        entries: the removed entries, each with its key; None for elements of a list.
    """

    pointer: Pointer
    writer: FieldWriter
    entries: tuple[tuple[str | None, Any], ...]


class Origin:
    """One rendered object, and the traced object behind it.

    Answers are remembered, so that a place can be traced back to its writers.
    """

    def __init__(
        self,
        value: dict[str, Any],
        traceable: Traceable | None,
        fallback: FieldWriter,
        path: str,
        renamed: dict[str, set[str]],
    ) -> None:
        self.path = path
        self.namespace = ""
        self.renamed = renamed
        self.top = fallback.spot()
        self.value = value
        self.traceable = traceable
        self.fallback = fallback
        self._asked: dict[tuple[str, int, int], Answer] = {}

    def answer(self, pointer: Pointer, role: Role = "value") -> Answer:
        """Return the origin of a field; an absent field stands at the key of its nearest present ancestor."""
        found = self._answer(pointer, role)
        spot = found.spot
        self._asked.setdefault((spot.path, spot.span.start, spot.span.end), found)
        return found

    def spot(self, pointer: Pointer, role: Role = "value") -> Spot:
        """Return where a field was set last; an absent field stands at the key of its nearest present ancestor."""
        return self.answer(pointer, role).spot

    def told(self, path: str, line: int, column: int) -> tuple[bool, tuple[tuple[Spot, str], ...]]:
        """Return, for a place returned before, whether it is certain, and the earlier writers with their values."""
        answer = self.behind(path, line, column)
        if answer is None:
            return True, ()
        return answer.certain, tuple(
            (writer.spot(), _through(writer, value) or f"{_shown(value)} here, overridden at {path}:{line}")
            for writer, value in answer.before
        )

    def behind(self, path: str, line: int, column: int) -> Answer | None:
        """Return the answer that led to a place; None if none did."""
        for (known, _, _), answer in self._asked.items():
            if known == path and (answer.spot.span.line, answer.spot.span.column) == (line, column):
                return answer
        return None

    def traced(self, pointer: Pointer) -> Traced | None:
        """Return the traced value of a field; None if the rendered or the traced object lacks it."""
        found, depth, _ = self._descend(pointer)
        return found if depth == len(pointer) else None

    def removals(self) -> Iterator[Removal]:
        """Yield the removed entries, in the order of the rendered text."""
        todo: list[Pointer] = [()]
        while todo:
            pointer = todo.pop()
            traced, depth, value = self._descend(pointer)
            if traced is None or depth < len(pointer):
                continue
            yield from _not_back(pointer, traced, value)
            if traced.children is not None:
                steps = list(value) if isinstance(value, dict) else list(range(len(value)))
                todo += [(*pointer, step) for step in reversed(steps) if isinstance(value[step], dict | list)]

    def _answer(self, pointer: Pointer, role: Role) -> Answer:
        traced, depth, value = self._descend(pointer)
        if traced is None:
            return Answer(self.fallback.spot(), certain=False)
        present = _present(self.value, pointer)
        if depth < len(pointer):
            # absent in the rendered object: the place is where it could be added
            spot = traced.writers[0].spot("key")
            return Answer(spot, certain=depth == present, writer=traced.writers[0], pointer=pointer[:depth])
        if role == "key" or isinstance(value, dict | list):
            writer = _keyed(traced, value) if role == "key" or traced.children is not None else traced.writer
            same = role == "key" or _is_equal(traced.value, value)
            return Answer(writer.spot(role), same, writer, pointer=pointer)
        certain = _is_equal(traced.value, value) or value in self.renamed.get(str(traced.value), ())
        return Answer(traced.writer.spot(role), certain, traced.writer, traced.before, pointer)

    def _descend(self, pointer: Pointer) -> tuple[Traced | None, int, Any]:
        """Return the deepest traced value on the way to a field, its depth, and the rendered value there."""
        traced = self.traceable.traced if self.traceable is not None else None
        value: Any = self.value
        for depth, step in enumerate(pointer):
            if traced is None:
                return None, 0, None
            child: Traced | None = None
            if isinstance(value, dict) and step in value:
                entries = traced.mapping()
                child = entries.get(str(step)) if entries is not None else None
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                child = self._element(traced, value, step, pointer[:depth])
            if child is None:
                return traced, depth, value
            traced, value = child, value[step]
        return traced, len(pointer), value

    def _element(self, traced: Traced, rendered: list[Any], index: int, where: Pointer) -> Traced | None:
        """Return the traced element for a rendered one: matched by key, else by value, else by index."""
        elements = traced.elements()
        if elements is None:
            return None
        one, plain = rendered[index], [element.value for element in elements]
        kind = str(self.value.get("kind"))
        key = merge_key(str(self.value.get("apiVersion", "")), kind, where) or "name"
        if isinstance(one, dict) and key in one:
            known = element_of(plain, key, one[key])
            if known is not None:
                return elements[known]
        if len(plain) == len(rendered) and plain[index] == one:
            return elements[index]
        if one in plain:
            return elements[plain.index(one)]
        return elements[index] if len(plain) == len(rendered) else None


def _not_back(pointer: Pointer, traced: Traced, value: Any) -> Iterator[Removal]:
    """Yield the entries that are missing in the rendered value, grouped by the writer that removed them."""
    by: dict[FieldWriter, list[tuple[str | None, Any]]] = {}
    for gone in traced.gone:
        if isinstance(value, dict):
            away = gone.key is not None and gone.key not in value
        else:
            away = gone.key is None and not any(_same_element(gone.value, one) for one in value)
        if away:
            by.setdefault(gone.writer, []).append((gone.key, gone.value))
    for writer, entries in by.items():
        yield Removal(pointer, writer, tuple(entries))


def _same_element(one: Any, other: Any) -> bool:
    named = isinstance(one, dict) and isinstance(other, dict) and "name" in one
    return bool(one["name"] == other.get("name") if named else one == other)


def _keyed(traced: Traced, value: Any) -> FieldWriter:
    """Return the writer of a key: the first for a mapping or list, else the last writer with a key for the value."""
    if isinstance(value, dict | list):
        return traced.writers[0]
    having = [one for one in traced.writers if isinstance(one.script, DocumentScript | InlineScript) and one.pointer]
    return having[-1] if having else traced.writer


def _present(value: Any, pointer: Pointer) -> int:
    """Return how many steps of a pointer the rendered object has."""
    for depth, step in enumerate(pointer):
        if isinstance(value, list):
            known = isinstance(step, int) and step < len(value)
        else:
            known = isinstance(value, dict) and step in value
        if not known:
            return depth
        value = value[step]
    return len(pointer)


def _is_equal(one: Any, other: Any) -> bool:
    """Whether two values are equal, counting a number given as text as the number."""
    if isinstance(one, dict | list) or isinstance(other, dict | list):
        return bool(one == other)
    return str(one) == str(other)


def origins(
    values: list[Any], objects: Sequence[Traceable], fallback: FieldWriter, path: str
) -> tuple[Origin | None, ...]:
    """Return the origin of each rendered value: the traced object with its kind, name and namespace, or kind and name.

    None for a value that is no mapping. A generated object is matched without its hash suffix.
    """
    known: dict[tuple[Any, ...], deque[Traceable]] = {}
    for one in objects:
        key = (one.kind.api_version, one.kind.kind, one.name, one.namespace)
        for part in (key, key[:3]):
            known.setdefault(part, deque()).append(one)
    used: set[Traceable] = set()
    chosen: list[Traceable | None] = []
    renamed: dict[str, set[str]] = {}
    for value in values:
        tried = _keys(value) if isinstance(value, dict) else ()
        found = next(filter(None, (_first(known.get(key), used, generated) for key, generated in tried)), None)
        chosen.append(found)
        if found is not None:
            used.add(found)
            for name, _ in found.names:
                # a reference by an earlier name is given the last one
                renamed.setdefault(name, set()).add(value["metadata"]["name"])
    return tuple(
        Origin(value, found, fallback, path, renamed) if isinstance(value, dict) else None
        for value, found in zip(values, chosen, strict=True)
    )


def _through(writer: FieldWriter, value: Any) -> str:
    if writer.by in _THROUGH:
        return _THROUGH[writer.by]
    if writer.by == "variable":
        return "the value of this variable is filled in"
    return "copied by this replacement" if writer.by == "replacement" and value is None else ""


def _shown(value: Any) -> str:
    text = "null" if value is None else str(value)
    return text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT] + " …"


def _keys(value: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """Yield keys that may identify a rendered object, the best first, and whether only a generated object may match."""
    meta = value.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    name, kind = str(meta.get("name") or ""), (value.get("apiVersion"), value.get("kind"))
    for space in ((str(meta.get("namespace") or ""),), ()):
        yield (*kind, name, *space), False
        yield (*kind, name.rpartition("-")[0], *space), True


def _first(left: deque[Traceable] | None, used: AbstractSet[Traceable], generated: bool) -> Traceable | None:
    """Return the first unused object; None if there is none."""
    while left and left[0] in used:
        left.popleft()
    return left[0] if left and (left[0].generated or not generated) else None
