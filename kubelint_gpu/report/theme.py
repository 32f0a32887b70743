"""Colours and signs of the terminal report, and prose that fits its width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kubelint_gpu.messages.display import cells, visible
from kubelint_gpu.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubelint_gpu.report.content import Options

Style = Literal["bold", "error", "warning", "note", "frame", "good"]

NARROW = 60
LEAST_WIDTH = 24

_CODES: dict[Style, str] = {
    "bold": "\x1b[1m",
    "error": "\x1b[1;31m",
    "warning": "\x1b[1;33m",
    "note": "\x1b[1;36m",
    "frame": "\x1b[1;34m",
    "good": "\x1b[36m",
}
_RESET = "\x1b[0m"


class Theme(Value):
    """What the terminal can show."""

    color: bool
    unicode: bool
    width: int

    @property
    def rule(self) -> str:
        """The line between the numbers and the text of a file."""
        return "│" if self.unicode else "|"

    @property
    def ellipsis(self) -> str:
        """Stands for text that is left out."""
        return "…" if self.unicode else "..."

    @property
    def bullet(self) -> str:
        """Opens one sentence of a list."""
        return "•" if self.unicode else "-"

    @property
    def brace(self) -> tuple[str, str, str, str]:
        """Opens and continues a range of several lines, turns at its end, and runs to its last column."""
        return ("╭", "│", "╰", "─") if self.unicode else ("/", "|", "|", "_")

    def paint(self, style: Style, text: str) -> str:
        """The text in a colour, or as it is where colours are off."""
        return f"{_CODES[style]}{text}{_RESET}" if self.color and text else text

    def show(self, text: str) -> str:
        """The text with control characters written out, and all but ASCII where only ASCII can be shown."""
        return visible(text, unicode=self.unicode)

    def wrap(self, text: str, *, first: int, hang: int) -> list[str]:
        """Visible text in lines that fit; the first begins at cell `first`, the others at `hang`.

        No token is ever split, so one that is wider than the terminal stands on a line of its own.
        """
        if text.isascii():
            return [line.rstrip() for line in _cut(text, self.width - first, self.width - hang)]
        lines: list[str] = []
        words: list[str] = []
        end = first
        for word in text.split(" "):
            size = cells(word)
            if words and end + 1 + size > self.width:
                lines.append(" ".join(words))
                words, end = [], hang
            end += size + (1 if words else 0)
            words.append(word)
        lines.append(" ".join(words))
        return [line.rstrip() for line in lines]


def _cut(text: str, first: int, others: int) -> Iterator[str]:
    """A text of characters of one cell in lines of so many."""
    start, room = 0, first
    while len(text) - start > room:
        space = text.rfind(" ", start, start + max(room, 0) + 1)
        space = space if space >= 0 else text.find(" ", start)
        if space < 0:
            break
        yield text[start:space]
        start, room = space + 1, others
    yield text[start:]


def theme_of(options: Options) -> Theme:
    """The theme for a terminal; one too narrow to read is taken a little wider."""
    return Theme(options.color, options.unicode, max(options.width, LEAST_WIDTH))
