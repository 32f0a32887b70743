"""Removes an entry from a list, in block and in flow style."""

from __future__ import annotations

from kubelint_gpu.documents.changes import Change, emptied
from kubelint_gpu.documents.document import Document, Item, Node, Pointer, value_at
from kubelint_gpu.documents.editing import Edit, tried
from kubelint_gpu.documents.layout import (
    NotEditable,
    in_flow,
    line_end,
    line_start,
    newline_at,
    newline_before,
    own_node,
)


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
