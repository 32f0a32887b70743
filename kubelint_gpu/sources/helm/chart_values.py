"""The values that a chart is rendered with: merged as Helm merges them, and where each of them is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubelint_gpu.documents import Document, Pointer, Reading, Role, value_at
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.values import Value

MOST_LEAVES = 20_000
"""Values of one chart that are looked at."""


class ValuesFile(Value, eq=False):
    """A file of values; `prefix` is where its values stand among those of the chart: empty but for subcharts."""

    reading: Reading
    prefix: tuple[str, ...] = ()

    @property
    def document(self) -> Document | None:
        """What it holds; None if it holds nothing that can be read."""
        return next((one for one in self.reading.documents if isinstance(one.value, dict)), None)


class ChartValues:
    """Values of several files, from the defaults to the file that has the last word."""

    def __init__(self, files: Sequence[ValuesFile], further: Sequence[tuple[Pointer, Any]] = ()) -> None:
        self._files = tuple(files)
        self.merged: dict[str, Any] = {}
        for file in self._files:
            document = file.document
            if document is not None:
                self.merged = _merged(self.merged, _below(file.prefix, document.value))
        for pointer, value in further:
            self.merged = _merged(self.merged, overlay(self.merged, pointer, value))

    def spot(self, pointer: Pointer, role: Role = "value") -> Spot | None:
        """Where a value is set: in the last file that sets it; None if none does."""
        for file in reversed(self._files):
            document, prefix = file.document, file.prefix
            if document is None or pointer[: len(prefix)] != prefix:
                continue
            inner = pointer[len(prefix) :]
            if inner and document.present(inner):
                return Spot(document.source.path, document.locate(inner, role))
        return None

    def written(self, pointer: Pointer) -> Document | None:
        """The document in which a value is set last; None if none sets it."""
        spot = self.spot(pointer)
        files = (one.document for one in reversed(self._files))
        return next((one for one in files if spot is not None and one and one.source.path == spot.path), None)

    def prefix_of(self, path: str) -> tuple[str, ...]:
        """Where the values of a file stand among those of the chart."""
        return next((one.prefix for one in self._files if one.reading.path == path), ())

    def leaves(self, pointer: Pointer) -> Iterator[tuple[Pointer, Any]]:
        """The single values below a pointer, each with its own."""
        todo: list[Pointer] = [pointer]
        for _ in range(MOST_LEAVES):
            if not todo:
                return
            one = todo.pop()
            value = value_at(self.merged, one)
            if isinstance(value, dict) and value:
                todo += [(*one, key) for key in reversed(value)]
            elif isinstance(value, list) and value:
                todo += [(*one, index) for index in reversed(range(len(value)))]
            else:
                yield one, value

    def present(self, pointer: Pointer) -> bool:
        """Whether any file sets a value."""
        value: Any = self.merged
        for step in pointer:
            if isinstance(value, list):
                known = isinstance(step, int) and step < len(value)
            else:
                known = isinstance(value, dict) and step in value
            if not known:
                return False
            value = value[step]
        return True


def overlay(merged: Mapping[str, Any], pointer: Pointer, value: Any) -> dict[str, Any]:
    """The values that set one value beside others: maps are merged, a list is replaced as a whole."""
    found = _set(merged, pointer, value)
    return found if isinstance(found, dict) else {}


def _set(base: Any, pointer: Pointer, value: Any) -> Any:
    if not pointer:
        return value
    step, rest = pointer[0], pointer[1:]
    if isinstance(base, list) and isinstance(step, int) and step < len(base):
        return [_whole(one, rest, value) if index == step else one for index, one in enumerate(base)]
    return {step: _set(base.get(step) if isinstance(base, dict) else None, rest, value)}


def _whole(base: Any, pointer: Pointer, value: Any) -> Any:
    """An element of a list with one value set: nothing is merged into it."""
    if not pointer:
        return value
    step, rest = pointer[0], pointer[1:]
    if isinstance(base, list) and isinstance(step, int):
        return [_whole(one, rest, value) if index == step else one for index, one in enumerate(base)]
    known = base if isinstance(base, dict) else {}
    return {**known, step: _whole(known.get(step), rest, value)}


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
