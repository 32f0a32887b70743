"""One line of YAML while a user types it: dashes, a key, a value."""

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
