"""One line of YAML as somebody types it: dashes, a key, a value."""

from __future__ import annotations

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
        column: where what follows them begins.
        key: the key as it means, None without one.
        key_end: the column behind the key as it is written.
        value: the column where the value begins; behind the line's end where there is none.
        end: the column behind the value, without blanks and comment.
        comment: the column of the comment, or of the line's end.
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
        """Whether it holds nothing but blanks and a comment."""
        return not self.dashes and self.column >= self.end

    @property
    def first(self) -> int:
        """The column of the first thing on it."""
        return self.dashes[0] if self.dashes else self.column

    @property
    def opens(self) -> bool:
        """Whether the value of its key is to come on the following lines."""
        return self.key is not None and _OPENING().fullmatch(self.text, self.value, self.end) is not None

    @property
    def opens_block(self) -> bool:
        """Whether text follows that is no YAML."""
        return _BLOCK().fullmatch(self.text, self.value, self.end) is not None

    @property
    def scalar(self) -> str:
        """The value as it means, as far as one line tells."""
        return unquoted(self.text[self.value : self.end])


def typed_line(text: str) -> TypedLine:
    """The parts of a line."""
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
    """Where a `#` begins a comment: at the beginning or behind a blank, and not inside of quotes."""
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
    """A scalar without its quotes, the closing one of which may not be typed yet."""
    if text[:1] in ("'", '"'):
        quote = text[0]
        return text[1:-1] if len(text) > 1 and text.endswith(quote) else text[1:]
    return text
