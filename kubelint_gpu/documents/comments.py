"""Finds the comments of a file, not a `#` in a value."""

from __future__ import annotations

import bisect

from kubelint_gpu.documents.document import Reading
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

# The parser that kubectl uses ends a comment at these line ends too; what follows one is applied.
_COMMENT = pattern(r"#[^\r\n\u0085\u2028\u2029]*")
# A `#` inside of a tag or an anchor is preceded by something else.
_BEFORE = frozenset(" \t\r\n\u0085\u2028\u2029,[]{}\"'\ufeff")


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
