"""Lines of a file with numbers, carets under the places and a label under each caret."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from kubelint_gpu.groups import grouped
from kubelint_gpu.messages.display import cells, tab_stop
from kubelint_gpu.report.content import Mark
from kubelint_gpu.report.theme import Style, Theme
from kubelint_gpu.values import Value

LEAST_ROOM = 16
"""Room for one code point that is written out, between two ellipses."""

BESIDE = 36
"""Cells that a label of several lines needs beside its carets; with fewer it stands below them."""

BELOW = 24
"""Cells that a label needs below its carets; with fewer it begins at the margin."""


MOST_ROWS = 3
"""Lines that a label may take beside or below its carets; a longer one begins at the margin."""


class Frame(Value):
    """The look of one snippet: `digits` is the width of the line numbers, `style` the colour of the finding."""

    theme: Theme
    digits: int
    style: Style

    def row(self, number: str, text: str) -> str:
        """Return a line of the snippet with its number."""
        gutter = self.theme.paint("frame", f"{number:>{self.digits}} {self.theme.rule}")
        return f"{gutter} {text}" if text else gutter

    @property
    def indent(self) -> int:
        """Return the number of cells before the text of the file."""
        return self.digits + 3


def snippet(
    marks: Sequence[Mark], line: Callable[[int], str | None], frame: Frame, *, dense: bool = False
) -> list[str]:
    """Return the lines with their marks, nothing if there is neither a line nor a label; `dense` leaves out empty rows.

    If a line is not available, its labels stand alone.
    """
    ranges = [mark for mark in marks if _long(mark) and None not in (line(mark.place.line), line(mark.last_line))]
    block = next((mark for mark in sorted(ranges, key=lambda mark: not mark.primary)), None)
    by_line = grouped((mark.place.line, mark) for mark in marks if mark is not block)
    rows: list[str] = []
    before = 0
    for number in _numbers(marks, block, dense=dense):
        text = line(number)
        here = by_line.get(number, [])
        if text is None:
            for mark in here:
                rows.extend(_bare_label(mark, frame))
            continue
        if before and number > before + 1 and not dense:
            rows.append(frame.theme.paint("frame", "..."))
        before = number
        rows.extend(_line_rows(number, text, here, block, frame))
        if block is not None and number == block.last_line:
            rows.extend(_block_end(block, text, frame))
    return [frame.row("", ""), *rows] if rows and not dense else rows


def _numbers(marks: Sequence[Mark], block: Mark | None, *, dense: bool) -> list[int]:
    wanted = {mark.place.line for mark in marks}
    if block is not None:
        wanted |= {block.place.line + 1, block.last_line}
    shown = sorted(wanted)
    if dense:
        return shown
    gaps = [low + 1 for low, high in pairwise(shown) if high == low + 2]
    return sorted([*shown, *gaps])


def _line_rows(number: int, text: str, marks: list[Mark], block: Mark | None, frame: Frame) -> Iterator[str]:
    brace = "" if block is None else _brace(block, number, frame)
    room = frame.theme.width - frame.indent - (2 if block else 0)
    if not marks:
        at = 0 if block is None else block.place.column - 1 if number == block.place.line else 0
        yield frame.row(str(number), brace + strip(text, at, room, frame.theme).text)
        return
    left = marks
    under = "" if block is None else _brace(block, number, frame, under=True)
    while left:
        lead = next((mark for mark in left if mark.primary), left[0])
        seen = strip(text, lead.place.column - 1, room, frame.theme)
        inside = [mark for mark in left if mark is lead or seen.holds(mark.place.column - 1)]
        yield frame.row(str(number), brace + seen.text)
        for mark in inside:
            start, carets = _carets(mark, text, seen)
            yield from _label_rows(mark, start, carets, frame, under)
        left = [mark for mark in left if mark is not lead and not seen.holds(mark.place.column - 1)]


def _carets(mark: Mark, text: str, seen: Strip) -> tuple[int, str]:
    place = mark.place
    end = len(text) if _long(mark) else place.end_column - 1
    start = seen.cell(place.column - 1)
    return start, ("^" if mark.primary else "-") * max(1, seen.cell(end) - start)


def _label_rows(mark: Mark, start: int, carets: str, frame: Frame, brace: str) -> Iterator[str]:
    theme = frame.theme
    style = frame.style if mark.primary else "frame"
    label = theme.show(mark.label)
    if _long(mark):
        label = f"{label} (to line {mark.last_line})".lstrip()
    base = frame.indent + (2 if brace else 0)
    hang = start + len(carets) + 1
    lines = _beside(label, base + hang, theme)
    head = carets
    if label and not 0 < len(lines) <= MOST_ROWS:
        hang = start if base + start + BELOW <= theme.width else 0
        lines = theme.wrap(label, first=base + hang, hang=base + hang)
        if len(lines) > MOST_ROWS:
            hang, lines = 0, theme.wrap(label, first=base, hang=base)
    elif lines:
        head = f"{carets} {lines.pop(0)}"
    yield frame.row("", brace + " " * start + theme.paint(style, head))
    for more in lines:
        yield frame.row("", brace + " " * hang + theme.paint(style, more))


def _beside(label: str, start: int, theme: Theme) -> list[str]:
    """Return the label in lines that begin at cell `start`, nothing if there is too little room."""
    if not label or start + min(BESIDE, cells(label)) > theme.width:
        return []
    return theme.wrap(label, first=start, hang=start)


def _bare_label(mark: Mark, frame: Frame) -> Iterator[str]:
    if mark.label:
        lead = f"line {mark.place.line}: "
        first, *rest = frame.theme.wrap(lead + frame.theme.show(mark.label), first=frame.indent, hang=frame.indent + 2)
        yield frame.row("", first)
        for line in rest:
            yield frame.row("", "  " + line)


def _long(mark: Mark) -> bool:
    return mark.last_line > mark.place.line


def _brace(block: Mark, number: int, frame: Frame, *, under: bool = False) -> str:
    first, middle, _, _ = frame.theme.brace
    begins = number == block.place.line and not under
    inside = block.place.line <= number <= block.last_line
    sign = first if begins else middle if inside else " "
    return frame.theme.paint(frame.style if block.primary else "frame", sign) + " "


def _block_end(block: Mark, text: str, frame: Frame) -> Iterator[str]:
    theme = frame.theme
    style = frame.style if block.primary else "frame"
    ends = block.place.end_column - 1 if block.place.end_line == block.last_line else len(text)
    seen = strip(text, 0, theme.width - frame.indent - 2, theme)
    _, _, corner, dash = theme.brace
    tail = corner + dash * max(1, seen.cell(ends)) + ("^" if block.primary else "-")
    label = theme.show(block.label)
    hang = cells(tail) + 1
    lines = _beside(label, frame.indent + hang, theme)
    head = tail
    if lines:
        head = f"{tail} {lines.pop(0)}"
    elif label:
        hang = 2
        lines = theme.wrap(label, first=frame.indent + hang, hang=frame.indent + hang)
    yield frame.row("", theme.paint(style, head))
    for more in lines:
        yield frame.row("", " " * hang + theme.paint(style, more))


class Strip(Value):
    """A cropped line: `text` is the visible part, `edges[i]` the cell of code point `first + i`.

    `last` is the last code point that can be marked: the end of the line, if that is visible.
    """

    text: str
    first: int
    last: int
    edges: Sequence[int]

    def holds(self, index: int) -> bool:
        """Whether the code point is visible."""
        return self.first <= index <= self.last

    def cell(self, index: int) -> int:
        """Return the cell where the code point begins; the nearest cell if it is not visible."""
        return self.edges[min(max(index - self.first, 0), len(self.edges) - 1)]


def strip(line: str, at: int, room: int, theme: Theme) -> Strip:
    """Return the line, cropped to `room` cells around the code point `at` if it is wider.

    A smaller room than LEAST_ROOM counts as LEAST_ROOM.
    Only the surroundings are read, so a line of a megabyte costs no more than a screen line.
    """
    at = min(at, len(line))
    room = max(room, LEAST_ROOM)
    if len(line) <= room and line.isascii() and line.isprintable():
        return Strip(line.rstrip(), 0, len(line), range(len(line) + 1))
    low = max(0, at - room)
    high = min(len(line), at + room)
    shown: list[str] = []
    edges = [0]
    for char in line[low:high]:
        piece = " " * tab_stop(edges[-1]) if char == "\t" else theme.show(char)
        shown.append(piece)
        edges.append(edges[-1] + cells(piece))
    if low == 0 and high == len(line) and edges[-1] <= room:
        return Strip("".join(shown).rstrip(), 0, len(shown), tuple(edges))
    mark = theme.ellipsis
    inner = room - 2 * len(mark)
    from_start = low == 0 and edges[min(at + 1, len(shown))] <= inner + len(mark)
    size = edges[min(at - low + 1, len(shown))] - edges[at - low]
    begin = 0 if from_start else _first_after(edges, edges[at - low] - min(inner // 2, inner - size))
    to_end = high == len(line)
    if to_end and not from_start:
        begin = min(begin, _first_after(edges, edges[-1] - inner - len(mark)))
    left = "" if from_start else mark
    if to_end and edges[-1] - edges[begin] <= room - len(left):
        stop, right = len(shown), ""
    else:
        stop, right = bisect_right(edges, edges[begin] + room - len(left) - len(mark)) - 1, mark
    shift = len(left) - edges[begin]
    text = left + "".join(shown[begin:stop]) + right
    last = low + stop - (1 if right else 0)
    return Strip(text.rstrip(), low + begin, last, tuple(edge + shift for edge in edges[begin : stop + 1]))


def _first_after(edges: list[int], cell: int) -> int:
    return next(index for index, edge in enumerate(edges) if edge >= cell)
