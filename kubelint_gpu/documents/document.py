"""What reading a file gives: documents with positions, and problems."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from kubelint_gpu.documents.source_text import SourceText, Span
from kubelint_gpu.values import Value, replace

Pointer = tuple[str | int, ...]
Role = Literal["key", "value"]

# A node is where a value stands: (start, end, children, key start, key end).
# `children` is None for a scalar, a list of nodes for a sequence, a dict of nodes for a mapping.
# Without a key, as in a sequence, the last two are -1. A sixth member says that a merge key brought the entry.
# Plain tuples, because there is one for each value of files with a hundred thousand of them.
Node = tuple[Any, ...]


def value_at(value: Any, pointer: Sequence[str | int]) -> Any:
    """What stands at a pointer in plain data; None where nothing does."""
    for step in pointer:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return None
    return value


class Problem(Value):
    """Something that could not be read, or that kubectl would refuse while reading.

    `span` is None where there is no place to point at, as in a binary file.
    `related` are further places, each with what is to be said of it.
    """

    path: str
    span: Span | None
    message: str
    related: tuple[tuple[Span, str], ...] = ()


class Document(Value, eq=False):
    """One YAML document, or one JSON value of a file.

    `index` counts from 0 within the file.
    `value` is plain data; an alias shares the object of its anchor, so nothing in it may be changed.
    `chunk` are the offsets of the text between two `---` lines in which it stands.
    `shared` are the offsets of anchored values that an alias repeats elsewhere.
    """

    source: SourceText
    index: int
    value: Any
    root: Node
    chunk: tuple[int, int]
    is_json: bool
    shared: tuple[tuple[int, int], ...] = ()

    @property
    def span(self) -> Span:
        """Where the whole of it stands."""
        return self.source.span(self.root[0], self.root[1])

    def node(self, pointer: Pointer) -> Node | None:
        """Where the value of this pointer stands, None where it is absent."""
        node: Node = self.root
        for step in pointer:
            child = _child(node, step)
            if child is None:
                return None
            node = child
        return node

    def present(self, pointer: Pointer) -> bool:
        """Whether the document holds a value, even null, at this pointer."""
        return self.node(pointer) is not None

    def locate(self, pointer: Pointer, role: Role = "value") -> Span:
        """The place of a value or of its key.

        An absent value has the place of the nearest present ancestor's key; the root stands for its first key.
        The elements of a sequence have no key: for them the first key inside, or the element itself, is given.
        An alias stands where it is written, what is inside of it where its anchor stands, likewise merge keys.
        An empty value (`key:`) has the place of its key.
        """
        node: Node = self.root
        for step in pointer:
            child = _child(node, step)
            if child is None:
                role = "key"
                break
            node = child
        if role == "value" and node[0] < node[1]:
            return self.source.span(node[0], node[1])
        return self.source.span(*_key_offsets(node))


class Item(Value, eq=False):
    """One object: a document, or an element of a `List` inside of one.

    `pointer` leads from the document to the object.
    """

    document: Document
    pointer: Pointer
    value: dict[str, Any]

    def present(self, pointer: Pointer) -> bool:
        """Whether the object holds a value, even null, at this pointer."""
        return self.document.present(self.pointer + pointer)

    def locate(self, pointer: Pointer, role: Role = "value") -> Span:
        """The place of a value or of its key within the object; see `Document.locate`."""
        return self.document.locate(self.pointer + pointer, role)


class Reading:
    """A file as far as it could be read.

    `source` is None when the bytes are not text.
    `hashes` are offsets of scalars, anchors and tags that hold a `#`, in order: no comment begins there.
    `unread` are offsets of what no parser could make sense of, and of what was skimmed, in order.
    `size` is how much the documents hold, in the units of `ledger.MAX_SIZE`.
    """

    def __init__(
        self,
        documents: tuple[Document, ...],
        problems: tuple[Problem, ...],
        source: SourceText | None,
        hashes: tuple[tuple[int, int], ...] = (),
        unread: tuple[tuple[int, int], ...] = (),
        size: int = 0,
    ) -> None:
        self.documents = documents
        self.problems = problems
        self.source = source
        self.hashes = hashes
        self.unread = unread
        self.size = size

    @property
    def count(self) -> int:
        """How many documents there are."""
        return len(self.documents)

    @property
    def path(self) -> str:
        """The path of its text; empty where it has none."""
        return self.source.path if self.source is not None else ""

    @property
    def text(self) -> str:
        """Its text; empty where it has none."""
        return self.source.text if self.source is not None else ""

    def at(self, source: SourceText) -> Reading:
        """The same of a file of the same text: only problems, of which there are none, name the path."""
        documents = tuple(replace(document, source=source) for document in self.documents)
        return Reading(documents, self.problems, source, self.hashes, self.unread, self.size)


def _child(node: Node, step: str | int) -> Node | None:
    children = node[2]
    if isinstance(children, dict):
        child: Node | None = children.get(step)
        return child
    if isinstance(children, list) and isinstance(step, int) and 0 <= step < len(children):
        element: Node = children[step]
        return element
    return None


def _key_offsets(node: Node) -> tuple[int, int]:
    """The key of the node, else the first key inside, else the node."""
    while node[3] < 0:
        children = node[2]
        if not children:
            return node[0], node[1]
        node = children[0] if isinstance(children, list) else next(iter(children.values()))
    return node[3], node[4]


ABSENT = object()
"""The value of a key that is not there."""


def with_value(value: Any, pointer: Sequence[str | int], new: Any) -> Any:
    """A copy of plain data with another value at the pointer, or without the one there."""
    if not pointer:
        return new
    copy = value.copy()
    if new is ABSENT and len(pointer) == 1:
        del copy[pointer[0]]
    else:
        inner = copy.get(pointer[0]) if isinstance(copy, dict) else copy[pointer[0]]
        copy[pointer[0]] = with_value(inner, pointer[1:], new)
    return copy


def canonical(value: Any) -> str:
    """Equal for equal data, and other than `==` different for 1 and true."""
    return json.dumps(value, sort_keys=True)
