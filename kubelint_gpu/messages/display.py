"""How text of unknown origin appears in a terminal: what is seen of each code point, and how wide."""

from __future__ import annotations

from typing import TextIO

TAB = 4


def visible(text: str, *, unicode: bool = True) -> str:
    r"""The text with everything that could steer a terminal or hide in a line written out.

    Control characters, direction and zero-width characters, odd spaces and lone surrogates become \x1b or \u202e;
    without `unicode` so does all that is not ASCII.
    """
    if text.isprintable() and (unicode or text.isascii()):
        return text
    return "".join([_written_out(char, unicode) for char in text])


def cells(text: str) -> int:
    """The terminal cells that visible text takes: two for wide characters, none for combining ones."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def tab_stop(cell: int) -> int:
    """The cells from here to the next tab stop."""
    return TAB - cell % TAB


def _written_out(char: str, unicode: bool) -> str:
    if char.isprintable() and (unicode or char.isascii()):
        return char
    named = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}.get(char)
    if named is not None:
        return named
    point = ord(char)
    if point <= 0xFF:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def _cells(char: str) -> int:
    import unicodedata

    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def can_show(stream: TextIO) -> bool:
    """Whether the stream takes more than ASCII."""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "").replace("_", "")
    return encoding.startswith("utf")
