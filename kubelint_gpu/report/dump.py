"""Writes JSON in pieces: well-formed UTF-8, and harmless when printed to a terminal."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from kubelint_gpu.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ODD = pattern(
    "[\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]|#(?=#\\w*\\[)"
)
"""Only strings can hold these: control and direction characters, lone surrogates, and what begins a command of CI."""


def dump(value: Any, *, indent: int | None = None, margin: int = 0) -> str:
    """Return the value as JSON, its lines after the first indented by `margin`.

    Unusual characters are escaped; a lone surrogate, which UTF-8 cannot hold, becomes U+FFFD.
    """
    separators = (", ", ": ") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    if not text.isascii() or "##" in text:
        text = _ODD().sub(_escaped, text)
    text = text.replace("\x7f", "\\u007f")
    return text.replace("\n", "\n" + " " * margin) if margin and indent is not None else text


def array(values: Iterable[Any], *, indent: int | None = None, margin: int = 0) -> Iterator[str]:
    """Yield a JSON array with one value at a time in memory; each begins a line at `margin` + 2."""
    inner = margin + 2
    opening = "["
    for value in values:
        yield f"{opening}\n{' ' * inner}{dump(value, indent=indent, margin=inner)}"
        opening = ","
    yield "[]" if opening == "[" else f"\n{' ' * margin}]"


def _escaped(match: re.Match[str]) -> str:
    point = ord(match[0])
    return "\ufffd" if 0xD800 <= point <= 0xDFFF else f"\\u{point:04x}"
