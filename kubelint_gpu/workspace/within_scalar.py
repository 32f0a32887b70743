"""Where a character of a text stands that is written as a YAML scalar: plain, quoted, or as a block of lines."""

from __future__ import annotations

_QUOTES = ("'", '"')
_ESCAPED = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}


def offset_within(text: str, value: str, offset: int) -> int | None:
    """The offset in `text`, which is the scalar as it is written, of the character at `offset` of its value.

    The end of the value is that of its last character. None where the two cannot be laid side by side.
    """
    place, quote = _begin(text)
    target = min(offset, len(value))
    for character in value[:target]:
        found = _step(text, place, character, quote)
        if found is None:
            return None
        place = found
    following = value[target : target + 1]
    if not following:
        return place
    while place < len(text) and text[place].isspace() and not following.isspace():
        place += 1
    return place


def _begin(text: str) -> tuple[int, str]:
    if text[:1] in ("|", ">"):
        header = text.find("\n")
        return (len(text) if header < 0 else header + 1), ""
    return (1, text[0]) if text[:1] in _QUOTES else (0, "")


def _step(text: str, place: int, character: str, quote: str) -> int | None:
    """The offset behind a character of the value; space may be folded, and lines are indented."""
    if character.isspace():
        if place < len(text) and text[place].isspace():
            return place + 1
        if text.startswith("\\", place) and quote == '"' and _ESCAPED.get(text[place + 1 : place + 2]) == character:
            return place + 2
        return place
    while place < len(text) and text[place].isspace():
        place += 1
    if text.startswith("''", place) and quote == "'":
        return place + 2 if character == "'" else None
    if text.startswith("\\", place) and quote == '"':
        return place + 2 if _ESCAPED.get(text[place + 1 : place + 2]) == character else None
    return place + 1 if text.startswith(character, place) else None
