"""Reads only the head of documents: the syntax is parsed as usual, but the body is not built.

Custom resource definitions make up most bytes of real repositories, and no rule needs their schemas.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from kubelint_gpu.documents.parser import c_parser
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

# Below this size building the document costs no more than looking at its text.
MIN_LENGTH = 4096

_KIND = pattern(r"kind:[ \t]*([\w.-]+)[ \t]*(?:#[^\r\n]*)?\r?$", re.MULTILINE)
_SPEC = pattern(r"spec:[ \t]*(?:#[^\r\n]*)?\r?\n")
# The line end before a line that is neither empty nor part of what stands above it.
_OUTDENTED = pattern(r"\n(?=[^ \t#\r\n-]|\r(?!\n))")
# An alias may stand for an anchor of the body, or repeat one of the head within it.
_ALIAS = pattern(r"(?<=[\s,\[{])\*[^\s,\[\]{}]+(?:[ \t]*(?=[,\]}\r\n#])|(?<=:)[ \t]|[ \t]+:)")


class Skimmed(Value):
    """A document with blanks in place of the body of its `spec`, which keeps every offset, and the body's offsets."""

    text: str
    start: int
    end: int


def skim(text: str, kinds: Collection[str]) -> Skimmed | None:
    """Return the document without the body of its `spec`; None if it is short, of another kind, or unusual."""
    if not kinds or len(text) < MIN_LENGTH:
        return None
    kind, spec = _only(text, "kind:"), _only(text, "spec:")
    if kind is None or spec is None:
        return None
    found, head = _KIND().match(text, kind), _SPEC().match(text, spec)
    if found is None or found[1] not in kinds or head is None:
        return None
    start = head.end()
    last = _OUTDENTED().search(text, start - 1)
    end = (last.start() if last is not None else text.rfind("\n")) + 1
    if end <= start:
        return None
    if text.find("*", start, end) >= 0 and _ALIAS().search(text, start, end):
        return None
    return Skimmed(f"{text[:start]}{' ' * (end - start - 1)}\n{text[end:]}", start, end)


def _only(text: str, key: str) -> int | None:
    """Return where the only line that starts with a key begins; None if there are none or several."""
    after = f"\n{key}"
    place = 0 if text.startswith(key) else text.find(after) + 1
    if not place and not text.startswith(key):
        return None
    return None if text.find(after, place) >= 0 else place


def parses(text: str) -> bool:
    """Whether the C parser is installed and can parse the text; errors are reported by a full reading."""
    parser = c_parser()
    if parser is None:
        return False
    from ruamel.yaml.error import YAMLError

    try:
        parser(text).raw_parse()
    except YAMLError:
        return False
    return True
