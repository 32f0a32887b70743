"""The pieces of a Go template: literal text, and actions.

The rules are those of Go's `text/template`, as Helm 3.20 and 4.2 use it: delimiters, trim markers, comments, and
strings within actions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value, replace

Kind = Literal["text", "output", "control", "silent"]
_SPACE = " \t\r\n"
_DEEPEST = 100
_MOST_PARTS = 20
_COMMENT = pattern(r"\{\{(?P<left>-\s+)?/\*")
_COMMENT_END = pattern(r"\*/(?P<right>\s-)?\}\}")
_ACTION = pattern(
    r"\{\{(?P<left>-\s)?(?P<inner>(?:\"(?:\\.|[^\"\\\n])*\"|`[^`]*`|'(?:\\.|[^'\\\n])*'|(?!\}\}|\s-\}\})[^\"`'])*)"
    r"(?P<right>\s-)?\}\}"
)
_WORD = pattern(r"\s*(?P<word>[a-z]+)\b")
_ASSIGNED = pattern(r"\s*\$\w*(?:\s*,\s*\$\w*)?\s*:?=")
_OPENING = frozenset(("if", "range", "with", "define", "block"))
_CONTROL = _OPENING | {"else", "end", "break", "continue"}
_DEFINED = pattern(r"\s*(?:define|block)\s+(?:\"(?P<quoted>(?:\\.|[^\"\\])*)\"|`(?P<raw>[^`]*)`)")


class TemplateError(Exception):
    """The text is no valid Go template, or is nested too deep; Helm reports the error."""


class Piece(Value):
    """A piece of a template.

    Attributes:
        kind: `text` is printed; `output` prints the result of its pipeline; `control` opens, divides or ends a block;
            `silent` is a comment or an assignment.
        start: the offset of its first character; for text the first that is not trimmed.
        end: the offset behind its last character.
        inner: the text between the delimiters of an action.
        word: the keyword of a control action.
        trims_left: whether it trims the space before it.
        trims_right: whether it trims the space behind it.
        within: the control actions that enclose it, the outermost first.
    """

    kind: Kind
    start: int
    end: int
    inner: str = ""
    word: str = ""
    trims_left: bool = False
    trims_right: bool = False
    within: tuple[Piece, ...] = ()

    @property
    def defined(self) -> str | None:
        """Return the name of the template that the piece defines; None if it defines none."""
        match = _DEFINED().match(self.inner) if self.word in ("define", "block") else None
        return (match["quoted"] if match["quoted"] is not None else match["raw"]) if match is not None else None


def pieces(text: str) -> list[Piece]:
    """Return the pieces of a template, in order; trimmed text belongs to none.

    Raises:
        TemplateError: an action or a block is not ended.
    """
    found: list[Piece] = []
    blocks: list[list[Piece]] = []
    for flat in _flat(text):
        if flat.word in ("else", "end") and not blocks:
            raise TemplateError
        outer = blocks[:-1] if flat.word in ("else", "end") else blocks
        piece = replace(flat, within=tuple(one for block in outer for one in block))
        found.append(piece)
        if piece.word == "else":
            blocks[-1] = [*blocks[-1][-_MOST_PARTS:], piece]
        elif piece.word == "end":
            blocks.pop()
        elif piece.word in _OPENING:
            blocks.append([piece])
            if len(blocks) > _DEEPEST:
                raise TemplateError
    if blocks:
        raise TemplateError
    return found


def _flat(text: str) -> Iterator[Piece]:
    """Yield the pieces without their enclosing blocks."""
    end, trimmed = 0, False
    while True:
        start = text.find("{{", end)
        action = _action(text, start) if start >= 0 else None
        piece = _text(text, end, len(text) if action is None else start, trimmed, action)
        if piece is not None:
            yield piece
        if action is None:
            return
        yield action
        end, trimmed = action.end, action.trims_right


def _text(text: str, start: int, end: int, trimmed: bool, following: Piece | None) -> Piece | None:
    while trimmed and start < end and text[start] in _SPACE:
        start += 1
    while following is not None and following.trims_left and start < end and text[end - 1] in _SPACE:
        end -= 1
    return Piece("text", start, end) if start < end else None


def _action(text: str, start: int) -> Piece:
    comment = _COMMENT().match(text, start)
    if comment is not None:
        end = _COMMENT_END().match(text, max(text.find("*/", comment.end()), 0))
        if end is None:
            raise TemplateError
        return Piece("silent", start, end.end(), "", "", bool(comment["left"]), bool(end["right"]))
    match = _ACTION().match(text, start)
    if match is None:
        raise TemplateError
    inner = match["inner"]
    found = _WORD().match(inner)
    word = found["word"] if found is not None and found["word"] in _CONTROL else ""
    kind: Kind = "control" if word else "silent" if _ASSIGNED().match(inner) else "output"
    return Piece(kind, start, match.end(), inner, word, bool(match["left"]), bool(match["right"]))
