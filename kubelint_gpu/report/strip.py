"""The part of a source line that fits into the terminal, and the cell where each code point begins."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from kubelint_gpu.messages.display import cells, tab_stop
from kubelint_gpu.values import dataclass

if TYPE_CHECKING:
    from kubelint_gpu.report.theme import Theme


LEAST_ROOM = 16
"""Room for one code point that is written out, between two ellipses."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A cropped line: `text` is what is shown, `edges[i]` the cell of code point `first + i`.

    `last` is the last code point that can be pointed at: the end of the line, if that is in sight.
    """

    text: str
    first: int
    last: int
    edges: tuple[int, ...]

    def holds(self, index: int) -> bool:
        """Whether the code point can be seen."""
        return self.first <= index <= self.last

    def cell(self, index: int) -> int:
        """The cell where the code point begins; the nearest one for a code point outside."""
        return self.edges[min(max(index - self.first, 0), len(self.edges) - 1)]


def strip(line: str, at: int, room: int, theme: Theme) -> Strip:
    """The line, cropped to `room` cells around the code point `at` if it is wider.

    A room too small for anything is taken as LEAST_ROOM.
    Only the neighbourhood is looked at, so a line of a megabyte costs no more than a screen line.
    """
    at = min(at, len(line))
    room = max(room, LEAST_ROOM)
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
