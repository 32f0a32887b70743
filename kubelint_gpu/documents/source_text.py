"""Text of a file, and where its lines begin.

Lines are those that editors and git count: they end with LF, CR LF or CR and with nothing else.
Offsets and columns count Unicode code points.
"""

from __future__ import annotations

import bisect
from functools import cached_property
from hashlib import blake2b

from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_LINE_END = pattern(r"\r\n|\n|\r")
_BYTE_ORDER_MARK = "\ufeff"


def source_text(path: str, text: str, *, encoding: str = "utf-8", has_bom: bool = False) -> SourceText:
    """The text of a file."""
    return SourceText(path, text, encoding, has_bom)


def encode(source: SourceText, text: str) -> bytes:
    """The bytes of `text` in the encoding of `source`, with the byte-order mark that `source` had."""
    return (_BYTE_ORDER_MARK + text if source.has_bom else text).encode(source.encoding)


class Span(Value):
    """A piece of a text; what a finding points at.

    Lines and columns are 1-based and the end is exclusive.
    `start` and `end` are offsets into the text.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int


class SourceText:
    """A decoded file without its byte-order mark; immutable; the table of lines and the digest are made when asked for.

    Attributes:
        path: what findings print.
        text: the whole of it.
        encoding: the name Python has for what the bytes were in.
        has_bom: whether a byte-order mark stood before the text.
    """

    def __init__(self, path: str, text: str, encoding: str, has_bom: bool) -> None:
        self.path = path
        self.text = text
        self.encoding = encoding
        self.has_bom = has_bom

    @cached_property
    def digest(self) -> bytes:
        """What another path, text, encoding or mark would change; made when asked for."""
        head = f"{len(self.path)}:{self.path}{self.encoding}:{self.has_bom}:"
        made = blake2b(head.encode("utf-8", "surrogatepass"), digest_size=20)
        made.update(self.text.encode("utf-8", "surrogatepass"))
        return made.digest()

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offsets at which lines begin."""
        return (0, *_line_ends(self.text))

    def span(self, start: int, end: int) -> Span:
        """The lines and columns of `text[start:end]`; offsets beyond the text are taken for its end."""
        size, starts = len(self.text), self.line_starts
        start = min(max(start, 0), size)
        end = min(max(end, start), size)
        line, end_line = bisect.bisect_right(starts, start), bisect.bisect_right(starts, end)
        return Span(line, start - starts[line - 1] + 1, end_line, end - starts[end_line - 1] + 1, start, end)

    def line(self, number: int) -> str:
        """The line of this 1-based number without its line end; empty beyond the last line."""
        if not 1 <= number <= len(self.line_starts):
            return ""
        start = self.line_starts[number - 1]
        following = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        line = self.text[start:following]
        return line[:-2] if line.endswith("\r\n") else line.rstrip("\r\n")


def _line_ends(text: str) -> list[int]:
    if "\r" in text:
        return [match.end() for match in _LINE_END().finditer(text)]
    ends = []
    end = text.find("\n") + 1
    while end:
        ends.append(end)
        end = text.find("\n", end) + 1
    return ends
