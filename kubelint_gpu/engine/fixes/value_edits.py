"""A change of a rendered chart as changes of its files of values; templates are not edited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Any

from kubelint_gpu.documents import Pointer, Reading, encode
from kubelint_gpu.documents.editing import Edit, apply
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.fixes.values_texts import renamed, with_key, with_scalar, without
from kubelint_gpu.sources.helm.chart_origin import ChartOrigin
from kubelint_gpu.sources.helm.chart_render import RenderedChart, chart_values
from kubelint_gpu.sources.helm.chart_values import ChartValues, ValuesPart

_MOST_TRIED = 6
Choice = tuple[Edit, ...]
_BY_HAND = "the value that decides it stands in a text that is not edited"
_NOTHING = "the chart offers no value for it: change the template"


def value_edits(chart: RenderedChart, before: Reading, after: Reading) -> list[Edit]:
    """The edits of files of values with which a chart renders to what `after` holds, as Helm says.

    Raises:
        NotEditable: there are none.
    """
    if len(before.documents) != len(after.documents):
        raise NotEditable("an object comes or goes")
    values = chart_values(chart)
    choices: list[list[Choice]] = []
    for document, other, origin in zip(before.documents, after.documents, chart.origins, strict=True):
        differing = list(changes(document.value, other.value))
        for change in differing:
            if origin is None:
                raise NotEditable(_NOTHING)
            former = former_of(change, differing)
            found: list[Choice] = [()] if any(former_of(one, differing) is change for one in differing) else []
            found += _renamed(origin, values, former, change) if former is not None else ()
            found += ((edit,) for edit in _choices(origin, values, change))
            if not found:
                raise NotEditable(_NOTHING if origin.found(change[0], "value").values is None else _BY_HAND)
            choices.append(found)
    for chosen in islice(product(*choices), _MOST_TRIED):
        edits = list(dict.fromkeys(edit for choice in chosen for edit in choice))
        if _renders_to(chart, edits, after):
            return edits
    raise NotEditable(_NOTHING)


def _renders_to(chart: RenderedChart, edits: Sequence[Edit], after: Reading) -> bool:
    texts: dict[str, bytes] = {}
    for source in {one.path: one.source for one in chart.sources}.values():
        mine = [edit for edit in edits if source is not None and edit.path == source.path]
        if source is not None and mine:
            try:
                texts[source.path] = encode(source, apply(source, mine))
            except NotEditable:
                return False
    changed = chart.again(texts).reading
    return changed is not None and [one.value for one in changed.documents] == [one.value for one in after.documents]


def _renamed(origin: ChartOrigin, values: ChartValues, former: Change, change: Change) -> Iterator[Choice]:
    """The edits that write another key and value in place of a former one."""
    where = origin.found(former[0], "value").values
    written = values.written(where) if where is not None and where[-1] == former[0][-1] else None
    if written is not None:
        try:
            yield renamed(*written, str(change[0][-1]), change[2])
        except NotEditable:
            return


def _choices(origin: ChartOrigin, values: ChartValues, change: Change) -> Iterator[Edit]:
    """Edits of values that may make a change, the likeliest first."""
    pointer, old, new = change
    where = origin.found(pointer, "value").values
    if where is None and old is ABSENT:
        # a mapping that comes of a value takes further keys
        home = origin.found(pointer[:-1], "key").values
        yield from _tried(values, home, str(pointer[-1]), new) if home is not None and pointer else ()
    if where is None:
        return
    known = values.value(where) if values.present(where) else None
    if old is ABSENT:
        if isinstance(known, dict) and pointer[-1] != where[-1]:
            yield from _tried(values, where, str(pointer[-1]), new)
        yield from _tried(values, where[:-1], str(where[-1]), new)
        if isinstance(known, dict):
            yield from _tried(values, where, str(pointer[-1]), new)
    elif new is ABSENT:
        yield from _allowed(without, values.written(where))
    elif isinstance(new, dict | list) or isinstance(known, dict | list):
        yield from _tried(values, where[:-1], str(where[-1]), new)
    else:
        yield from _allowed(lambda part, place: with_scalar(part, place, new), values.written(where))


def _tried(values: ChartValues, home: Pointer, key: str, new: Any) -> Iterator[Edit]:
    """A key of a mapping with another value, in the text that has the last word."""
    written = values.written((*home, key))
    if written is not None:
        yield from _allowed(lambda part, where: with_key(part, where[:-1], key, new), written)
    elif (written := values.written(home)) is not None:
        yield from _allowed(lambda part, where: with_key(part, where, key, new), written)


def _allowed(edit: Callable[[ValuesPart, Pointer], Edit], written: tuple[ValuesPart, Pointer] | None) -> Iterator[Edit]:
    """An edit, if the text allows it."""
    if written is None:
        return
    try:
        yield edit(*written)
    except NotEditable:
        return


ABSENT = object()
"""Stands in place of a value that is not there."""

Change = tuple[Pointer, Any, Any]
"""A field, its old and its new value."""


def changes(old: Any, new: Any, pointer: Pointer = ()) -> Iterator[Change]:
    """The smallest values that differ, each with the old and the new one."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from changes(old.get(key, ABSENT), new.get(key, ABSENT), (*pointer, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from changes(one, other, (*pointer, index))
    elif type(old) is not type(new) or old != new:
        yield pointer, old, new


def former_of(change: Change, differing: Sequence[Change]) -> Change | None:
    """The entry in whose place a new one comes: the only one that goes from the same mapping, where one comes."""
    home = change[0][:-1]
    gone = [one for one in differing if one[0][:-1] == home and one[2] is ABSENT]
    come = [one for one in differing if one[0][:-1] == home and one[1] is ABSENT]
    scalars = not any(isinstance(value, dict | list) for one in (*gone, *come) for value in one[1:])
    return gone[0] if len(gone) == len(come) == 1 and come[0] is change and scalars else None
