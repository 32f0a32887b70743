"""The result of reading a file: documents with positions, their objects and comments, and problems."""

from __future__ import annotations

import bisect
import json
from collections.abc import Sequence
from typing import Any, Literal

from kubelint_gpu.documents.source_text import SourceText, Span
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value, replace

Pointer = tuple[str | int, ...]
Role = Literal["key", "value"]

# A node is where a value stands: (start, end, children, key start, key end).
# `children` is None for a scalar, a list of nodes for a sequence, a dict of nodes for a mapping.
# Without a key, as in a sequence, the last two are -1. A sixth member says that a merge key brought the entry.
# Plain tuples, because there is one for each value of files with a hundred thousand of them.
Node = tuple[Any, ...]

# The parser that kubectl uses ends a comment at these line ends too; what follows one is applied.
_COMMENT = pattern(r"#[^\r\n\u0085\u2028\u2029]*")
# A `#` inside of a tag or an anchor is preceded by something else.
_BEFORE = frozenset(" \t\r\n\u0085\u2028\u2029,[]{}\"'\ufeff")


def value_at(value: Any, pointer: Sequence[str | int]) -> Any:
    """Return the value at a pointer in plain data; None if it is absent."""
    for step in pointer:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return None
    return value


class Problem(Value):
    """A part of a file that could not be read, or that kubectl would refuse while reading.

    `span` is None if no place can be named, as in a binary file. `related` are further places, each with its message.
    """

    path: str
    span: Span | None
    message: str
    related: tuple[tuple[Span, str], ...] = ()


class Document(Value, eq=False):
    """One YAML document, or one JSON value of a file.

    `index` counts from 0 within the file. `value` is plain data; an alias shares the object of its anchor, so nothing
    in it may be changed. `chunk` are the offsets of the piece between two `---` lines that contains the document.
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
        """Return the place of the whole document."""
        return self.source.span(self.root[0], self.root[1])

    def node(self, pointer: Pointer) -> Node | None:
        """Return the node of the value at a pointer; None if it is absent."""
        node: Node = self.root
        for step in pointer:
            child = _child(node, step)
            if child is None:
                return None
            node = child
        return node

    def present(self, pointer: Pointer) -> bool:
        """Whether the document has a value, even null, at a pointer."""
        return self.node(pointer) is not None

    def locate(self, pointer: Pointer, role: Role = "value") -> Span:
        """Return the place of a value or of its key.

        An absent value has the place of the key of its nearest present ancestor; for the root, that is the first key.
        Elements of a sequence have no key: they give the first key in the element, or else the element.
        An alias stands where it is written, its contents where the anchor stands, and likewise for merge keys.
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
        """Whether the object has a value, even null, at a pointer."""
        return self.document.present(self.pointer + pointer)

    def locate(self, pointer: Pointer, role: Role = "value") -> Span:
        """Return the place of a value or of its key in the object; see `Document.locate`."""
        return self.document.locate(self.pointer + pointer, role)


class Reading:
    """The readable part of a file.

    `source` is None if the bytes are not text. `hashes` are offsets of scalars, anchors and tags that contain a `#`, in
    order: no comment begins there. `unread` are offsets of pieces that could not be parsed or were skimmed, in order.
    `size` is the size of the documents, in the units of `ledger.MAX_SIZE`.
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
        """Return the number of documents."""
        return len(self.documents)

    @property
    def path(self) -> str:
        """Return the path of its text; empty if it has none."""
        return self.source.path if self.source is not None else ""

    @property
    def text(self) -> str:
        """Return its text; empty if it has none."""
        return self.source.text if self.source is not None else ""

    def at(self, source: SourceText) -> Reading:
        """Return the same reading for another file with the same text; it must have no problems."""
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
    """Return the offsets of the node's key, else of the first key in it, else of the node."""
    while node[3] < 0:
        children = node[2]
        if not children:
            return node[0], node[1]
        node = children[0] if isinstance(children, list) else next(iter(children.values()))
    return node[3], node[4]


ABSENT = object()
"""The value of a key that is not there."""


def with_value(value: Any, pointer: Sequence[str | int], new: Any) -> Any:
    """Return a copy of plain data with a new value at the pointer; `ABSENT` removes the value."""
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
    """Return text that is equal exactly for equal data; unlike `==` it distinguishes 1 from true."""
    return json.dumps(value, sort_keys=True)


def items(document: Document) -> tuple[Item, ...]:
    """Return the objects of a document, in the order of the text.

    A kind that ends with `List` and has `items` gives its elements, also nested ones, or nothing if it is empty.
    Elements of a typed list (`NodeList`) without kind and apiVersion take them from the list.
    Documents and elements that are not mappings are left out.
    """
    return tuple(one for one in everything(document) if _is_object(one.value))


def everything(document: Document) -> tuple[Item, ...]:
    """Return the objects in order, together with values that are not mappings and lists whose `items` are null."""
    found: list[Item] = []
    todo: list[tuple[Pointer, Any]] = [((), document.value)]
    while todo:
        pointer, value = todo.pop()
        if value is None and not pointer:
            continue
        elements = _elements(value) if isinstance(value, dict) else None
        if elements is None:
            found.append(Item(document, pointer, value))
        else:
            places = [((*pointer, "items", index), element) for index, element in enumerate(elements)]
            todo.extend(reversed(places))
    return tuple(found)


def _is_object(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    kind = value.get("kind")
    return not (isinstance(kind, str) and kind.endswith("List")) or value.get("items", 0) is not None


def _elements(value: dict[str, Any]) -> list[Any] | None:
    kind = value.get("kind")
    elements = value.get("items", 0)
    if not isinstance(kind, str) or not kind.endswith("List"):
        return None
    if not isinstance(elements, list):
        return None
    if kind == "List":
        return elements
    inherited = {name: value[name] for name in ("apiVersion",) if name in value} | {"kind": kind.removesuffix("List")}
    return [inherited | element if isinstance(element, dict) else element for element in elements]


class Comment(Value):
    """A comment from its `#` on; line and column are 1-based, `offset` counts code points of the text."""

    line: int
    column: int
    text: str
    offset: int


def comments(reading: Reading) -> tuple[Comment, ...]:
    """Return all comments of the readable documents, in order."""
    if reading.source is None:
        return ()
    text = reading.source.text
    values = _Regions(reading.hashes)
    unread = _Regions(reading.unread)
    found: list[Comment] = []
    at = text.find("#")
    while at >= 0:
        end = max(values.end_around(at), unread.end_around(at))
        if end < 0 and (at == 0 or text[at - 1] in _BEFORE):
            match = _COMMENT().match(text, at)
            end = match.end() if match else at + 1
            span = reading.source.span(at, end)
            found.append(Comment(span.line, span.column, text[at:end], at))
        at = text.find("#", max(end, at + 1))
    return tuple(found)


class _Regions:
    """Disjoint, ordered pieces of a text."""

    def __init__(self, regions: tuple[tuple[int, int], ...]) -> None:
        self._starts = [start for start, _ in regions]
        self._ends = [end for _, end in regions]

    def end_around(self, offset: int) -> int:
        """Return the end of the piece that holds the offset, -1 if none does."""
        index = bisect.bisect_right(self._starts, offset) - 1
        return self._ends[index] if index >= 0 and offset < self._ends[index] else -1
