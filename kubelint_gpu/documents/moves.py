"""Moves a key with its value and comments to another mapping of the same object, and removes an entry from a list."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents.changes import Change, emptied
from kubelint_gpu.documents.document import (
    ABSENT,
    Document,
    Item,
    Node,
    Pointer,
    Reading,
    canonical,
    comments,
    items,
    value_at,
    with_value,
)
from kubelint_gpu.documents.editing import Edit, apply, remove_key, set_key, tried
from kubelint_gpu.documents.layout import (
    NotEditable,
    in_flow,
    indent_at,
    line_end,
    line_start,
    newline,
    newline_at,
    newline_before,
    own_entries,
    own_node,
)
from kubelint_gpu.documents.reader import read
from kubelint_gpu.documents.source_text import SourceText, encode


def move_key(item: Item, pointer: Pointer, home: Pointer) -> Edit:
    """Move the key at the pointer to the end of the mapping at `home`, unchanged and with its comments.

    Its comments are those in it, the deeper ones right below it, and those right above it.

    Raises:
        NotEditable: the text does not allow that, or a comment would be lost.
    """
    document = item.document
    source, full = document.source, item.pointer + pointer
    child, node = own_node(document, full), own_node(document, full[:-1])
    value = value_at(document.value, full)
    after = _as_it_stands(document, child, node, item.pointer + home)
    reading = _read(source, after) if after is not None else None
    wanted = canonical(_moved(document.value, full, item.pointer + home, value))
    if after is None or reading is None or not _holds(reading, document, wanted):
        after = _written_anew(item, pointer, home, str(pointer[-1]), value)
        reading = _read(source, after)
        if not _holds(reading, document, wanted):
            raise NotEditable("the text around it does not allow a move of this value alone")
    lost = _lost_comment(_read(source, source.text), reading)
    if lost:
        raise NotEditable(f"the move would lose the comment {lost!r}")
    return _difference(source, after)


def replace_key(item: Item, pointer: Pointer, home: Pointer, key: str, value: Any) -> Edit:
    """Remove the key at the pointer, and set `key` in the mapping at `home`, as `set_key` does.

    Raises:
        NotEditable: the text does not allow one of the two changes.
    """
    return _difference(item.document.source, _written_anew(item, pointer, home, key, value))


def _as_it_stands(document: Document, child: Node, node: Node, home: Pointer) -> str | None:
    """Return the text with the lines of a key moved; None if the key shares its lines."""
    text, target = document.source.text, own_node(document, home)
    begin = line_start(document, child[3])
    column = child[3] - begin
    if in_flow(document, node) or len(own_entries(node)) < 2 or text[begin : child[3]].strip(" "):
        return None
    if not isinstance(target[2], dict) or in_flow(document, target):
        return None
    start, stop = _above(document, begin, column), _below(document, line_end(document, child[1]), column)
    moved = _indented(text[start:stop], len(indent_at(document, target[0])) - column)
    end = line_end(document, target[1])
    if moved is None:
        return None
    if start <= end <= stop:
        return text[:start] + moved + text[stop:]
    if end > stop:
        rest = stop + len(newline_at(text, stop))
        return text[:start] + text[rest:end] + newline(text) + moved + text[end:]
    return text[:end] + newline(text) + moved + text[end : start - len(newline_before(text, start))] + text[stop:]


def _above(document: Document, start: int, column: int) -> int:
    """Return where the comments right above a line begin, if they are indented like its key."""
    text = document.source.text
    while start > document.chunk[0]:
        above = line_start(document, start - len(newline_before(text, start)))
        if not text.startswith(" " * column + "#", above):
            break
        start = above
    return start


def _below(document: Document, stop: int, column: int) -> int:
    """Return where the comments right below a value end, if they are indented deeper than its key."""
    text, at = document.source.text, stop
    while at < document.chunk[1]:
        begin = at + len(newline_at(text, at))
        if begin == at:
            break
        at = line_end(document, begin)
        line = text[begin:at]
        deeper = len(line) - len(line.lstrip(" ")) > column
        if deeper and line.lstrip(" ").startswith("#"):
            stop = at
        elif line.strip():
            break
    return stop


def _indented(text: str, by: int) -> str | None:
    """Return the lines with indentation changed by `by`; None if a line has too little indentation."""
    lines = text.splitlines(keepends=True)
    if by >= 0:
        return "".join(" " * by + line if line.strip() else line for line in lines)
    if any(line.strip() and not line.startswith(" " * -by) for line in lines):
        return None
    return "".join(line[-by:] if line.startswith(" " * -by) else line.lstrip(" ") for line in lines)


def _written_anew(item: Item, pointer: Pointer, home: Pointer, key: str, value: Any) -> str:
    """Return the text without the key at the pointer, and with a newly written key at the end of `home`."""
    source = item.document.source
    found = _read(source, apply(source, [remove_key(item, pointer)]))
    if found.source is None or len(found.documents) <= item.document.index:
        raise NotEditable("the rest cannot be read")
    rest = next((one for one in items(found.documents[item.document.index]) if one.pointer == item.pointer), None)
    if rest is None:
        raise NotEditable("the rest cannot be read")
    return apply(found.source, [set_key(rest, home, key, value)])


def _moved(whole: Any, full: Pointer, home: Pointer, value: Any) -> Any:
    without = with_value(whole, full, ABSENT)
    there = value_at(without, home)
    return with_value(without, home, {**(there if isinstance(there, dict) else {}), full[-1]: value})


def _holds(reading: Reading, document: Document, wanted: str) -> bool:
    """Whether the document of the reading has this canonical text."""
    found = next((one for one in reading.documents if one.index == document.index), None)
    return found is not None and canonical(found.value) == wanted


def _lost_comment(before: Reading, after: Reading) -> str:
    """Return a comment that is missing after the edit; empty if there is none."""
    left = [one.text for one in comments(after)]
    for one in comments(before):
        if one.text not in left:
            return one.text
        left.remove(one.text)
    return ""


def _read(source: SourceText, text: str) -> Reading:
    return read(source.path, encode(source, text))


def _difference(source: SourceText, after: str) -> Edit:
    """Return the smallest edit that turns one text into the other."""
    before = source.text
    most = min(len(before), len(after))
    start = next((place for place in range(most) if before[place] != after[place]), most)
    end = 0
    while end < most - start and before[len(before) - 1 - end] == after[len(after) - 1 - end]:
        end += 1
    return Edit(source.path, source.span(start, len(before) - end), after[start : len(after) - end])


def remove_entry(item: Item, pointer: Pointer) -> Edit:
    """Remove the entry at the pointer from its list; removing the last entry leaves `[]`.

    A comment on the entry's own lines is removed with it, a comment above stays.

    Raises:
        NotEditable: the pointer does not lead to an entry, or an alias shares its list.
    """
    document, full = item.document, item.pointer + pointer
    index = full[-1] if pointer else None
    if not isinstance(index, int):
        raise NotEditable("only entries of lists can be removed")
    own_node(document, full)
    node = own_node(document, full[:-1])
    value = list(value_at(document.value, full[:-1]))
    if len(value) == 1:
        change = emptied(document, full[:-1], node, [])
    elif in_flow(document, node):
        change = _flow_removal(node, index)
    else:
        change = _block_removal(document, node, index)
    return tried(document, change, full[:-1], [*value[:index], *value[index + 1 :]])


def _flow_removal(node: Node, index: int) -> Change:
    entries = node[2]
    if index + 1 < len(entries):
        return entries[index][0], entries[index + 1][0], ""
    return entries[index - 1][1], entries[index][1], ""


def _block_removal(document: Document, node: Node, index: int) -> Change:
    text, entries = document.source.text, node[2]
    dash, end = _dash(document, node, index), line_end(document, entries[index][1])
    start = line_start(document, dash)
    if text[start:dash].strip():
        if index + 1 == len(entries):
            raise NotEditable("the entry stands on the line of what is around its list")
        # the next entry takes its place on the line
        return dash, _dash(document, node, index + 1), ""
    after = end + len(newline_at(text, end))
    if after == end and start:
        start -= len(newline_before(text, start))
    return start, after, ""


def _dash(document: Document, node: Node, index: int) -> int:
    """Return where the entry's dash stands: in the column of the first dash, on the entry's line or above it."""
    first: int = node[0]
    column = first - line_start(document, first)
    at = line_start(document, node[2][index][0])
    text = document.source.text
    while at > first and not (text.startswith("-", at + column) and not text[at : at + column].strip()):
        at = line_start(document, at - 1)
    return max(at + column, first)
