"""Builds plain data and positions from parse events, in one pass and without recursion.

Meanwhile, a ledger counts the size of the file and collects its problems.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import intern
from typing import Any

from msgspec import Struct, field

from kubelint_gpu.documents import scalars
from kubelint_gpu.documents.document import Node
from kubelint_gpu.documents.scalars import with_defaults

MAX_EXPANSION = 200_000
"""How many values the aliases and merge keys of a file may repeat."""
MAX_SIZE = 3_000_000
"""How much a file may hold, so that it takes less than a gigabyte: a scalar counts 1, what costs more counts more."""
MOST_TOGETHER = 5_000_000
"""How much the files of a run may hold together, in the same units: some thirty thousand ordinary manifests."""
COLLECTION = 3
DOCUMENT = 10
MOST_COMPLAINTS = 1_000
TOO_MUCH = f"the file holds more than {MAX_SIZE:,} values, the most that is read; split it"

TOO_MUCH_TOGETHER = (
    f"the files of this run hold more than {MOST_TOGETHER:,} values together, the most that is read; this one is left "
    "out: check fewer paths at a time"
)


class Unreadable(Exception):  # noqa: N818 - it says what the document is
    """The rest of the document has no meaning.

    Args:
        start: offset of the place.
        end: offset behind it.
        message: the error and its remedy.
    """

    def __init__(self, start: int, end: int, message: str) -> None:
        super().__init__(message)
        self.start = start
        self.end = end
        self.message = message


class TooMuch(Unreadable):
    """The file exceeds a limit."""


class Ledger(Struct):
    """The counts and problems over all documents of a file.

    `expanded` counts the nodes that aliases repeat, and the entries that merge keys add. `left` is how much more may be
    read. `complaints` are (start, end, message, related) with related as (start, end, message). `hashes` are offsets of
    scalars, anchors and tags that contain a `#`.
    """

    expanded: int = 0
    left: int = MAX_SIZE
    complaints: list[tuple[int, int, str, tuple[tuple[int, int, str], ...]]] = field(default_factory=list)
    hashes: list[tuple[int, int]] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)

    def complain(self, start: int, end: int, message: str, *related: tuple[int, int, str]) -> None:
        """Add a problem; only the first ones of a file are kept."""
        if len(self.complaints) < MOST_COMPLAINTS:
            self.complaints.append((start, end, message, related))
        elif len(self.complaints) == MOST_COMPLAINTS:
            message = f"more than {MOST_COMPLAINTS} things are wrong with this file; the others are not told"
            self.complaints.append((start, end, message, ()))


MAX_DEPTH = 200

_CORE = "tag:yaml.org,2002:"
_BLOCK_STYLES = frozenset("|>")
_TOO_DEEP = (
    f"nested deeper than {MAX_DEPTH} levels, as no Kubernetes object is; look for brackets or indentation that repeat"
)
SECOND_DOCUMENT = "kubectl reads no second document without a line `---` before it; add one"
TEMPLATE = (
    "a template that is not rendered yet; render it first (helm template, kustomize build) and check the result, "
    "or quote the value"
)
# Stands for the key `<<`; no key of a document is equal to it, because NUL is not allowed there.
_MERGE = "\0<<"
_PLACES = tuple(range(4096))  # one number for each place near the beginning: most memory of a short file is places


class Built(Struct):
    """One document: its value, its node, and the anchored values that aliases repeat."""

    value: Any
    root: Node
    shared: list[tuple[int, int]]


class Builder:
    """Builds the documents of a file.

    `documents` are complete at any time, even after an exception in `run`.

    Args:
        text: the whole file.
        base: offset in the file of the text that the events count from.
        ledger: the counts over the whole file.
    """

    __slots__ = ("_anchors", "_base", "_ledger", "_shared", "_text", "documents")

    def __init__(self, text: str, base: int, ledger: Ledger) -> None:
        self.documents: list[Built] = []
        self._text = text
        self._base = base
        self._ledger = ledger
        # Name to (value, node, number of nodes), None while the anchored value is still open.
        self._anchors: dict[str, tuple[Any, Node, int] | None] = {}
        self._shared: list[tuple[int, int]] = []

    def run(self, next_event: Callable[[], Any]) -> None:
        """Read events until the end of the stream.

        Raises:
            Unreadable: the rest of the document has no meaning.
            TooMuch: the file exceeds a limit.
            ruamel.yaml.error.YAMLError: the text is not YAML.
        """
        from ruamel.yaml.events import (
            AliasEvent,
            DocumentStartEvent,
            MappingEndEvent,
            MappingStartEvent,
            ScalarEvent,
            SequenceEndEvent,
            SequenceStartEvent,
            StreamEndEvent,
        )

        text, base, ledger, places = self._text, self._base, self._ledger, _PLACES
        stack: list[tuple[Any, Any, str | None, int, int, int, bool, str | None, int]] = []
        container: Any = None  # the list or dict being filled
        nodes: Any = None  # the list or dict of nodes beside it
        key: str | None = None  # the key whose value comes next
        key_start = key_end = -1
        start = last = 0  # begin of the container; end of what was read last
        flow = False
        anchor: str | None = None
        count = count_at_start = 0
        value: Any
        children: Any

        while True:
            event = next_event()
            kind = event.__class__
            if kind is ScalarEvent:
                count += 1
                ledger.left -= 1
                begin, end = self._span(event, last, is_value=key is not None)
                last = end
                if key is None and nodes.__class__ is dict:
                    key_start, key_end = begin, end
                    key = self._scalar_key(event, begin, end)
                    continue
                value, children = self._scalar(event, begin, end), None
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                count += 1
                ledger.left -= COLLECTION
                begin = event.start_mark.index + base
                if event.anchor is not None or event.ctag is not None:
                    begin = scalars.after_properties(text, begin)
                if key is None and nodes.__class__ is dict:
                    raise self._complex_key(begin)
                if len(stack) >= MAX_DEPTH:
                    raise Unreadable(begin, begin + 1, _TOO_DEEP)
                stack.append((container, nodes, key, key_start, key_end, start, flow, anchor, count_at_start))
                container, nodes = ({}, {}) if kind is MappingStartEvent else ([], [])
                begin = places[begin] if begin < len(places) else begin
                key = None
                start, flow, anchor, count_at_start = begin, bool(event.flow_style), event.anchor, count
                last = begin
                if anchor is not None:
                    self._anchors[anchor] = None
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                if flow:
                    last = event.end_mark.index + base
                value, children, begin, end = container, nodes, start, last
                if anchor is not None:
                    size = count - count_at_start + 1
                    self._anchors[anchor] = (value, (begin, end, children, -1, -1), size)
                container, nodes, key, key_start, key_end, start, flow, anchor, count_at_start = stack.pop()
            elif kind is AliasEvent:
                begin = event.start_mark.index + base
                last = end = event.end_mark.index + base
                value, node, size = self._alias(event.anchor, begin, end)
                count += size
                children = node[2]
                if key is None and nodes.__class__ is dict:
                    if children is not None:
                        raise self._complex_key(begin)
                    key_start, key_end = begin, end
                    key = self._key(scalars.key(value), begin, end)
                    continue
            elif kind is DocumentStartEvent:
                self._anchors = {}
                self._shared = []
                last = event.end_mark.index + base
                ledger.left -= DOCUMENT
                continue
            elif kind is StreamEndEvent:
                return
            else:
                continue

            if ledger.left < 0:
                raise TooMuch(begin, end, TOO_MUCH)
            if key is None:
                if nodes is None:
                    self.documents.append(Built(value, (begin, end, children, -1, -1), self._shared))
                else:
                    container.append(value)
                    nodes.append((begin, end, children, -1, -1))
                continue
            if key is _MERGE:
                self._merge(container, nodes, value, (begin, end, children))
            else:
                if key in nodes:
                    self._duplicate(key, nodes[key], key_start, key_end)
                container[key] = value
                nodes[key] = (begin, end, children, key_start, key_end)
            key = None

    def _span(self, event: Any, last: int, *, is_value: bool) -> tuple[int, int]:
        """Return the place of a scalar, without its tag and anchor."""
        begin, end = event.start_mark.index + self._base, event.end_mark.index + self._base
        is_block = event.style in _BLOCK_STYLES
        if event.anchor is not None or event.ctag is not None:
            begin = min(scalars.after_properties(self._text, begin), end)
        elif begin == end:
            begin = end = scalars.place_of_nothing(self._text, begin, last, is_value=is_value)
        elif is_block:
            end = begin + len(self._text[begin:end].rstrip())
        if "#" in event.value:
            self._ledger.hashes.append((scalars.after_header(self._text, begin) if is_block else begin, end))
        return (_PLACES[begin], _PLACES[end]) if end < len(_PLACES) else (begin, end)

    def _scalar_key(self, event: Any, begin: int, end: int) -> str:
        """Return a key; each text is converted once."""
        keys = self._ledger.keys
        key: str = event.value
        if event.ctag is not None:
            key = self._key(scalars.key(self._tagged(event, begin, end)), begin, end)
        elif event.implicit[0]:
            if key == "<<":
                key = _MERGE
            elif key in keys:
                key = keys[key]
            else:
                key = keys[key] = self._key(scalars.plain_key(key), begin, end)
        if event.anchor is not None:
            self._anchors[event.anchor] = (key, (begin, end, None, -1, -1), 1)
        return key

    def _scalar(self, event: Any, begin: int, end: int) -> scalars.Scalar:
        """Return the value of a scalar that is no key."""
        text: str = event.value
        value: scalars.Scalar
        if "${" in text and event.style not in _BLOCK_STYLES:
            text = with_defaults(text)
        if event.ctag is not None:
            value = self._tagged(event, begin, end)
        elif event.implicit[0] and (not text or text[0] in scalars.HINTS):
            value = self._plain(text, begin, end)
        else:
            value = intern(text)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, (begin, end, None, -1, -1), 1)
        return value

    def _plain(self, text: str, begin: int, end: int) -> scalars.Scalar:
        try:
            return scalars.plain(text)
        except scalars.NotJson:
            self._ledger.complain(
                begin, end, f"JSON has no number {text}, so kubectl refuses it; quote it if text is meant"
            )
            return text

    def _key(self, key: str | None, begin: int, end: int) -> str:
        if key is None:
            written = self._text[begin:end]
            shown = f"{written} as a key" if written else "an empty key"
            self._ledger.complain(begin, end, f"kubectl refuses {shown}; a key is text, quote it if it is meant so")
            return written
        return key

    def _tagged(self, event: Any, begin: int, end: int) -> scalars.Scalar:
        """Return a scalar with a tag: `!!str` and tags unknown to kubectl give text, other tags must fit the value."""
        text: str = event.value
        tag: str = event.tag
        name = tag.removeprefix(_CORE) if tag.startswith(_CORE) else ""
        if name == "binary":
            decoded = scalars.from_base64(text)
            if decoded is None:
                self._ledger.complain(begin, end, "the value is not base64, as its tag !!binary says")
            return text if decoded is None else decoded
        if name not in scalars.TAGGED:
            return text
        value = self._plain(text, begin, end)
        if not isinstance(value, scalars.TAGGED[name]):
            self._ledger.complain(begin, end, f"{text!r} is not what its tag !!{name} says; correct one of them")
        return value

    def _complex_key(self, begin: int) -> Unreadable:
        if self._text[max(begin - 1, 0) : begin + 1] == "{{":
            return Unreadable(begin - 1, begin + 1, TEMPLATE)
        return Unreadable(begin, begin + 1, "a mapping or a list stands where a key must be; quote it if text is meant")

    def _alias(self, name: str, begin: int, end: int) -> tuple[Any, Node, int]:
        if name not in self._anchors:
            raise Unreadable(
                begin, end, f"no anchor &{name} stands before this alias; quote the value if text is meant"
            )
        anchored = self._anchors[name]
        if anchored is None:
            raise Unreadable(begin, end, f"the value of anchor &{name} contains itself")
        value, node, size = anchored
        self._expand(size, begin, end)
        self._shared.append((node[0], node[1]))
        return value, node, size

    def _expand(self, size: int, begin: int, end: int) -> None:
        self._ledger.expanded += size
        if self._ledger.expanded > MAX_EXPANSION:
            message = f"the aliases and merge keys of this file repeat more than {MAX_EXPANSION} values; write fewer"
            raise Unreadable(begin, end, message)

    def _merge(self, container: dict[str, Any], nodes: dict[str, Node], value: Any, node: Node) -> None:
        """Add the entries of merge keys: earlier keys lose to them, and later keys override them (goyaml.v2)."""
        begin, end, children = node
        sources = [(value, children)]
        if isinstance(value, list) and not self._text.startswith("*", begin):
            sources = [(element, child[2]) for element, child in zip(value, children, strict=True)]
        if not all(isinstance(source, dict) for source, _ in sources):
            self._ledger.complain(begin, end, "the merge key << needs a mapping or a list of mappings")
            return
        for source, places in reversed(sources):
            self._expand(len(source), begin, end)
            for key, entry in source.items():
                container[key] = entry
                nodes[key] = (*places[key][:5], True)

    def _duplicate(self, key: str, first: Node, start: int, end: int) -> None:
        """Report a repeated key: kubectl takes the last one silently, the API server and kustomize refuse it."""
        if len(first) == 5:
            self._ledger.complain(
                start,
                end,
                f"the key {key!r} stands twice in this mapping and only the last one counts; remove one of them",
                (first[3], first[4], f"{key!r} is first set here"),
            )
