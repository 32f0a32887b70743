"""Text of a file, and where its lines begin.

Lines are those that editors and git count: they end with LF, CR LF or CR and with nothing else.
Offsets and columns count Unicode code points.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from kubelint_gpu.values import dataclass, field

_LINE_END = re.compile(r"\r\n|\n|\r")
_BYTE_ORDER_MARK = "\ufeff"


def source_text(path: str, text: str, *, encoding: str = "utf-8", has_bom: bool = False) -> SourceText:
    """The text with its table of lines."""
    if "\r" in text:
        ends = [match.end() for match in _LINE_END.finditer(text)]
    else:
        ends = []
        end = text.find("\n") + 1
        while end:
            ends.append(end)
            end = text.find("\n", end) + 1
    return SourceText(path, text, encoding, has_bom, (0, *ends))


def encode(source: SourceText, text: str) -> bytes:
    """The bytes of `text` in the encoding of `source`, with the byte-order mark that `source` had."""
    return (_BYTE_ORDER_MARK + text if source.has_bom else text).encode(source.encoding)


@dataclass(frozen=True, slots=True)
class Span:
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


@dataclass(frozen=True, slots=True, eq=False)
class SourceText:
    """A decoded file without its byte-order mark.

    `path` is what findings print.
    `encoding` is the name Python has for what the bytes were in.
    """

    path: str
    text: str = field(repr=False)
    encoding: str
    has_bom: bool
    line_starts: tuple[int, ...] = field(repr=False)

    def span(self, start: int, end: int) -> Span:
        """The lines and columns of `text[start:end]`; offsets beyond the text are taken for its end."""
        start = min(max(start, 0), len(self.text))
        end = min(max(end, start), len(self.text))
        line = bisect_right(self.line_starts, start)
        end_line = bisect_right(self.line_starts, end)
        return Span(
            line,
            start - self.line_starts[line - 1] + 1,
            end_line,
            end - self.line_starts[end_line - 1] + 1,
            start,
            end,
        )

    def line(self, number: int) -> str:
        """The line of this 1-based number without its line end; empty beyond the last line."""
        if not 1 <= number <= len(self.line_starts):
            return ""
        start = self.line_starts[number - 1]
        following = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        line = self.text[start:following]
        return line[:-2] if line.endswith("\r\n") else line.rstrip("\r\n")
