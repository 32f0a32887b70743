"""Colours and signs of the terminal report, and text wrapped to its width."""

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
    """The capabilities of the terminal."""

    color: bool
    unicode: bool
    width: int

    @property
    def rule(self) -> str:
        """Return the line between the numbers and the text of a file."""
        return "│" if self.unicode else "|"

    @property
    def ellipsis(self) -> str:
        """Return the sign for omitted text."""
        return "…" if self.unicode else "..."

    @property
    def bullet(self) -> str:
        """Return the sign before an item of a list."""
        return "•" if self.unicode else "-"

    @property
    def brace(self) -> tuple[str, str, str, str]:
        """Return the signs of a range of lines: its start, its side, its end, and the line to its last column."""
        return ("╭", "│", "╰", "─") if self.unicode else ("/", "|", "|", "_")

    def paint(self, style: Style, text: str) -> str:
        """Return the text in a colour, or unchanged if colours are off."""
        return f"{_CODES[style]}{text}{_RESET}" if self.color and text else text

    def show(self, text: str) -> str:
        """Return the text with control characters made visible, and in ASCII if the terminal needs it."""
        return visible(text, unicode=self.unicode)

    def wrap(self, text: str, *, first: int, hang: int) -> list[str]:
        """Return visible text in lines that fit; the first begins at cell `first`, the others at `hang`.

        No token is ever split, so a token wider than the terminal stands on its own line.
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
    """Yield lines of at most so many cells, for text whose characters take one cell each."""
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
    """Return the theme for a terminal; a very narrow terminal counts as a little wider."""
    return Theme(options.color, options.unicode, max(options.width, LEAST_WIDTH))
