"""The place of a position in YAML, line by line and by indentation, while a user types. The text may be invalid."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from kubelint_gpu.documents import SourceText
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_KEY = pattern(r"""(?P<key>"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'{}\[\],#&*!|>%@`](?:[^:#]*[^:#\s])?)[ \t]*:(?=[ \t]|$)""")
_BLOCK = pattern(r"[|>][+-]?[0-9]?[+-]?[ \t]*(?:#.*)?")
_OPENING = pattern(r"(?:[&!]\S*(?:[ \t]+|\Z))*(?:#.*)?")


class TypedLine(Value):
    """A line; columns count from 0.

    Attributes:
        text: the line without its end.
        dashes: the columns of the dashes that begin elements.
        column: the column of the content after the dashes.
        key: the key without quotes; None without a key.
        key_end: the column after the key as written.
        value: the column of the value; beyond the end of the line if there is no value.
        end: the column after the value, without blanks and comment.
        comment: the column of the comment, or the end of the line.
    """

    text: str
    dashes: tuple[int, ...]
    column: int
    key: str | None
    key_end: int
    value: int
    end: int
    comment: int

    @property
    def blank(self) -> bool:
        """Whether the line has only blanks and a comment."""
        return not self.dashes and self.column >= self.end

    @property
    def first(self) -> int:
        """The column of the first character that is no blank."""
        return self.dashes[0] if self.dashes else self.column

    @property
    def opens(self) -> bool:
        """Whether the value of the key is on the following lines."""
        return self.key is not None and _OPENING().fullmatch(self.text, self.value, self.end) is not None

    @property
    def opens_block(self) -> bool:
        """Whether a block of text follows, which is no YAML."""
        return _BLOCK().fullmatch(self.text, self.value, self.end) is not None

    @property
    def scalar(self) -> str:
        """The value without quotes, as far as this line has it."""
        return unquoted(self.text[self.value : self.end])


def typed_line(text: str) -> TypedLine:
    """Return the parts of a line."""
    comment = _comment(text) if "#" in text else len(text)
    end = len(text[:comment].rstrip())
    at = len(text) - len(text.lstrip(" "))
    dashes = []
    while text[at : at + 1] == "-" and text[at + 1 : at + 2] in ("", " ", "\t"):
        dashes.append(at)
        at += 1
        while text[at : at + 1] in (" ", "\t"):
            at += 1
    key = _KEY().match(text, at, max(at, end)) if at < end else None
    if key is None:
        return TypedLine(text, tuple(dashes), at, None, at, at, max(at, end), comment)
    value = key.end()
    while value < end and text[value] in " \t":
        value += 1
    return TypedLine(text, tuple(dashes), at, unquoted(key["key"]), key.end("key"), value, max(value, end), comment)


def _comment(text: str) -> int:
    """Return the column of a `#` that begins a comment: at the beginning or after a blank, and outside of quotes."""
    quote = ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and (at == 0 or text[at - 1] in " \t{[,"):
            quote = char
        elif char == "#" and (at == 0 or text[at - 1] in " \t"):
            return at
    return len(text)


def unquoted(text: str) -> str:
    """Return a scalar without its quotes. The closing quote might be missing."""
    if text[:1] in ("'", '"'):
        quote = text[0]
        return text[1:-1] if len(text) > 1 and text.endswith(quote) else text[1:]
    return text


_TOKEN = pattern(
    r"""[{}\[\],]|:(?=[\s,}\]"'\[{]|$)|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s{}\[\],"':]+(?::(?=\S)[^\s{}\[\],"':]*)*|\s+"""
)

Path = tuple[str | None, ...]
Scalars = dict[str, str]


class TypedPlace(Value):
    """A position between the keys.

    Attributes:
        path: the keys from the document on, None for an element of a list; for a value, with its own key.
        role: a key of the mapping at the path, the value at the path, or an element that can become either.
        start: the offset of the token at the position.
        end: the offset after the token.
        word: the token without quotes.
        siblings: the scalars of the mapping around the token, by key.
        outer: the same for the mapping around the list of the token.
    """

    path: Path
    role: Literal["key", "value", "element"]
    start: int
    end: int
    word: str
    siblings: Scalars = field(default_factory=dict)
    outer: Scalars = field(default_factory=dict)


def typed_place(source: SourceText, offset: int) -> TypedPlace | None:
    """Return the place of an offset; None in comments, in block scalars, and at places without input."""
    span = source.span(offset, offset)
    return _Lines(source, span.line).place(span.column - 1)


