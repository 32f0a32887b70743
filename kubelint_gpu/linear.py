"""Regular expressions that input brings: Go's syntax, matched by RE2 in time that grows with the text alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=4096)
def compiled(expression: str) -> Any:
    """The expression for `matches`; None where it is none in Go's syntax, or one that needs too much memory."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(_characters(expression), options)
    except re2.error:
        return None


@lru_cache(maxsize=16_384)
def matches(expression: str, text: str) -> bool:
    """Whether the whole text is what an expression describes; one that is none describes itself."""
    found = compiled(expression)
    return text == expression if found is None else found.fullmatch(_characters(text)) is not None


def escaped(text: str) -> str:
    """An expression for this text alone."""
    import re2

    quoted: str = re2.escape(_characters(text))
    return quoted


def _characters(text: str) -> str:
    """The text without halves of surrogate pairs, which stand for bytes of a file's name that are no UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
