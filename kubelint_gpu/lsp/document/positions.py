"""Converts columns: editors count units of the negotiated encoding, everything else here counts code points."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.documents import SourceText
from kubelint_gpu.findings.finding import Place

_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def units(text: str, encoding: str) -> int:
    """Return how many units of `utf-8`, `utf-16` or `utf-32` a text takes."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    codec, size = _CODECS[encoding]
    return len(text.encode(codec, "surrogatepass")) // size


def code_points(line: str, character: int, encoding: str) -> int:
    """Return how many code points of a line precede a position. A position inside of a code point is before it."""
    if encoding == "utf-32" or line.isascii():
        return min(max(character, 0), len(line))
    at = 0
    for index, char in enumerate(line):
        at += units(char, encoding)
        if at > character:
            return index
    return len(line)


def offset(source: SourceText, line: int, character: int, encoding: str) -> int:
    """Return the offset of an editor's position, counted from 0. A place beyond a line or the text is its end."""
    if line >= len(source.line_starts):
        return len(source.text)
    shift = _mark(source, line + 1)
    return source.line_starts[max(line, 0)] + code_points(source.line(line + 1), character - shift, encoding)


def position(source: SourceText, line: int, column: int, encoding: str) -> dict[str, int]:
    """Return the editor's position of a 1-based line and column."""
    before = source.line(line)[: column - 1]
    return {"line": line - 1, "character": units(before, encoding) + _mark(source, line)}


def place_range(source: SourceText | None, place: Place, encoding: str) -> dict[str, Any]:
    """Return the editor's range of a place; without a text, the beginning of the file."""
    if source is None:
        return {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    return {
        "start": position(source, place.line, place.column, encoding),
        "end": position(source, place.end_line, place.end_column, encoding),
    }


def offset_range(source: SourceText, start: int, end: int, encoding: str) -> dict[str, Any]:
    """Return the editor's range of a piece of the text."""
    span = source.span(start, end)
    return place_range(source, Place("", span.line, span.column, span.end_line, span.end_column), encoding)


def _mark(source: SourceText, line: int) -> int:
    """Return the width of a byte-order mark on the first line, which the editor has in its text."""
    return 1 if line == 1 and source.has_bom else 0
