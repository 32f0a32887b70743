"""Edits of a text that leave every byte outside of them unchanged.

Each edit is tried before it is returned: the changed text is read again and must differ only at the pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from operator import attrgetter
from typing import Any

from kubelint_gpu.documents import emitter
from kubelint_gpu.documents.changes import (
    Change,
    block_removal,
    emptied,
    flow_insertion,
    flow_removal,
    insertion_before,
    replacement,
    spaced,
)
from kubelint_gpu.documents.document import ABSENT, Document, Item, Pointer, canonical, value_at, with_value
from kubelint_gpu.documents.layout import (
    NotEditable,
    in_flow,
    indent_at,
    line_end,
    line_start,
    merged,
    newline,
    own_node,
)
from kubelint_gpu.documents.reader import read
from kubelint_gpu.documents.source_text import SourceText, Span
from kubelint_gpu.values import Value


class Edit(Value):
    """An edit: `text` replaces `span` in the file `path`."""

    path: str
    span: Span
    text: str


def apply(source: SourceText, edits: Iterable[Edit]) -> str:
    """Return the text after all edits; equal edits count once. `encode(source, ...)` gives its bytes.

    Raises:
        NotEditable: edits overlap, or one is for another file.
    """
    pieces: list[str] = []
    at = 0
    for edit in sorted(dict.fromkeys(edits), key=attrgetter("span.start")):
        if edit.path != source.path:
            raise NotEditable(f"the edit is for {edit.path}")
        if edit.span.start < at:
            raise NotEditable("two of its changes overlap")
        pieces += (source.text[at : edit.span.start], edit.text)
        at = edit.span.end
    return "".join((*pieces, source.text[at:]))


def replace_scalar(item: Item, pointer: Pointer, yaml_text: str) -> Edit:
    """Replace the scalar at the pointer by `yaml_text`, a scalar on one line.

    In a JSON file, the value is written as JSON.

    Raises:
        NotEditable: there is no scalar, or an alias shares it.
    """
    document, full = item.document, item.pointer + pointer
    node = own_node(document, full)
    if node[2] is not None:
        raise NotEditable("the value is no scalar")
    given = read("", yaml_text.encode(errors="replace"))
    if given.problems or len(given.documents) != 1 or given.documents[0].root[2] is not None:
        raise NotEditable(f"{yaml_text!r} is no scalar")
    value = given.documents[0].value
    text = emitter.json_text(value) if document.is_json else yaml_text
    return tried(document, (node[0], node[1], spaced(node, text)), full, value)


def set_key(item: Item, mapping_pointer: Pointer, key: str, value: Any, *, before: str = "") -> Edit:
    """Set `key` in the mapping at the pointer, whether or not the key exists.

    An absent or null mapping is created.
    A new key comes `before` another key of its mapping, or last if that is absent.

    Raises:
        NotEditable: there is no mapping, or an alias shares it.
    """
    document, pointer = item.document, item.pointer + mapping_pointer
    while len(pointer) > len(item.pointer) and value_at(document.value, pointer) is None:
        last = pointer[-1]
        if not isinstance(last, str):
            break
        pointer, key, value = pointer[:-1], last, {key: value}
    node = own_node(document, pointer)
    if not isinstance(node[2], dict):
        raise NotEditable("the value is no mapping")
    full = (*pointer, key)
    child = node[2].get(key)
    if child is not None and not merged(child):
        own_node(document, full)
        return tried(document, replacement(document, node, child, value), full, value)
    following = node[2].get(before)
    if following is not None and not merged(following):
        try:
            return tried(document, insertion_before(document, node, following, key, value), full, value)
        except NotEditable:
            pass
    if in_flow(document, node):
        return tried(document, flow_insertion(document, node, key, value), full, value)
    text, indent, end = document.source.text, indent_at(document, node[0]), line_end(document, node[1])
    lines = (newline(text) + indent).join(emitter.entry_lines(key, value))
    try:
        return tried(document, (end, end, newline(text) + indent + lines), full, value)
    except NotEditable:
        return tried(document, (node[0], node[0], lines + newline(text) + indent), full, value)


def append(item: Item, list_pointer: Pointer, values: Sequence[Any]) -> Edit:
    """Add values to the end of the list at the pointer, in the style of its entries.

    Raises:
        NotEditable: there is no list, it is empty, or an alias shares it.
    """
    document, full = item.document, item.pointer + list_pointer
    node = own_node(document, full)
    if not isinstance(node[2], list) or not node[2]:
        raise NotEditable("the value is no list with entries")
    text, last = document.source.text, node[2][-1]
    after = [*value_at(document.value, full), *values]
    if in_flow(document, node):
        written = [emitter.json_text(one) if document.is_json else emitter.flow_text(one) for one in values]
        start = line_start(document, last[0])
        gap = " " if text[start : last[0]].strip() else newline(text) + text[start : last[0]]
        return tried(document, (last[1], last[1], "".join(f",{gap}{one}" for one in written)), full, after)
    indent, end = indent_at(document, node[0]), line_end(document, node[1])
    flow = text[last[0]] in "{["
    entries = [[f"- {emitter.flow_text(one)}"] if flow else emitter.block_lines([one]) for one in values]
    lines = "".join(newline(text) + indent + line for entry in entries for line in entry)
    return tried(document, (end, end, lines), full, after)


def remove_key(item: Item, pointer: Pointer) -> Edit:
    """Remove the key at the pointer with its value; removing the last key leaves `{}`.

    Raises:
        NotEditable: the pointer does not lead to a key, or an alias shares its mapping.
    """
    document, full = item.document, item.pointer + pointer
    if not pointer or not isinstance(full[-1], str):
        raise NotEditable("only keys of mappings can be removed")
    child, node = own_node(document, full), own_node(document, full[:-1])
    if len(node[2]) == 1:
        change = emptied(document, full[:-1], node, {})
    elif in_flow(document, node):
        change = flow_removal(node, child)
    else:
        change = block_removal(document, node, child)
    return tried(document, change, full, ABSENT)


_Promise = tuple[Any, Change, Any, Any]
"""A document, a change of it, and the pointer that has a value after it: not tried yet."""
_MOST_APART = 100
_promises: ContextVar[list[_Promise] | None] = ContextVar("promises", default=None)


def together(made: Callable[[], Sequence[Edit]]) -> Sequence[Edit]:
    """Return the edits that `made` creates; edits of one document are checked together, and its text is read once.

    If they do not hold together, each is checked by itself.

    Raises:
        NotEditable: `made` raises it.
    """
    if _promises.get() is not None:
        return made()
    promises: list[_Promise] = []
    token = _promises.set(promises)
    try:
        edits = made()
    except NotEditable:
        edits = None
    finally:
        _promises.reset(token)
    documents = dict.fromkeys(one[0] for one in promises)
    if edits is not None and all(_holds(one, [made for made in promises if made[0] is one]) for one in documents):
        return edits
    if len(promises) > _MOST_APART:
        raise NotEditable("so many changes of one text do not hold together")
    return made()


def tried(document: Document, change: Change, pointer: Pointer, value: Any) -> Edit:
    """Return the edit if the changed document has this value at the pointer and is otherwise equal.

    Raises:
        NotEditable: it is not so.
    """
    promises = _promises.get()
    if promises is not None:
        promises.append((document, change, pointer, value))
    elif not _holds(document, [(document, change, pointer, value)]):
        raise NotEditable("the text around it does not allow a change of this value alone")
    start, end, text = change
    return Edit(document.source.path, document.source.span(start, end), text)


def _holds(document: Document, made: Sequence[_Promise]) -> bool:
    """Whether the document after some changes has the promised values and is otherwise equal."""
    source, (first, last) = document.source, document.chunk
    pieces: list[str] = []
    at, expected, begin = first, document.value, document.root[0]
    for start, end, text in sorted((one[1] for one in made), key=lambda one: one[:2]):
        if start < at:
            return False
        pieces += (source.text[at:start], text)
        at = end
    changed = "".join((*pieces, source.text[at:last]))
    for _, _, pointer, value in made:
        expected = with_value(expected, pointer, value)
    reading = read(source.path, changed.encode(errors="replace"), max_bytes=len(changed) * 4 + 1)
    after = next((found for found in reading.documents if found.root[0] + first == begin), None)
    return after is not None and canonical(after.value) == canonical(expected)
