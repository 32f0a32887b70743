"""A copy of a chart's templates whose output says of each character which part of a template wrote it.

A mark stands before each piece that prints something. The output of each file is printed in Base64 as the data of a
ConfigMap, so that Helm need not parse it. Without its marks, this output equals the output of the chart.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.helm.template_text import Piece, TemplateError, pieces
from kubelint_gpu.values import Value

_OPEN, _CLOSE = "\u27e6", "\u27e7"
_MARK = pattern(rf"{_OPEN}(\d+){_CLOSE}")
_DATA = pattern(r"^  name: (?P<name>[A-Za-z0-9+/=]*)\n  text: (?P<text>[A-Za-z0-9+/=]*)$", re.MULTILINE)
_LINE = pattern(r"[^\n]+")
_STRING = pattern(r"\"(?:\\.|[^\"\\\n])*\"|`[^`]*`|'(?:\\.|[^'\\\n])*'")
_INCLUDED = pattern(r"\b(?:include|template)\s+(?:\"(?P<quoted>(?:\\.|[^\"\\])*)\"|`(?P<raw>[^`]*)`)")
_TRANSPARENT = pattern(r"\s*(?:(?:indent|nindent)\s+\S+|quote|squote|trim)\s*")
_WHOLE = pattern(r"\s*(?:\(\s*)?(?:include|template)\s+(?:\"(?:\\.|[^\"\\])*\"|`[^`]*`)")


class Marked(Value):
    """A piece of a template that prints something: its file, its range, and the piece."""

    path: str
    start: int
    end: int
    piece: Piece

    @property
    def is_action(self) -> bool:
        """Whether it prints the result of a pipeline, not literal text."""
        return self.piece.kind == "output"


class Printed(Value, eq=False):
    """The output of one template without its marks.

    Attributes:
        text: the output.
        marks: for each marked piece, the offset in the text at which its output begins, and its number; in order.
        offsets: the offsets alone.
    """

    text: str
    marks: tuple[tuple[int, int], ...]
    offsets: tuple[int, ...]


class MarkedCopy(Value, eq=False):
    """Templates with marks: the text and pieces of each template by path, and the marked pieces by number."""

    texts: dict[str, str]
    marked: tuple[Marked, ...]
    pieces: dict[str, list[Piece]]


def is_printed(path: str) -> bool:
    """Whether Helm prints the output of a template; it does not for partials and notes."""
    name = path.rpartition("/")[2]
    return not name.startswith("_") and name != "NOTES.txt"


def marked_copy(templates: Mapping[str, str], *, with_partials: bool = True) -> MarkedCopy:
    """Return the templates with marks; a template that cannot be parsed stays unchanged.

    A named template is not marked if its output is passed to a function that a mark would disturb. Without
    `with_partials` no named template is marked.
    """
    parts = {path: _pieces(text) for path, text in sorted(templates.items())}
    opaque = _opaque([piece for found in parts.values() for piece in found or ()])
    marks: list[Marked] = []
    texts: dict[str, str] = {}
    for number, (path, found) in enumerate(parts.items()):
        text = templates[path]
        if found is None or _OPEN in text:
            texts[path] = text
            continue
        writer = _Writer(path, text, marks, opaque if with_partials else None)
        body, defined = writer.write(found)
        texts[path] = _wrapped(number, body, defined) if is_printed(path) else f"{defined}{body}"
    return MarkedCopy(texts, tuple(marks), {path: found or [] for path, found in parts.items()})


def printed(output: str) -> Iterator[tuple[str, Printed]]:
    """Yield the output of each template of a marked copy, with Helm's name of the template."""
    for match in _DATA().finditer(output):
        try:
            name, text = (base64.b64decode(match[key], validate=True).decode() for key in ("name", "text"))
        except (binascii.Error, UnicodeDecodeError):
            continue
        yield name, _unmarked(text)


def names_included(inner: str) -> Iterator[str]:
    """Yield the named templates that an action includes."""
    for match in _INCLUDED().finditer(inner):
        yield match["quoted"] if match["quoted"] is not None else match["raw"]


def _unmarked(text: str) -> Printed:
    parts: list[str] = []
    marks: list[tuple[int, int]] = []
    end = size = 0
    for match in _MARK().finditer(text):
        parts.append(text[end : match.start()])
        size += match.start() - end
        marks.append((size, int(match[1])))
        end = match.end()
    parts.append(text[end:])
    return Printed("".join(parts), tuple(marks), tuple(offset for offset, _ in marks))


