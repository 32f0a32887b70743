"""Variables in a text, filled in as Flux does it.

Mirrors `parse/parse.go`, `parse/scan.go`, `template.go` and `funcs.go` of github.com/fluxcd/pkg/envsubst.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kubelint_gpu.patterns import pattern

_NAME = pattern(r"[^\W]+")
_CASE = pattern(r"[,^]{1,2}")
_REMOVED = pattern(r"##?|%%?")
_REPLACED = pattern(r"/[/#%]?")
_COLONS = pattern(r":+")
_SLASHES = pattern(r"/+")
_IN_TEXT = pattern(r"\$\$|\$\{")
_IN_ARGUMENT = pattern(r"\$\{|\}")
_IN_OFFSET = pattern(r"\$\{|[:}]")
_IN_SOUGHT = pattern(r"\$\$|\\[/\\]|\$\{|/")
_IN_OTHER = pattern(r"\$\$|\\[/\\]|\$\{|\}")
_ESCAPED = {"$$": "$", "\\/": "/", "\\\\": "\\"}
_INTEGER = pattern(r"[+-]?[0-9]+")
_GLOB = pattern(r"[*?\[\\]")
_DEEPEST = 50
MOST_FILLED = 64 * 1024 * 1024
"""Characters of values that are put into one text."""
Lookup = Callable[[str, bool], str | None]
"""The value of a variable by its name, and by whether its use names a default; None if nobody knows it."""


class SubstitutionError(Exception):
    """Flux would refuse the text; the message says why."""


def filled(text: str, lookup: Lookup) -> str:
    """Return the text with its variables filled in; an unknown variable without a default stays as it is.

    Raises:
        SubstitutionError: Flux does not accept the text behind `${`, or the values are too long.
    """
    return _Filling(text, lookup).all()


class _Filling:
    """Fills in one text, from left to right."""

    def __init__(self, text: str, lookup: Lookup) -> None:
        self._text = text
        self._lookup = lookup
        self._at = 0
        self._size = 0

    def all(self) -> str:
        """Return the whole text, filled in."""
        parts = []
        while self._at < len(self._text):
            parts.append(self._until(_IN_TEXT()))
            if self._at < len(self._text):
                parts.append(self._use(0))
        return "".join(parts)

    def _until(self, marks: re.Pattern[str]) -> str:
        """Return the text up to the next unescaped mark, or the rest."""
        parts = []
        while (mark := marks.search(self._text, self._at)) is not None:
            parts.append(self._text[self._at : mark.start()])
            if mark[0] not in _ESCAPED:
                self._at = mark.start()
                return "".join(parts)
            parts.append(_ESCAPED[mark[0]])
            self._at = mark.end()
        parts.append(self._text[self._at :])
        self._at = len(self._text)
        return "".join(parts)

    def _use(self, depth: int) -> str:
        """Return the replacement of `${…}`."""
        begin = self._at
        if depth > _DEEPEST:
            raise self._refused(begin)
        self._at += 2
        if self._next() == "#":
            self._at += 1
            name = self._name(begin)
            self._close(begin)
            value = self._value(name)
            return _unknown(name) if value is None else str(len(value.encode()))
        name = self._name(begin)
        ahead = self._text[self._at : self._at + 2]
        if ahead[:1] == "=" or ahead in (":=", ":-", ":?", ":+"):
            return self._default(name, begin, depth)
        value = self._value(name)
        change = self._change(begin, depth)
        self._close(begin)
        found = change(value) if value is not None else None
        return _unknown(name) if found is None else found

    def _value(self, name: str, *, has_default: bool = False) -> str | None:
        value = self._lookup(name, has_default)
        self._size += len(value or "")
        if self._size > MOST_FILLED:
            raise SubstitutionError(
                f"the values of its variables have more than {MOST_FILLED >> 20} million characters"
            )
        return value

    def _default(self, name: str, begin: int, depth: int) -> str:
        value = self._value(name, has_default=True)
        self._at += 1 if self._next() == "=" else 2
        arguments = []
        while self._next() not in ("}", ""):
            arguments.append(self._argument(_IN_ARGUMENT(), begin, depth))
        self._close(begin)
        return _unknown(name) if value is None else value or "".join(arguments)

    def _change(self, begin: int, depth: int) -> Callable[[str], str | None]:
        """Return the operation on the value; the operation returns None if it is not supported here."""
        if name := self._taken(_CASE()):
            return lambda value: _cased(name, value)
        if name := self._taken(_REPLACED()):
            sought = self._argument(_IN_SOUGHT(), begin, depth)
            if not self._taken(_SLASHES()):
                raise self._refused(begin)
            other = "" if self._next() == "}" else self._argument(_IN_OTHER(), begin, depth)
            return lambda value: (
                _replaced(name, value, sought, other) if len(value) * len(other) < MOST_FILLED else None
            )
        if name := self._taken(_REMOVED()):
            away = self._argument(_IN_ARGUMENT(), begin, depth)
            return lambda value: None if value and _GLOB().search(away) else _without(name, value, away)
        if self._next() == ":":
            self._at += 1
            start = self._argument(_IN_OFFSET(), begin, depth)
            length = self._argument(_IN_ARGUMENT(), begin, depth) if self._taken(_COLONS()) else None
            return lambda value: _part(value, start, length)
        return lambda value: value

    def _argument(self, marks: re.Pattern[str], begin: int, depth: int) -> str:
        if self._text.startswith("${", self._at):
            return self._use(depth + 1)
        found = self._until(marks)
        if not found:
            raise self._refused(begin)
        return found

    def _name(self, begin: int) -> str:
        name = self._taken(_NAME())
        if not name:
            raise self._refused(begin)
        return name

    def _close(self, begin: int) -> None:
        if self._next() != "}":
            raise self._refused(begin)
        self._at += 1

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _taken(self, shape: re.Pattern[str]) -> str:
        found = shape.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]

    def _refused(self, begin: int) -> SubstitutionError:
        line = self._text[begin : begin + 40].partition("\n")[0]
        return SubstitutionError(f"{line} is no variable; $${{ stands for a dollar sign and a bracket")


def _unknown(name: str) -> str:
    return f"${{{name}}}"


def _cased(name: str, value: str) -> str:
    if name in (",^", "^,"):
        return value
    change = str.lower if name[0] == "," else str.upper
    return change(value) if len(name) == 2 else change(value[:1]) + value[1:]


def _replaced(name: str, value: str, sought: str, other: str) -> str:
    if name == "/#":
        return other + value[len(sought) :] if value.startswith(sought) else value
    if name == "/%":
        return value.removesuffix(sought) + other if value.endswith(sought) else value
    return value.replace(sought, other, 1 if name == "/" else -1)


def _without(name: str, value: str, away: str) -> str:
    return value.removeprefix(away) if name[0] == "#" else value.removesuffix(away)


def _part(value: str, start: str, length: str | None) -> str:
    """Return the substring of a value by bytes; the whole value if `start` or `length` is no number."""
    if _INTEGER().fullmatch(start) is None or (length is not None and _INTEGER().fullmatch(length) is None):
        return value
    data = value.encode()
    begin = int(start) if int(start) >= 0 else max(len(data) + int(start), 0)
    end = len(data) if length is None else begin + int(length)
    return data[begin:end].decode(errors="replace")
