"""Makes text of unknown origin safe for terminals and CI runners: how each code point looks, and how wide it is."""

from __future__ import annotations

from typing import TextIO

import click

from kubelint_gpu.patterns import pattern

TAB = 4
_ENDS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_COMMAND = pattern(rf"(?:(?<=[{_ENDS}])|\A)((?:[^\S{_ENDS}]|\x1b\[[0-9;]*m)*):(?=:)")
_MARKED_COMMAND = pattern(r"#(?=#\w*\[)")


def visible(text: str, *, unicode: bool = True, keep: str = "") -> str:
    r"""The text with all characters escaped that could control a terminal or a CI runner, or hide in a line.

    Control characters, direction and zero-width characters, odd spaces and lone surrogates become \x1b or \u202e,
    except for those in `keep`; without `unicode`, all non-ASCII characters, too. In ##[ the first sign is escaped.
    """
    if not (text.isprintable() and (unicode or text.isascii())):
        text = "".join([char if char in keep else _written_out(char, unicode) for char in text])
    return _MARKED_COMMAND().sub(r"\\x23", text) if "##" in text else text


def commandless(text: str) -> str:
    """Whole lines, with the first sign escaped if a line begins like a command of a CI runner.

    A runner looks for `::` after blanks, and for ##[ anywhere.
    """
    if "##" in text:
        text = _MARKED_COMMAND().sub(r"\\x23", text)
    return _COMMAND().sub(r"\1\\x3a", text) if "::" in text else text


def cells(text: str) -> int:
    """The width of visible text in terminal cells: two for wide characters, none for combining ones."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def tab_stop(cell: int) -> int:
    """The number of cells from here to the next tab stop."""
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
    """Whether the stream can encode more than ASCII."""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "").replace("_", "")
    return encoding.startswith("utf")


def say(text: str, *, err: bool = False, nl: bool = True, color: bool | None = None) -> None:
    """Print whole lines; `nl` ends the last one."""
    click.echo(commandless(text), err=err, nl=nl, color=color)