def _pieces(text: str) -> list[Piece] | None:
    try:
        return pieces(text)
    except TemplateError:
        return None


def _opaque(found: Sequence[Piece]) -> frozenset[str]:
    """Return the named templates passed to a function that a mark would disturb, with all that they include."""
    uses: dict[str, set[str]] = {}
    opaque: set[str] = set()
    for piece in found:
        names = list(names_included(piece.inner)) if piece.kind != "text" else []
        home = next((one.defined for one in piece.within if one.defined is not None), None)
        if home is not None:
            uses.setdefault(home, set()).update(names)
        opaque.update(names[1:] if piece.kind == "output" and _is_transparent(piece.inner) else names)
    todo = list(opaque)
    while todo:
        more = uses.get(todo.pop(), set()) - opaque
        opaque |= more
        todo += more
    return frozenset(opaque)


def _is_transparent(inner: str) -> bool:
    """Whether an action prints a named template's output unchanged, except for space and quotes around it."""
    if _WHOLE().match(inner) is None:
        return False
    plain = _STRING().sub(lambda match: "_" * len(match[0]), inner)
    depth, stages, start = 0, [], 0
    for index, character in enumerate(plain):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "|" and depth == 0:
            stages.append(plain[start:index])
            start = index + 1
    stages.append(plain[start:])
    return all(_TRANSPARENT().fullmatch(stage) is not None for stage in stages[1:])


def _wrapped(number: int, body: str, defined: str) -> str:
    name = f"kubelint-gpu.printed.{number}"
    return (
        f'{defined}{{{{ define "{name}" }}}}{body}{{{{ end }}}}apiVersion: v1\nkind: ConfigMap\nmetadata:\n'
        f"  name: printed-{number}\ndata:\n  name: {{{{ .Template.Name | b64enc }}}}\n"
        f'  text: {{{{ include "{name}" . | b64enc }}}}\n'
    )


class _Writer:
    """Writes one template with marks; `opaque` are the named templates to leave unmarked, None for all."""

    def __init__(self, path: str, text: str, marks: list[Marked], opaque: Collection[str] | None) -> None:
        self._path = path
        self._text = text
        self._marks = marks
        self._opaque = opaque

    def write(self, found: Sequence[Piece]) -> tuple[str, str]:
        """Return the marked text of the file's own output, and the named templates that it defines."""
        body: list[str] = []
        defined: list[str] = []
        is_open, end = False, 0
        for piece in found:
            outer = next((one for one in piece.within if one.word == "define"), None)
            gap = self._text[end : piece.start]
            end = piece.end
            if piece.word == "define" and outer is None:
                body += (gap, "{{- /**/}}" if piece.trims_left else "{{/**/}}")
                defined.append(self._text[piece.start : piece.end])
                is_open = True
            elif piece.word == "end" and outer is None and is_open:
                defined += (gap, self._text[piece.start : piece.end], "\n")
                body.append("{{/**/ -}}" if piece.trims_right else "{{/**/}}")
                is_open = False
            elif outer is not None:
                name = outer.defined
                shown = self._opaque is not None and name is not None and name not in self._opaque
                defined += (gap, self._marked(piece) if shown else self._text[piece.start : piece.end])
            else:
                body += (gap, self._marked(piece))
        body.append(self._text[end:])
        return "".join(body), "".join(defined)

    def _marked(self, piece: Piece) -> str:
        text = self._text[piece.start : piece.end]
        if piece.kind == "text":
            return _LINE().sub(lambda match: self._line(piece, match), text)
        if piece.kind != "output":
            return text
        mark = self._mark(piece.start, piece.end, piece)
        return f'{{{{{"- " if piece.trims_left else ""}"{mark}"}}}}{{{{{text[3 if piece.trims_left else 2 :]}'

    def _line(self, piece: Piece, match: re.Match[str]) -> str:
        line = match[0]
        blank = len(line) - len(line.lstrip())
        if blank == len(line):
            return line
        start = piece.start + match.start() + blank
        return f"{line[:blank]}{self._mark(start, piece.start + match.end(), piece)}{line[blank:]}"

    def _mark(self, start: int, end: int, piece: Piece) -> str:
        self._marks.append(Marked(self._path, start, end, piece))
        return f"{_OPEN}{len(self._marks) - 1}{_CLOSE}"
