"""A change of a rendered text as changes of the sources it was made of.

What a proposal changes in the rendered object is looked for where it was written: the last writer of a value, the
resource for a new field. Where that is not one piece of text that can be edited, there is no such change.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from kubelint_gpu.documents import Item, Pointer, Reading, emitter, encode, read
from kubelint_gpu.documents.editing import Edit, apply, remove_key, replace_scalar, set_key
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.fixes.value_edits import ABSENT, Change, changes, former_of, value_edits
from kubelint_gpu.sources.helm.chart_render import RenderedChart
from kubelint_gpu.sources.kustomize.accumulation.traced import DocumentScript, EntryScript, FieldWriter, Traced
from kubelint_gpu.sources.kustomize.origin import Origin
from kubelint_gpu.sources.kustomize.rendering import Rendered, traced_again
from kubelint_gpu.sources.render import Rendition
from kubelint_gpu.workspace.apply_set import ApplySet

_WHOLE = ("replicas",)


def source_edits(unit: ApplySet, changed: ApplySet) -> list[Edit]:
    """The edits of sources after which the unit should render to what `changed` holds.

    That they change this and nothing else is seen in the model of the build; Kustomize itself has the last word when a
    fix is made.

    Raises:
        NotEditable: there are none.
    """
    edits: list[Edit] = []
    for one in unit.rendered:
        before, after = _text(unit, one), _text(changed, one)
        if isinstance(one, RenderedChart) and before is not after and before is not None and after is not None:
            edits += value_edits(one, before, after)
    kustomizations = [one for one in unit.rendered if isinstance(one, Rendered)]
    for rendered in kustomizations:
        before, after = _text(unit, rendered), _text(changed, rendered)
        if before is not after and before is not None and after is not None:
            edits += _edits(rendered, before, after)
    texts = _texts(unit, edits)
    if any(one.renderer is not None and one.renderer.allowed.anything for one in kustomizations):
        raise NotEditable("what is built in place is not built with other texts")
    for rendered in kustomizations:
        before, after = _text(unit, rendered), _text(changed, rendered)
        if before is not None and after is not None and _wanted(rendered, before, after) != _modelled(rendered, texts):
            raise NotEditable("the changed sources do not render to what is wanted")
    return edits


def _wanted(rendered: Rendered, before: Reading, after: Reading) -> Counter[str]:
    """What changes in the rendered objects, each with its kind of object and field."""
    numbers: dict[object, int] = {one: number for number, one in enumerate(rendered.objects)}
    found: Counter[str] = Counter()
    for document, other, origin in zip(before.documents, after.documents, rendered.origins, strict=True):
        number = numbers.get(origin.traceable) if origin is not None else None
        found.update(_signature(number, change) for change in changes(document.value, other.value))
    return found


def _modelled(rendered: Rendered, texts: dict[str, bytes]) -> Counter[str]:
    """What changes in the modelled objects with other texts for some sources."""
    found: Counter[str] = Counter()
    for number, (one, other) in enumerate(zip_longest(rendered.objects, traced_again(rendered, texts))):
        if one is None or other is None:
            raise NotEditable("an object comes or goes")
        found.update(_signature(number, change) for change in changes(one.traced.value, other.traced.value))
    return found


def _signature(number: int | None, change: Change) -> str:
    """A change in words; the order of lists may differ between the model and what is printed."""
    pointer, old, new = change
    steps = ["*" if isinstance(step, int) else step for step in pointer]
    shown = ["absent" if value is ABSENT else json.dumps(value, sort_keys=True) for value in (old, new)]
    return json.dumps([number, steps, *shown])


def with_edits(unit: ApplySet, edits: Sequence[Edit]) -> ApplySet:
    """The unit with its sources edited and rendered again.

    Raises:
        NotEditable: the text does not allow the edits, or it is no longer built.
    """
    return with_texts(unit, _texts(unit, edits))


def _texts(unit: ApplySet, edits: Sequence[Edit]) -> dict[str, bytes]:
    """The edited sources by path."""
    texts: dict[str, bytes] = {}
    for reading in unit.sources:
        mine = [edit for edit in edits if reading.source is not None and edit.path == reading.source.path]
        if mine and reading.source is not None:
            texts[reading.source.path] = encode(reading.source, apply(reading.source, mine))
    return texts


def with_texts(unit: ApplySet, texts: dict[str, bytes]) -> ApplySet:
    """The unit with other texts for some of its sources, by printed path, and rendered again where that matters.

    Raises:
        NotEditable: it is no longer built.
    """
    rendered = [one.again(texts) for one in unit.rendered]
    for one in rendered:
        if one.reading is None:
            raise NotEditable(one.problems[0].message if one.problems else "nothing is rendered")
    fresh = {one.path: one.reading for one in rendered}
    readings = [_fresh(reading, fresh, texts) for reading in unit.readings]
    return unit.with_readings(readings, rendered)


def _fresh(reading: Reading, fresh: dict[str, Reading | None], texts: dict[str, bytes]) -> Reading:
    path = reading.path
    if path in texts and path not in fresh:
        return read(path, texts[path])
    return fresh.get(path) or reading


def _text(unit: ApplySet, rendered: Rendition) -> Reading | None:
    return next((one for one in unit.readings if one.path == rendered.path), None)


def _edits(rendered: Rendered, before: Reading, after: Reading) -> Iterator[Edit]:
    if len(before.documents) != len(after.documents):
        raise NotEditable("an object comes or goes")
    for document, other, origin in zip(before.documents, after.documents, rendered.origins, strict=True):
        differing = list(changes(document.value, other.value))
        if differing and origin is None:
            raise NotEditable("nothing is known of where it was written")
        for change in differing if origin is not None else ():
            former = former_of(change, differing)
            if origin is not None and former is not None:
                yield from _renamed(origin, former, change)
            elif origin is not None and not any(former_of(one, differing) is change for one in differing):
                yield _edit(origin, change)


def _renamed(origin: Origin, former: Change, change: Change) -> Iterator[Edit]:
    """Another key and value where the former entry was written."""
    traced = _known(origin, former[0])
    item, where = _document(traced.writer)
    if len(traced.writers) > 1:
        raise NotEditable("several sources set it")
    yield replace_scalar(item, where, emitter.scalar_text(change[2]))
    yield Edit(item.document.source.path, item.locate(where, "key"), emitter.scalar_text(str(change[0][-1])))


def _edit(origin: Origin, change: Change) -> Edit:
    pointer, old, new = change
    if not pointer:
        raise NotEditable("the whole object changes")
    if old is ABSENT:
        home = _known(origin, pointer[:-1])
        return _added(home, str(pointer[-1]), new)
    traced = _known(origin, pointer)
    if new is ABSENT:
        if len(traced.writers) > 1:
            raise NotEditable("several sources set it")
        item, where = _document(traced.writer)
        return remove_key(item, where)
    if isinstance(old, dict | list) or isinstance(new, dict | list):
        if len(traced.writers) > 1 or traced.value != old:
            raise NotEditable("several sources set it")
        item, where = _document(traced.writer)
        return set_key(item, where[:-1], str(where[-1]), new)
    if not origin.answer(pointer).certain:
        raise NotEditable("which source sets it is not certain")
    item, where = _document(traced.writer)
    return replace_scalar(item, where, emitter.scalar_text(new))


def _added(home: Traced, key: str, value: Any) -> Edit:
    """A new key goes where the mapping was written first: that is the resource, and patches come on top of it."""
    reason = NotEditable("no source holds the mapping")
    for writer in home.writers:
        try:
            item, where = _document(writer)
            return set_key(item, where, key, value)
        except NotEditable as error:
            reason = error
    raise reason


def _known(origin: Origin, pointer: Pointer) -> Traced:
    traced = origin.traced(pointer)
    if traced is None:
        raise NotEditable("nothing is known of where it was written")
    return traced


def _document(writer: FieldWriter) -> tuple[Item, Pointer]:
    script = writer.script
    if isinstance(script, DocumentScript):
        return Item(script.document, (), script.document.value), writer.pointer
    if isinstance(script, EntryScript) and writer.by in _WHOLE:
        return Item(script.document, (), script.document.value), script.pointer
    raise NotEditable("it stands in a text that is not edited")
