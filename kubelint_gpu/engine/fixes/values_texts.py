"""Edits of values where they are written: in a file, in an object, in a text of an object, in a list of parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kubelint_gpu.documents import Document, Item, Pointer, emitter, value_at
from kubelint_gpu.documents.editing import Edit, append, remove_key, replace_scalar, set_key
from kubelint_gpu.documents.inline_text import edit_within
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.documents.list_edits import remove_entry
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.helm.chart_values import ValuesPart
from kubelint_gpu.sources.kustomize.accumulation.traced import DocumentScript, InlineScript

_NAME = pattern(r"[\w./\\-]+")
_TEXT = pattern(r"[\w.:/ =-]*")
"""What stands as it is in `--set` of Helm, which gives commas, braces and backslashes a meaning."""
_NO_PARAMETER = "a parameter cannot set it"


def with_key(part: ValuesPart, home: Pointer, key: str, value: Any) -> Edit:
    """Give a key of a mapping of values this value, whether or not it is there already.

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
    """Write another value in place of a single one.

    Raises:
        NotEditable: the text does not allow it.
    """
    if part.places is None:
        return _edit(part, pointer, lambda item, where: replace_scalar(item, where, emitter.scalar_text(value)))
    if pointer not in part.places:
        raise NotEditable(_NO_PARAMETER)
    place, text = (*part.base, *part.places[pointer]), _text(value)
    return made_in(part.script, lambda item: replace_scalar(item, place, emitter.scalar_text(text)))


def renamed(part: ValuesPart, pointer: Pointer, key: str, value: Any) -> tuple[Edit, Edit]:
    """Write another key with another single value in place of a key.

    Raises:
        NotEditable: the text does not allow it.
    """
    scalar = with_scalar(part, pointer, value)
    if part.places is None:
        text = emitter.scalar_text(key)
        return _edit(part, pointer, lambda item, where: Edit(_path(item), item.locate(where, "key"), text)), scalar
    ((name, _),) = _parameters((*pointer[:-1], key), value)
    place, text = (*part.base, *part.places[pointer][:-1], "name"), emitter.scalar_text(name)
    return made_in(part.script, lambda item: replace_scalar(item, place, text)), scalar


def without(part: ValuesPart, pointer: Pointer) -> Edit:
    """Take a value away.

    Raises:
        NotEditable: the text does not allow it.
    """
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
    """An edit of a document; of the document around it if it is a text value.

    Raises:
        NotEditable: the text does not allow it, or there is none.
    """
    if script is None:
        raise NotEditable("it stands in no text")
    if isinstance(script, InlineScript):
        edit = made(_item(script.inner))
        return edit_within(script.outer, script.pointer, script.inner.source, edit)
    return made(_item(script.document))


def _set(item: Item, pointer: Pointer, value: Any) -> Edit:
    """Give a key this value; a list that goes on as before is added to."""
    known = value_at(item.value, pointer)
    if isinstance(known, list) and isinstance(value, list) and known and known == value[: len(known)]:
        return append(item, pointer, value[len(known) :])
    if not pointer:
        raise NotEditable("the whole text changes")
    return set_key(item, pointer[:-1], str(pointer[-1]), value)


def _path(item: Item) -> str:
    return item.document.source.path


def _item(document: Document) -> Item:
    return Item(document, (), document.value)


def _parameters(pointer: Pointer, value: Any) -> Iterator[tuple[str, str]]:
    """The parameters that set a value, each with its name and text.

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
    """A single value as `--set` of Helm takes it.

    Raises:
        NotEditable: parameters cannot set it.
    """
    single = value if isinstance(value, str) else emitter.flow_text(value)
    if not isinstance(value, str | int) or not _TEXT().fullmatch(single):
        raise NotEditable(_NO_PARAMETER)
    return single
