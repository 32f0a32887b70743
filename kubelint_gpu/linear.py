"""Regular expressions from the input, in Go's syntax, matched by RE2 in linear time."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=4096)
def compiled(expression: str) -> Any:
    """Return the compiled expression for `matches`; None if it is invalid in Go's syntax, or needs too much memory."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(_characters(expression), options)
    except re2.error:
        return None


@lru_cache(maxsize=16_384)
def matches(expression: str, text: str) -> bool:
    """Whether the expression matches the whole text; an invalid expression matches only itself."""
    found = compiled(expression)
    return text == expression if found is None else found.fullmatch(_characters(text)) is not None


def escaped(text: str) -> str:
    """Return an expression that matches only this text."""
    import re2

    quoted: str = re2.escape(_characters(text))
    return quoted


def _characters(text: str) -> str:
    """Return the text without halves of surrogate pairs, which stand for bytes of a file name that are not UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