class _Lines:
    """The lines around a line, up to the `---` before and after it."""

    def __init__(self, source: SourceText, number: int) -> None:
        self._source = source
        self._number = number
        self._known: dict[int, TypedLine | None] = {}

    def place(self, column: int) -> TypedPlace | None:
        line = self._line(self._number)
        if line is None or column > line.comment or (line.comment < len(line.text) and column == line.comment):
            return None
        if line.column > column and not (line.column >= line.end and not line.dashes):
            return None
        at = column if line.blank else line.column
        found = self._path(self._number, at, line.dashes)
        if found is None:
            return None
        path, keys = found
        siblings = self._siblings(self._number, at)
        outer = self._siblings(*keys[0]) if keys and path[-1:] == (None,) else {}
        value = line.value if line.key is not None else at
        begin = line.text[value : value + 1]
        if begin in ("{", "[") and column > value:
            return self._flow(line, value, column, (*path, line.key) if line.key is not None else path, siblings)
        if line.key is not None and column <= line.key_end:
            return self._token(path, "key", at, line.key_end, siblings, outer)
        if line.key is not None:
            start = min(value, column) if value < line.end else column
            return self._token((*path, line.key), "value", start, max(line.end, column), siblings, outer)
        role: Literal["key", "element"] = "element" if line.dashes else "key"
        return self._token(path, role, at, max(line.end, column), siblings, outer)

    def _flow(self, line: TypedLine, value: int, column: int, path: Path, siblings: Scalars) -> TypedPlace | None:
        found = flow_place(line.text, value, column, line.end)
        if found is None:
            return None
        outer: Scalars = siblings
        for level in found.levels[:-1]:
            path = (*path, level.key) if level.mapping else (*path, None)
            outer = level.entries if level.mapping else outer
        last = found.levels[-1]
        if not last.mapping:
            return self._token((*path, None), "element", found.start, found.end, {}, outer)
        if last.key is None:
            return self._token(path, "key", found.start, found.end, last.entries, outer)
        return self._token((*path, last.key), "value", found.start, found.end, last.entries, outer)

    def _token(
        self,
        path: Path,
        role: Literal["key", "value", "element"],
        start: int,
        end: int,
        siblings: Scalars,
        outer: Scalars,
    ) -> TypedPlace:
        base = self._source.line_starts[self._number - 1]
        word = unquoted(self._source.text[base + start : base + end])
        return TypedPlace(path, role, base + start, base + end, word, siblings, outer)

    def _line(self, number: int) -> TypedLine | None:
        """Return a line of the document; None beyond it."""
        if number not in self._known:
            text = self._source.line(number)
            outside = not 1 <= number <= len(self._source.line_starts) or text.startswith(("---", "..."))
            self._known[number] = None if outside else typed_line(text)
        return self._known[number]

    def _path(self, number: int, column: int, dashes: tuple[int, ...]) -> tuple[Path, list[tuple[int, int]]] | None:
        """Return the keys above a column and their places, the nearest first; None inside of a block scalar."""
        path: list[str | None] = [None] * len(dashes)
        keys: list[tuple[int, int]] = []
        limit = dashes[0] if dashes else column
        element = bool(dashes)
        while (line := self._line(number := number - 1)) is not None:
            if line.blank or line.first > limit or (element and line.dashes and line.first == limit):
                continue
            if line.first < limit and line.opens_block:
                return None
            if line.column < limit or (line.column == limit and element):
                if line.key is None or not line.opens:
                    continue
                path.append(line.key)
                keys.append((number, line.column))
                limit, element = line.column, False
            elif not line.dashes or element:
                continue
            if line.dashes:
                path += [None] * len(line.dashes)
                limit, element = line.first, True
        return tuple(reversed(path)), keys

    def _siblings(self, number: int, column: int) -> Scalars:
        """Return the scalars of the mapping whose keys begin in a column."""
        scalars: Scalars = {}
        for step in (-1, 1):
            at = number
            line = self._line(at)
            while line is not None:
                if not line.blank and at != number and (line.first < column and (step > 0 or not line.dashes)):
                    break
                if line.key is not None and line.column == column and not line.opens:
                    scalars.setdefault(line.key, line.scalar)
                if step < 0 and line.dashes and line.first < column:
                    break
                at += step
                line = self._line(at)
        return scalars


class Level(Struct):
    """An open bracket.

    `entries` are the scalars of a mapping so far; `key` is the key of the next value.
    """

    mapping: bool
    entries: dict[str, str] = field(default_factory=dict)
    key: str | None = None


class FlowPlace(Value):
    """The brackets around a position, and the columns of the token at or before it, as written."""

    levels: tuple[Level, ...]
    start: int
    end: int


def flow_place(text: str, begin: int, column: int, stop: int) -> FlowPlace | None:
    """Return the place of a column in a line whose flow collection begins at `begin`; None after its end."""
    levels: list[Level] = []
    start = end = column
    at = begin
    while at < column:
        match = _TOKEN().match(text, at, stop)
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
        match = _TOKEN().match(text, column, stop)
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
    """Add the entries after the position, up to the end of its bracket."""
    if not levels or not levels[-1].mapping:
        return
    level, depth = Level(mapping=True), 0
    while at < stop and (match := _TOKEN().match(text, at, stop)) is not None:
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
