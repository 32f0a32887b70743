"""Where a position stands inside of `{…}` and `[…]` on one line."""

from __future__ import annotations

from kubelint_gpu.lsp.typed.typed_line import unquoted
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import dataclass, field

_TOKEN = pattern(
    r"""[{}\[\],]|:(?=[\s,}\]"'\[{]|$)|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s{}\[\],"':]+(?::(?=\S)[^\s{}\[\],"':]*)*|\s+"""
)


@dataclass(slots=True)
class Level:
    """One bracket that is open.

    `entries` are the scalars of a mapping so far; `key` is the key whose value comes now.
    """

    mapping: bool
    entries: dict[str, str] = field(default_factory=dict)
    key: str | None = None


@dataclass(frozen=True, slots=True)
class FlowPlace:
    """The brackets around a position, and the token that it is in or behind: its columns, as it is written."""

    levels: tuple[Level, ...]
    start: int
    end: int


def flow_place(text: str, begin: int, column: int, stop: int) -> FlowPlace | None:
    """The place of a column in a line whose flow collection begins at `begin`; None where the collection has ended."""
    levels: list[Level] = []
    start = end = column
    at = begin
    while at < column:
        match = _TOKEN.match(text, at, stop)
        if match is None:
            at += 1
            continue
        piece, at = match[0], match.end()
        if piece in "{[":
            levels.append(Level(piece == "{"))
        elif piece in "}]":
            if levels:
                levels.pop()
            if not levels:
                return None
        elif piece == ",":
            levels[-1].key = None
        elif piece == ":" or piece.isspace():
            pass
        elif at >= column:
            start, end = match.start(), at
        elif levels and levels[-1].mapping:
            _entry(levels[-1], piece, followed=text[at:stop].lstrip().startswith(":"))
    if start == end:
        match = _TOKEN.match(text, column, stop)
        if match is not None and match[0][0] not in "{}[],: \t":
            start, end = match.span()
    _rest(levels, text, end, stop)
    return FlowPlace(tuple(levels), start, end) if levels else None


def _entry(level: Level, piece: str, *, followed: bool) -> None:
    if followed:
        level.key = unquoted(piece)
    elif level.key is not None:
        level.entries[level.key] = unquoted(piece)


def _rest(levels: list[Level], text: str, at: int, stop: int) -> None:
    """The entries behind the position, up to the end of its bracket."""
    if not levels or not levels[-1].mapping:
        return
    level, depth = Level(mapping=True), 0
    while at < stop and (match := _TOKEN.match(text, at, stop)) is not None:
        piece, at = match[0], match.end()
        if piece in "{[":
            depth += 1
        elif piece in "}]":
            depth -= 1
            if depth < 0:
                break
        elif piece == "," and not depth:
            level.key = None
        elif not depth and piece != ":" and not piece.isspace():
            _entry(level, piece, followed=text[at:stop].lstrip().startswith(":"))
    levels[-1].entries.update(level.entries)
