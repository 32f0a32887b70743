"""Translates a change of a rendered text into edits of its sources.

A changed value is edited in the source that wrote it last, a new field in the resource. If that source is not a single
editable text, there are no edits.
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
from kubelint_gpu.engine.fixes.value_edits import Change, changes, former_of, value_edits
from kubelint_gpu.sources.helm.chart_render import RenderedChart
from kubelint_gpu.sources.helm.chart_values import ABSENT
from kubelint_gpu.sources.kustomize.accumulation.traced import DocumentScript, EntryScript, FieldWriter, Traced
from kubelint_gpu.sources.kustomize.origin import Origin
from kubelint_gpu.sources.kustomize.rendering import Rendered, traced_again
from kubelint_gpu.sources.render import Rendition
from kubelint_gpu.workspace.apply_set import ApplySet

_WHOLE = ("replicas",)


def source_edits(unit: ApplySet, changed: ApplySet) -> list[Edit]:
    """Return edits of sources after which the unit renders to the texts of `changed`.

    A model of the build checks that the edits change nothing else. Kustomize itself checks it again when the fix is
    applied.

    Raises:
        NotEditable: there are no such edits.
    """
    edits: list[Edit] = []
    for rendition in unit.rendered:
        before, after = _text(unit, rendition), _text(changed, rendition)
        if isinstance(rendition, RenderedChart) and before is not after and before is not None and after is not None:
            edits += value_edits(rendition, before, after)
    kustomizations = [rendition for rendition in unit.rendered if isinstance(rendition, Rendered)]
    for rendered in kustomizations:
        before, after = _text(unit, rendered), _text(changed, rendered)
        if before is not after and before is not None and after is not None:
            edits += _edits(rendered, before, after)
    texts = _texts(unit, edits)
    if any(each.renderer is not None and each.renderer.allowed.anything for each in kustomizations):
        raise NotEditable("what is built in place is not built with other texts")
    for rendered in kustomizations:
        before, after = _text(unit, rendered), _text(changed, rendered)
        if before is not None and after is not None and _wanted(rendered, before, after) != _modelled(rendered, texts):
            raise NotEditable("the changed sources do not render to what is wanted")
    return edits


def _wanted(rendered: Rendered, before: Reading, after: Reading) -> Counter[str]:
    """Count the changes of the rendered objects, each by object, field and values."""
    numbers: dict[object, int] = {traceable: number for number, traceable in enumerate(rendered.objects)}
    counts: Counter[str] = Counter()
    for document, other, origin in zip(before.documents, after.documents, rendered.origins, strict=True):
        number = numbers.get(origin.traceable) if origin is not None else None
        counts.update(_signature(number, change) for change in changes(document.value, other.value))
    return counts


def _modelled(rendered: Rendered, texts: dict[str, bytes]) -> Counter[str]:
    """Count the changes of the modelled objects if some sources have other texts."""
    counts: Counter[str] = Counter()
    for number, (old, new) in enumerate(zip_longest(rendered.objects, traced_again(rendered, texts))):
        if old is None or new is None:
            raise NotEditable("an object comes or goes")
        counts.update(_signature(number, change) for change in changes(old.traced.value, new.traced.value))
    return counts


def _signature(number: int | None, change: Change) -> str:
    """Return a key of a change without list positions: the model may order lists in another way."""
    pointer, old, new = change
    steps = ["*" if isinstance(step, int) else step for step in pointer]
    shown = ["absent" if value is ABSENT else json.dumps(value, sort_keys=True) for value in (old, new)]
    return json.dumps([number, steps, *shown])


def with_edits(unit: ApplySet, edits: Sequence[Edit]) -> ApplySet:
    """Return the unit with edited sources, rendered again.

    Raises:
        NotEditable: the text does not allow the edits, or it is no longer built.
    """
    return with_texts(unit, _texts(unit, edits))


def _texts(unit: ApplySet, edits: Sequence[Edit]) -> dict[str, bytes]:
    """Return the edited sources by path."""
    texts: dict[str, bytes] = {}
    for reading in unit.sources:
        mine = [edit for edit in edits if reading.source is not None and edit.path == reading.source.path]
        if mine and reading.source is not None:
            texts[reading.source.path] = encode(reading.source, apply(reading.source, mine))
    return texts


def with_texts(unit: ApplySet, texts: dict[str, bytes]) -> ApplySet:
    """Return the unit with other texts for some sources, by printed path; what depends on them is rendered again.

    Raises:
        NotEditable: it is no longer built.
    """
    renditions = [rendition.again(texts) for rendition in unit.rendered]
    for rendition in renditions:
        if rendition.reading is None:
            raise NotEditable(rendition.problems[0].message if rendition.problems else "nothing is rendered")
    fresh = {rendition.path: rendition.reading for rendition in renditions}
    readings = [_fresh(reading, fresh, texts) for reading in unit.readings]
    return unit.with_readings(readings, renditions)


def _fresh(reading: Reading, fresh: dict[str, Reading | None], texts: dict[str, bytes]) -> Reading:
    path = reading.path
    if path in texts and path not in fresh:
        return read(path, texts[path])
    return fresh.get(path) or reading


def _text(unit: ApplySet, rendered: Rendition) -> Reading | None:
    return next((reading for reading in unit.readings if reading.path == rendered.path), None)


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
            elif origin is not None and not any(former_of(each, differing) is change for each in differing):
                yield _edit(origin, change)


def _renamed(origin: Origin, former: Change, change: Change) -> Iterator[Edit]:
    """Yield edits that write another key and value over the former entry."""
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
    """Return an edit that adds a key to the first text with the mapping: the resource, below all patches."""
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
