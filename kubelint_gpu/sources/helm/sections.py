"""The output of `helm template` as the sections that its comments tell apart: one object each, with its template."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from typing import Any

from kubelint_gpu.documents import read
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_SECTION = pattern(r"^---\n# Source: (?P<name>[^\n]*)\n", re.MULTILINE)
_CHUNKS = pattern(r"(?:^|\s*\n)---\s*")


class Section(Value, eq=False):
    """One object of the output.

    Attributes:
        template: the name that Helm has for its template.
        number: how many sections of this template come before it.
        start: the offset of its text in the output.
        text: the object.
    """

    template: str
    number: int
    start: int
    text: str

    def value(self) -> Any:
        """What it holds; None if it cannot be read."""
        return next((one.value for one in read("", self.text.encode(errors="replace")).documents), None)


class Sections:
    """The sections of one output."""

    def __init__(self, text: str) -> None:
        heads = list(_SECTION().finditer(text))
        ends = [*(one.start() for one in heads[1:]), len(text)]
        numbers: Counter[str] = Counter()
        self.every: list[Section] = []
        for head, end in zip(heads, ends, strict=True):
            name = head["name"].rstrip()
            self.every.append(Section(name, numbers[name], head.end(), text[head.end() : end]))
            numbers[name] += 1
        self._starts = [one.start for one in self.every]

    def at(self, offset: int) -> Section | None:
        """The section in which a character of the output stands."""
        number = bisect.bisect_right(self._starts, offset) - 1
        return self.every[number] if number >= 0 else None


class Alignment(Value, eq=False):
    """A section as a part of what its template prints, line by line.

    Attributes:
        lines: offsets of the lines of the section, each with that of the same line of what is printed.
        exact: whether both are the same text.
    """

    lines: tuple[tuple[int, int], ...]
    exact: bool

    def printed(self, offset: int) -> int:
        """The offset in what is printed of a character of the section."""
        number = bisect.bisect_right(self.lines, (offset, 1 << 62)) - 1
        start, there = self.lines[max(number, 0)]
        return there + max(offset - start, 0)


def aligned(section: Section, text: str) -> Alignment | None:
    """Find a section in what its template prints; None if no part of that has its lines.

    Single lines may differ: a digest of what another template prints is another one.
    """
    wanted = section.text.strip()
    first = section.text.find(wanted) if wanted else 0
    lines = wanted.split("\n")
    best: tuple[int, int] | None = None
    for start, end in _chunks(text):
        part = text[start:end]
        if part == wanted:
            return _alignment(first, start, lines, lines, exact=True)
        others = part.split("\n")
        if len(others) == len(lines):
            same = sum(one == other for one, other in zip(lines, others, strict=True))
            if same * 2 > len(lines) and (best is None or same > best[0]):
                best = same, start
    if best is None:
        return None
    start = best[1]
    return _alignment(first, start, lines, text[start:].split("\n")[: len(lines)], exact=False)


def _chunks(text: str) -> list[tuple[int, int]]:
    """The parts of a text that Helm takes for one object each, without the space around them."""
    found, start = [], 0
    for match in (*_CHUNKS().finditer(text), None):
        end = match.start() if match is not None else len(text)
        part = text[start:end]
        if part.strip():
            begin = start + len(part) - len(part.lstrip())
            found.append((begin, begin + len(part.strip())))
        start = match.end() if match is not None else end
    return found


def _alignment(start: int, there: int, lines: list[str], others: list[str], *, exact: bool) -> Alignment:
    found = []
    for one, other in zip(lines, others, strict=True):
        found.append((start, there))
        start += len(one) + 1
        there += len(other) + 1
    return Alignment(tuple(found), exact)
