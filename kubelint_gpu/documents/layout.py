"""The layout of a value in the text: its lines, its indentation, and whether it is shared."""

from __future__ import annotations

from operator import itemgetter

from kubelint_gpu.documents.document import Document, Node, Pointer


def own_node(document: Document, pointer: Pointer) -> Node:
    """Return the node of a value that no alias or merge key shares.

    Raises:
        NotEditable: the value is absent or shared.
    """
    node: Node = document.root
    for length in range(len(pointer) + 1):
        found = document.node(pointer[:length])
        if found is None:
            raise NotEditable("there is no such value")
        node = found
        if merged(node) or document.source.text.startswith("*", node[0]):
            raise NotEditable("the value comes from an anchor elsewhere")
    if any(start <= node[0] and node[1] <= end for start, end in document.shared):
        raise NotEditable("the value is repeated elsewhere by an alias")
    return node


def merged(node: Node) -> bool:
    """Whether the entry comes from a merge key."""
    return len(node) > 5


def own_entries(node: Node) -> list[Node]:
    """Return the entries that are written in the mapping itself, in the order of the text."""
    return sorted((child for child in node[2].values() if not merged(child)), key=itemgetter(3))


def in_flow(document: Document, node: Node) -> bool:
    """Whether a mapping or list is written in flow style; all JSON is."""
    return document.is_json or document.source.text.startswith(("{", "["), node[0])


def indent_at(document: Document, offset: int) -> str:
    """Return spaces up to the column of the offset."""
    return " " * (offset - line_start(document, offset))


def line_start(document: Document, offset: int) -> int:
    """Return where the line of an offset begins."""
    source = document.source
    return source.line_starts[source.span(offset, offset).line - 1]


def line_end(document: Document, offset: int) -> int:
    """Return where the line of an offset ends, before its line end."""
    source = document.source
    line = source.span(offset, offset).line
    return source.line_starts[line - 1] + len(source.line(line))


def newline(text: str) -> str:
    """Return the first line end in the text."""
    for at, character in enumerate(text):
        if character in "\r\n":
            return newline_at(text, at)
    return "\n"


def newline_at(text: str, offset: int) -> str:
    """Return the line end at an offset; empty if there is none."""
    return "\r\n" if text.startswith("\r\n", offset) else text[offset : offset + 1]


def newline_before(text: str, offset: int) -> str:
    """Return the line end right before an offset."""
    return "\r\n" if text.endswith("\r\n", 0, offset) else text[offset - 1 : offset]


class NotEditable(Exception):  # noqa: N818 - it says what the place is
    """The text cannot be changed only at that value; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
