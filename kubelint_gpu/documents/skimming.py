"""Documents of which only the head is wanted: their syntax is parsed as of all others, their body is not built.

Custom resource definitions are most of the bytes of real repositories, and nobody asks for what is in their schemas.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kubelint_gpu.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

# Below this size building the document costs no more than looking at its text.
MIN_LENGTH = 4096

_KIND = re.compile(r"^kind:[ \t]*([\w.-]+)[ \t]*(?:#[^\r\n]*)?\r?$", re.MULTILINE)
_BODY = re.compile(r"^spec:[ \t]*(?:#[^\r\n]*)?\r?\n((?:(?:[ \t#-][^\n]*)?\r?\n)*)", re.MULTILINE)
# An alias may stand for an anchor of the body, or repeat one of the head within it.
_ALIAS = re.compile(r"(?<=[\s,\[{])\*[^\s,\[\]{}]+[ \t]*(?=[,\]}\r\n#])")


@dataclass(frozen=True, slots=True)
class Skimmed:
    """A document with blanks where the body of its `spec` stands, so that every offset stays; and where that is."""

    text: str
    start: int
    end: int


def skim(text: str, kinds: Collection[str]) -> Skimmed | None:
    """The document without the body of its `spec`, None where it is short, of another kind, or of an unusual shape."""
    if not kinds or len(text) < MIN_LENGTH:
        return None
    found = _KIND.findall(text)
    if len(found) != 1 or found[0] not in kinds:
        return None
    body = _BODY.search(text)
    if body is None or _ALIAS.search(text, *body.span(1)) or text.find("\nspec:", body.end()) >= 0:
        return None
    start, end = body.span(1)
    return Skimmed(f"{text[:start]}{' ' * (end - start - 1)}\n{text[end:]}", start, end)


def parses(text: str) -> bool:
    """Whether the C parser is there and makes out the text; what is wrong with another one a full reading tells."""
    try:
        from _ruamel_yaml import CParser  # type: ignore[import-not-found]
    except ImportError:
        return False
    from ruamel.yaml.error import YAMLError

    try:
        CParser(text).raw_parse()
    except YAMLError:
        return False
    return True
