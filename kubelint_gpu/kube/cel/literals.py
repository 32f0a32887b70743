"""Literals of the language: numbers, strings with their escapes, bytes."""

from __future__ import annotations

import re
from typing import Any

from kubelint_gpu.patterns import pattern

_ESCAPE = pattern(r"\\(x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|.)", re.DOTALL)
_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "`": "`",
    "?": "?",
}


class BadLiteral(ValueError):  # noqa: N818 - it names the thing
    """A literal that means nothing."""


def integer(text: str) -> int:
    """An int literal.

    Raises:
        BadLiteral: it is no int64.
    """
    found = _number(text)
    if not -(2**63) <= found < 2**63:
        raise BadLiteral("invalid int literal")
    return found


def unsigned(text: str) -> int:
    """A uint literal.

    Raises:
        BadLiteral: it is no uint64.
    """
    found = _number(text[:-1])
    if not 0 <= found < 2**64:
        raise BadLiteral("invalid uint literal")
    return found


def _number(text: str) -> int:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if digits[:2] in ("0x", "0X"):
        return sign * int(digits[2:20] or "0", 16) if len(digits) <= 20 else 2**65
    return sign * int(digits) if len(digits) <= 40 else 2**65


def string(text: str) -> str:
    """A string literal.

    Raises:
        BadLiteral: an escape means nothing.
    """
    raw = text[0] in "rR"
    body = _body(text[1:] if raw else text)
    return body if raw or "\\" not in body else _ESCAPE().sub(lambda found: _unescaped(found[1], limit=0x110000), body)


def byte_string(text: str) -> bytes:
    """A bytes literal.

    Raises:
        BadLiteral: an escape means nothing.
    """
    rest = text[1:]
    raw = rest[0] in "rR"
    body = _body(rest[1:] if raw else rest)
    if raw or "\\" not in body:
        return body.encode()
    found = bytearray()
    last = 0
    for escape in _ESCAPE().finditer(body):
        found += body[last : escape.start()].encode()
        what = escape[1]
        if what[0] in "uU":
            raise BadLiteral("invalid bytes literal")
        found += bytes((ord(_unescaped(what, limit=256)),))
        last = escape.end()
    return bytes(found + body[last:].encode())


def _body(text: str) -> str:
    width = 3 if text[:3] in ('"""', "'''") else 1
    return text[width:-width].replace("\r\n", "\n").replace("\r", "\n")


def _unescaped(what: str, *, limit: int) -> str:
    if what[0] in "xXuU" and len(what) > 1:
        number = int(what[1:], 16)
    elif what[0] in "0123" and len(what) == 3:
        number = int(what, 8)
    else:
        if what not in _SIMPLE:
            raise BadLiteral("unable to unescape string")
        return _SIMPLE[what]
    if number >= limit or 0xD800 <= number < 0xE000:
        raise BadLiteral("invalid unicode code point")
    return chr(number)


def literal(kind: str, text: str) -> tuple[str, Any]:
    """Type and value of a literal token of the grammar.

    Raises:
        BadLiteral: it means nothing.
    """
    if kind == "INT_LIT":
        return "int", integer(text)
    if kind == "UINT_LIT":
        return "uint", unsigned(text)
    if kind == "FLOAT_LIT":
        return "double", float(text)
    if kind in ("STRING_LIT", "MLSTRING_LIT"):
        return "string", string(text)
    if kind == "BYTES_LIT":
        return "bytes", byte_string(text)
    if kind == "BOOL_LIT":
        return "bool", text == "true"
    return "null", None
