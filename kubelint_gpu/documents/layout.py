"""How a value is laid out in the text: its lines, its indentation, and whether it stands there alone."""

from __future__ import annotations

from operator import itemgetter

from kubelint_gpu.documents.document import Document, Node, Pointer


def own_node(document: Document, pointer: Pointer) -> Node:
    """The node, if it stands where it is used and nowhere else."""
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
    """Whether a merge key brought the entry."""
    return len(node) > 5


def own_entries(node: Node) -> list[Node]:
    """The entries of a mapping that are written in it, in the order of the text."""
    return sorted((child for child in node[2].values() if not merged(child)), key=itemgetter(3))


def in_flow(document: Document, node: Node) -> bool:
    """Whether a mapping or list is written in flow style, as all JSON is."""
    return document.is_json or document.source.text.startswith(("{", "["), node[0])


def indent_at(document: Document, offset: int) -> str:
    """Spaces up to the column of the offset."""
    return " " * (offset - line_start(document, offset))


def line_start(document: Document, offset: int) -> int:
    """Where the line of an offset begins."""
    source = document.source
    return source.line_starts[source.span(offset, offset).line - 1]


def line_end(document: Document, offset: int) -> int:
    """Where the line of an offset ends, before its line end."""
    source = document.source
    line = source.span(offset, offset).line
    return source.line_starts[line - 1] + len(source.line(line))


def newline(text: str) -> str:
    """The line end that the file uses first."""
    for at, character in enumerate(text):
        if character in "\r\n":
            return newline_at(text, at)
    return "\n"


def newline_at(text: str, offset: int) -> str:
    """The line end that stands at an offset; empty where none does."""
    return "\r\n" if text.startswith("\r\n", offset) else text[offset : offset + 1]


def newline_before(text: str, offset: int) -> str:
    """The line end right before an offset."""
    return "\r\n" if text.endswith("\r\n", 0, offset) else text[offset - 1 : offset]


class NotEditable(Exception):  # noqa: N818 - it says what the place is
    """The text cannot be changed so that the value changes there and nowhere else; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
