"""The output of `helm template`, split by its comments into sections: one object each, with its template."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from kubelint_gpu.documents import Document, Span, read
from kubelint_gpu.groups import grouped
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_SECTION = pattern(r"^---\n# Source: (?P<name>[^\n]*)\n", re.MULTILINE)
_COMMENT = pattern(r"^# Source: (?P<path>\S[^\r\n]*)", re.MULTILINE)
_MOST_COMPARED = 20
_SEPARATOR = pattern(r"^---", re.MULTILINE)


def source_comment(document: Document) -> tuple[str, Span] | None:
    """Return the template that a comment before an object names, and the place of the name; None without a comment."""
    start, end = document.chunk
    found = _COMMENT().search(document.source.text, start, min(end, max(start, document.root[0])))
    if found is None:
        return None
    path = found["path"].rstrip()
    return path, document.source.span(found.start("path"), found.start("path") + len(path))


class Section(Value, eq=False):
    """One object of the output.

    Attributes:
        template: Helm's name of its template.
        number: how many sections of this template come before it.
        start: the offset of its text in the output.
        text: the text of the object.
    """

    template: str
    number: int
    start: int
    text: str

    def value(self) -> Any:
        """Return the parsed object; None if it cannot be read."""
        return next((one.value for one in read("", self.text.encode(errors="replace")).documents), None)


class Sections:
    """The sections of one output."""

    def __init__(self, text: str) -> None:
        heads = list(_SECTION().finditer(text))
        ends = [*(one.start() for one in heads[1:]), len(text)][: len(heads)]
        numbers: Counter[str] = Counter()
        self.every: list[Section] = []
        for head, end in zip(heads, ends, strict=True):
            name = head["name"].rstrip()
            self.every.append(Section(name, numbers[name], head.end(), text[head.end() : end]))
            numbers[name] += 1
        self._starts = [one.start for one in self.every]
        self._by_template = grouped((one.template, one) for one in self.every)

    def of(self, template: str) -> Sequence[Section]:
        """Return the sections of a template, in order."""
        return self._by_template.get(template, ())

    def numbered(self, template: str, number: int) -> Section | None:
        """Return a section by its number among those of its template; None if there are fewer."""
        mine = self.of(template)
        return mine[number] if number < len(mine) else None

    def at(self, offset: int) -> Section | None:
        """Return the section that contains an offset of the output; None if none does."""
        number = bisect.bisect_right(self._starts, offset) - 1
        return self.every[number] if number >= 0 else None


class Alignment(Value, eq=False):
    """The lines of a section within the output of its template.

    Attributes:
        lines: for each line, its offset in the section and its offset in the template's output.
    """

    lines: tuple[tuple[int, int], ...]

    def printed(self, offset: int) -> int:
        """Return the offset in the template's output that corresponds to an offset in the section."""
        number = bisect.bisect_right(self.lines, (offset, 1 << 62)) - 1
        start, there = self.lines[max(number, 0)]
        return there + max(offset - start, 0)


class Chunks:
    """The parts of a template's output that Helm takes for one object each."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places = _chunks(text)
        self._starts: dict[str, int] = {}
        self._by_length: dict[int, list[int]] = {}
        for number, (start, end) in enumerate(self._places):
            self._starts.setdefault(text[start:end], start)
            self._by_length.setdefault(text.count("\n", start, end), []).append(number)

    def aligned(self, section: Section) -> Alignment | None:
        """Find the part with a section's lines; None if there is none.

        Single lines may differ, for example a checksum of another template's output.
        """
        wanted = section.text.strip()
        first = section.text.find(wanted) if wanted else 0
        lines = wanted.split("\n")
        exact = self._starts.get(wanted)
        if exact is not None:
            return _alignment(first, exact, lines, lines)
        best: tuple[int, int, list[str]] | None = None
        near = sorted(self._by_length.get(len(lines) - 1, ()), key=lambda number: abs(number - section.number))
        for number in near[:_MOST_COMPARED]:
            start, end = self._places[number]
            others = self._text[start:end].split("\n")
            same = sum(one == other for one, other in zip(lines, others, strict=True))
            if same * 2 > len(lines) and (best is None or same > best[0]):
                best = same, start, others
        return _alignment(first, best[1], lines, best[2]) if best is not None else None


def _chunks(text: str) -> list[tuple[int, int]]:
    """Return the parts of a text that Helm takes for one object each, without surrounding space."""
    bounds = [0, *(edge for match in _SEPARATOR().finditer(text) for edge in match.span()), len(text)]
    found = []
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        part = text[start:end]
        if part.strip():
            begin = start + len(part) - len(part.lstrip())
            found.append((begin, begin + len(part.strip())))
    return found


def _alignment(start: int, there: int, lines: list[str], others: list[str]) -> Alignment:
    found = []
    for one, other in zip(lines, others, strict=True):
        found.append((start, there))
        start += len(one) + 1
        there += len(other) + 1
    return Alignment(tuple(found))
