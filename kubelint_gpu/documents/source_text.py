"""The text of a file, and the offsets of its lines.

Lines are counted as editors and git do: they end only with LF, CR LF or CR.
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
    """Return the text of a file."""
    return SourceText(path, text, encoding, has_bom)


def encode(source: SourceText, text: str) -> bytes:
    """Return the bytes of `text` in the encoding of `source`, with the same byte-order mark."""
    return (_BYTE_ORDER_MARK + text if source.has_bom else text).encode(source.encoding)


class Span(Value):
    """A range of a text, for the place of a finding.

    Lines and columns are 1-based and the end is exclusive. `start` and `end` are offsets into the text.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int


class SourceText:
    """A decoded file without its byte-order mark; immutable; line offsets and digest are computed on demand.

    Attributes:
        path: the path that findings print.
        text: the whole text.
        encoding: Python's name of the file's encoding.
        has_bom: whether the file had a byte-order mark.
    """

    def __init__(self, path: str, text: str, encoding: str, has_bom: bool) -> None:
        self.path = path
        self.text = text
        self.encoding = encoding
        self.has_bom = has_bom

    @cached_property
    def digest(self) -> bytes:
        """Return a digest of the path, text, encoding and byte-order mark, computed on demand."""
        head = f"{len(self.path)}:{self.path}{self.encoding}:{self.has_bom}:"
        made = blake2b(head.encode("utf-8", "surrogatepass"), digest_size=20)
        made.update(self.text.encode("utf-8", "surrogatepass"))
        return made.digest()

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Return the offsets at which lines begin."""
        return (0, *_line_ends(self.text))

    def span(self, start: int, end: int) -> Span:
        """Return the lines and columns of `text[start:end]`; offsets beyond the text count as its end."""
        size, starts = len(self.text), self.line_starts
        start = min(max(start, 0), size)
        end = min(max(end, start), size)
        line, end_line = bisect.bisect_right(starts, start), bisect.bisect_right(starts, end)
        return Span(line, start - starts[line - 1] + 1, end_line, end - starts[end_line - 1] + 1, start, end)

    def line(self, number: int) -> str:
        """Return the line with this 1-based number without its line end; empty beyond the last line."""
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
