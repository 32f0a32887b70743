"""Translates a change of a rendered chart into edits of its values.

The values stand in files, in objects, in texts of objects, or in lists of parameters. Templates are not edited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, product
from typing import Any, TypeVar

from kubelint_gpu.documents import Document, Item, Pointer, Reading, emitter, encode, value_at
from kubelint_gpu.documents.editing import Edit, append, apply, remove_key, replace_scalar, set_key
from kubelint_gpu.documents.inline_text import edit_within
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.documents.moves import remove_entry
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.helm.chart_origin import ChartOrigin
from kubelint_gpu.sources.helm.chart_render import RenderedChart, chart_values
from kubelint_gpu.sources.helm.chart_values import ABSENT, ChartValues, ValuesPart
from kubelint_gpu.sources.kustomize.accumulation.traced import DocumentScript, InlineScript

_MOST_TRIED = 10
_MOST_COMBINED = 100
_MOST_LEVELS = 3
Choice = tuple[Edit, ...]
_Made = TypeVar("_Made", Edit, Choice)
_BY_HAND = "the value that decides it stands in a text that is not edited"
_NOTHING = "no single value of the chart was found that sets it so: change the template"

_NAME = pattern(r"[\w./\\-]+")
_TEXT = pattern(r"[\w.:/ =-]*")
"""Text without special meaning in `--set` of Helm, unlike commas, braces and backslashes."""
_NO_PARAMETER = "a parameter cannot set it"
Change = tuple[Pointer, Any, Any]
"""A field, its old and its new value."""


def value_edits(chart: RenderedChart, before: Reading, after: Reading) -> list[Edit]:
    """Return edits of values with which Helm renders the chart to the text of `after`.

    Raises:
        NotEditable: there are no such edits.
    """
    if len(before.documents) != len(after.documents):
        raise NotEditable("an object comes or goes")
    values = chart_values(chart)
    choices: list[list[Choice]] = []
    lines: list[str] = []
    for document, other, origin in zip(before.documents, after.documents, chart.origins, strict=True):
        differing = list(changes(document.value, other.value))
        for change in differing:
            if origin is None:
                raise NotEditable(_NOTHING)
            former = former_of(change, differing)
            options = list(_renamed(origin, values, former, change)) if former is not None else []
            options += ((edit,) for edit in _choices(origin, values, change, other.value))
            by_hand = not options and origin.found(change[0]).values is not None
            lines.insert(len(lines) if options else 0, _BY_HAND if by_hand else _nothing(origin, change[0]))
            choices.append(list(dict.fromkeys(options)))
    for edits in _combined(choices):
        if _renders_to(chart, edits, after):
            return list(edits)
    raise NotEditable(lines[0] if lines else _NOTHING)


def _nothing(origin: ChartOrigin, pointer: Pointer) -> str:
    """Return the sentence for a field that no value sets, with the line of its template if it is known."""
    template = origin.template(pointer)
    return _NOTHING if template == origin.top else f"{_NOTHING} at {template.path}:{template.span.line}"


def _combined(choices: Sequence[Sequence[Choice]]) -> Iterator[Choice]:
    """Return edits: first each choice alone, those of most changes first, then one choice for each change.

    A change without a choice may follow from that of another one.
    """
    alone = ((one,) for one, _ in Counter(chain(*choices)).most_common())
    combined = islice(chain(alone, product(*(every for every in choices if every))), _MOST_COMBINED)
    return islice(filter(None, dict.fromkeys(tuple(dict.fromkeys(chain(*chosen))) for chosen in combined)), _MOST_TRIED)


def _renders_to(chart: RenderedChart, edits: Sequence[Edit], after: Reading) -> bool:
    texts: dict[str, bytes] = {}
    for source in {reading.path: reading.source for reading in chart.sources}.values():
        mine = [edit for edit in edits if source is not None and edit.path == source.path]
        if source is not None and mine:
            try:
                texts[source.path] = encode(source, apply(source, mine))
            except NotEditable:
                return False
    changed = chart.again(texts).reading
    if changed is None or len(changed.documents) != len(after.documents):
        return False
    pairs = zip(changed.documents, after.documents, strict=True)
    differing = (change for one, other in pairs for change in changes(one.value, other.value))
    # a field that is null is as one that is absent
    return all(value is None or value is ABSENT for _, *both in differing for value in both)


def _renamed(origin: ChartOrigin, values: ChartValues, former: Change, change: Change) -> Iterator[Choice]:
    """Yield edits that write another key and value over a former entry."""
    where = origin.found(former[0], "value").values
    if where is not None and where[-1] == former[0][-1]:
        key, value = str(change[0][-1]), change[2]
        yield from _allowed(lambda part, place: renamed(part, place, key, value), values.written(where))


def _choices(origin: ChartOrigin, values: ChartValues, change: Change, after: Any) -> Iterator[Edit]:
    """Yield edits of values that might make a change, the most likely first; `after` is the wanted object."""
    pointer, old, new = change
    where = origin.found(pointer, "value").values
    if where is None and old is ABSENT:
        # a template that prints a whole mapping also prints its new keys
        home = origin.found(pointer[:-1], "key").values
        yield from _tried(values, home, str(pointer[-1]), new) if home is not None and pointer else ()
    if where is None:
        return
    known = values.value(where) if values.present(where) else None
    if isinstance(known, bool) and not isinstance(new, bool):
        yield from _tried(values, where[:-1], where[-1], not known)
    elif old is ABSENT:
        tried = [(where[:-1], where[-1]), *([(where, str(pointer[-1]))] if isinstance(known, dict) else ())]
        for home, key in reversed(tried) if pointer[-1] != where[-1] else tried:
            yield from _tried(values, home, key, new)
    elif new is ABSENT:
        yield from _allowed(without, values.written(where))
    elif isinstance(new, dict | list) or isinstance(known, dict | list) or known is None:
        yield from _tried(values, where[:-1], where[-1], new)
    else:
        yield from _scalar(values, where, new)
    for one in origin.compared(pointer, known):
        yield from _scalar(values, where, one)
    # a value in place of what the template would print without it gives a whole mapping
    for size in range(len(pointer) - 1, max(len(pointer) - 1 - _MOST_LEVELS, 0), -1):
        wanted = value_at(after, pointer[:size])
        if where[-1] == pointer[size - 1] and isinstance(wanted, dict):
            yield from _tried(values, where[:-1], where[-1], wanted)


def _tried(values: ChartValues, home: Pointer, key: str | int, new: Any) -> Iterator[Edit]:
    """Yield an edit that sets a key of a mapping, in the text that overrides the others."""
    written = values.written((*home, key))
    if isinstance(key, int):
        yield from _scalar(values, (*home, key), new)
    elif written is not None:
        yield from _allowed(lambda part, where: with_key(part, where[:-1], key, new), written)
    elif (written := values.written(home)) is not None:
        yield from _allowed(lambda part, where: with_key(part, where, key, new), written)
    elif home:
        yield from _tried(values, home[:-1], home[-1], {key: new})


def _scalar(values: ChartValues, pointer: Pointer, new: Any) -> Iterator[Edit]:
    """Yield an edit that overwrites a scalar where it is set."""
    yield from _allowed(lambda part, where: with_scalar(part, where, new), values.written(pointer))


def _allowed(
    edit: Callable[[ValuesPart, Pointer], _Made], written: tuple[ValuesPart, Pointer] | None
) -> Iterator[_Made]:
    """Yield the edit, or the edits, if the text allows it."""
    if written is None:
        return
    try:
        yield edit(*written)
    except NotEditable:
        return


def with_key(part: ValuesPart, home: Pointer, key: str, value: Any) -> Edit:
    """Return an edit that sets a key of a mapping of values, present or not.

    Raises:
        NotEditable: the text does not allow it.
    """
    if part.places is None:
        script, where = part.script_of((*home, key), into=isinstance(value, dict | list))
        return made_in(script, lambda item: _set(item, where, value))
    if part.inner((*part.prefix, *home, key)) is not None:
        return with_scalar(part, (*home, key), value)
    entries = [{"name": name, "value": text} for name, text in _parameters((*home, key), value)]
    return made_in(part.script, lambda item: append(item, part.base, entries))


def with_scalar(part: ValuesPart, pointer: Pointer, value: Any) -> Edit:
    """Return an edit that overwrites a scalar. Raises NotEditable if the text does not allow it."""
    if part.places is None:
        return _edit(part, pointer, lambda item, where: replace_scalar(item, where, emitter.scalar_text(value)))
    if pointer not in part.places:
        raise NotEditable(_NO_PARAMETER)
    place, text = (*part.base, *part.places[pointer]), _text(value)
    return made_in(part.script, lambda item: replace_scalar(item, place, emitter.scalar_text(text)))


def renamed(part: ValuesPart, pointer: Pointer, key: str, value: Any) -> tuple[Edit, Edit]:
    """Return edits that overwrite a key and its scalar. Raises NotEditable if the text does not allow it."""
    scalar = with_scalar(part, pointer, value)
    if part.places is None:
        text = emitter.scalar_text(key)
        path = part.path
        return _edit(part, pointer, lambda item, where: Edit(path, item.locate(where, "key"), text)), scalar
    ((name, _),) = _parameters((*pointer[:-1], key), value)
    place, text = (*part.base, *part.places[pointer][:-1], "name"), emitter.scalar_text(name)
    return made_in(part.script, lambda item: replace_scalar(item, place, text)), scalar


def without(part: ValuesPart, pointer: Pointer) -> Edit:
    """Return an edit that removes a value. Raises NotEditable if the text does not allow it."""
    if part.places is None:
        return _edit(part, pointer, remove_key)
    if pointer not in part.places:
        raise NotEditable(_NO_PARAMETER)
    entry = (*part.base, *part.places[pointer][:-1])
    return made_in(part.script, lambda item: remove_entry(item, entry))


def _edit(part: ValuesPart, pointer: Pointer, made: Callable[[Item, Pointer], Edit]) -> Edit:
    script, where = part.script_of(pointer)
    return made_in(script, lambda item: made(item, where))


def made_in(script: DocumentScript | InlineScript | None, made: Callable[[Item], Edit]) -> Edit:
    """Return an edit of a document; for a document inside a text value, an edit of the outer document.

    Raises:
        NotEditable: the text does not allow it, or there is no text.
    """
    if script is None:
        raise NotEditable("it stands in no text")
    if isinstance(script, InlineScript):
        edit = made(_item(script.inner))
        return edit_within(script.outer, script.pointer, script.inner.source, edit)
    return made(_item(script.document))


def _set(item: Item, pointer: Pointer, value: Any) -> Edit:
    """Return an edit that sets a key. A list that only grows gets the new items appended."""
    known = value_at(item.value, pointer)
    if isinstance(known, list) and isinstance(value, list) and known and known == value[: len(known)]:
        return append(item, pointer, value[len(known) :])
    if not pointer:
        raise NotEditable("the whole text changes")
    return set_key(item, pointer[:-1], str(pointer[-1]), value)


def _item(document: Document) -> Item:
    return Item(document, (), document.value)


def _parameters(pointer: Pointer, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the parameters that set a value, each with its name and text.

    Raises:
        NotEditable: parameters cannot set it.
    """
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _parameters((*pointer, key), inner)
        return
    name = ".".join(str(step).replace(".", "\\.") for step in pointer)
    if not _NAME().fullmatch(name) or any(isinstance(step, int) for step in pointer):
        raise NotEditable(_NO_PARAMETER)
    yield name, _text(value)


def _text(value: Any) -> str:
    """Return a scalar in the form for `--set` of Helm. Raises NotEditable if parameters cannot set it."""
    single = value if isinstance(value, str) else emitter.flow_text(value)
    if not isinstance(value, str | int) or not _TEXT().fullmatch(single):
        raise NotEditable(_NO_PARAMETER)
    return single


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
