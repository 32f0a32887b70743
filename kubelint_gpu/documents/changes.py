"""Creates the changes of a document's text for an edit, in the style of the surrounding text."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents import emitter
from kubelint_gpu.documents.document import Document, Node, Pointer
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
)

Change = tuple[int, int, str]
"""The beginning and the end of a piece of a text, and what takes its place."""


def replacement(document: Document, node: Node, child: Node, value: Any) -> Change:
    """Return the change that replaces a value by another of any form."""
    text = document.source.text
    start, end, children = child[0], child[1], child[2]
    if document.is_json:
        return start, end, _json_value(document, node, child[3], value)
    is_flow = children is None or text[start] in "{["
    if in_flow(document, node) or (is_flow and (not isinstance(value, dict | list) or not value)):
        return start, end, spaced(child, emitter.flow_text(value))
    indent = indent_at(document, child[3] if is_flow else start)
    if isinstance(value, dict | list) and value:
        lines = emitter.block_lines(value)
        if not is_flow:
            # A list may stand at the indentation of its key, a mapping may not.
            deeper = "  " if isinstance(value, dict) and indent == indent_at(document, child[3]) else ""
            return start, end, deeper + (newline(text) + indent + deeper).join(lines)
        inner = indent + ("" if isinstance(value, list) else "  ")
        stop = line_end(document, end)
        begin = len(text[:start].rstrip(" ")) if start else 0
        comment = text[end:stop].strip()
        kept = f" {comment}" if comment else ""
        return begin, stop, kept + "".join(newline(text) + inner + line for line in lines)
    gap = text[child[4] : start].rstrip()
    return child[4], end, ": " + emitter.flow_text(value) + gap.removeprefix(":")


def insertion_before(document: Document, node: Node, following: Node, key: str, value: Any) -> Change:
    """Return the change that inserts a key before another; comments right above that other key stay with it."""
    text, start = document.source.text, line_start(document, following[3])
    inside = text[start : following[3]]
    if in_flow(document, node) and not document.is_json:
        gap = " " if inside.strip() else newline(text) + inside
        entry = f"{emitter.scalar_text(key)}: {emitter.flow_text(value)},{gap}"
        return following[3], following[3], entry
    if document.is_json or inside.strip():
        raise NotEditable("the key does not stand on a line of its own")
    while start > node[0]:
        above = line_start(document, start - len(newline_before(text, start)))
        if not text[above:start].startswith(f"{inside}#"):
            break
        start = above
    lines = "".join(inside + line + newline(text) for line in emitter.entry_lines(key, value))
    return start, start, lines


def flow_insertion(document: Document, node: Node, key: str, value: Any) -> Change:
    """Return the change that adds a key at the end of a mapping in flow style."""
    text, own = document.source.text, own_entries(node)
    name = emitter.json_text(key) if document.is_json else emitter.scalar_text(key)
    if not own:
        inside = text[node[0] + 1 : node[1] - 1]
        stop = node[1] - 1 if not inside.strip() else node[0] + 1
        return node[0] + 1, stop, f"{name}: {_flow_value(document, value)}"
    last = own[-1]
    prefix = text[line_start(document, last[3]) : last[3]]
    if prefix.strip():
        return last[1], last[1], f", {name}: {_flow_value(document, value)}"
    entry = f"{name}: {_json_value(document, node, last[3], value) if document.is_json else emitter.flow_text(value)}"
    return last[1], last[1], "," + newline(text) + prefix + entry


def _flow_value(document: Document, value: Any) -> str:
    return emitter.json_text(value) if document.is_json else emitter.flow_text(value)


def _json_value(document: Document, node: Node, key_start: int, value: Any) -> str:
    """Return the value as JSON, over several lines if its key begins a line, else on one."""
    text = document.source.text
    prefix = text[line_start(document, key_start) : key_start]
    if prefix.strip() or line_start(document, key_start) <= node[0]:
        return emitter.json_text(value)
    outer_line = document.source.line(document.source.span(node[0], node[0]).line)
    outer = outer_line[: len(outer_line) - len(outer_line.lstrip())]
    unit = prefix.removeprefix(outer) or "  "
    return emitter.json_text(value, unit).replace("\n", newline(text) + prefix)


def emptied(document: Document, pointer: Pointer, node: Node, value: Any) -> Change:
    """Return the change that replaces the mapping or list at the pointer by an empty one."""
    if pointer and isinstance(pointer[-1], str) and not in_flow(document, node):
        parent = document.node(pointer[:-1])
        if parent is not None:
            return replacement(document, parent, node, value)
    return node[0], node[1], emitter.flow_text(value)


def flow_removal(node: Node, child: Node) -> Change:
    """Return the change that removes one of several keys of a mapping in flow style."""
    own = own_entries(node)
    index = own.index(child)
    if index + 1 < len(own):
        return child[3], own[index + 1][3], ""
    return own[index - 1][1], child[1], ""


def block_removal(document: Document, node: Node, child: Node) -> Change:
    """Return the change that removes a key of a mapping in block style."""
    text, start, end = document.source.text, line_start(document, child[3]), line_end(document, child[1])
    if text[start : child[3]].strip():
        own = own_entries(node)
        index = own.index(child)
        if index + 1 == len(own):
            raise NotEditable("the key stands on the line of its list item")
        following = own[index + 1][3]
        comment = text.find("#", end, following)
        return child[3], following, text[comment:following] if comment >= 0 else ""
    after = end + len(newline_at(text, end))
    if after == end and start:
        start -= len(newline_before(text, start))
    return start, after, ""


def spaced(node: Node, text: str) -> str:
    """Return the text, with a space before it if it replaces an empty value, which ends right behind its `:` or `-`."""
    return text if node[0] < node[1] else " " + text
