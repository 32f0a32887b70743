"""Lines of a file with the places of a finding marked and labelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kubelint_gpu.findings.finding import Finding
from kubelint_gpu.report.content import Report, source_line
from kubelint_gpu.report.mark import Mark, groups
from kubelint_gpu.report.page.markup import source, text

MOST_GROUPS, MOST_LINES = 6, 24
_WIDEST, _BEFORE = 240, 80
_LONG = 4


def excerpts(finding: Finding, report: Report) -> Iterator[str]:
    """Yield a figure for each part of a file that the finding points at."""
    found = groups(finding)
    for group in found[:MOST_GROUPS]:
        lead = next((mark for mark in group if mark.primary), group[0])
        place = f"{lead.place.path}:{lead.place.line}:{lead.place.column}"
        yield f'<figure class="code"><figcaption>{text(place)}</figcaption>\n'
        yield from _lines(group, lead.place.path, report)
        yield "</figure>\n"
    if len(found) > MOST_GROUPS:
        yield f"<p>{len(found) - MOST_GROUPS} more places are left out.</p>\n"


def _lines(marks: Sequence[Mark], path: str, report: Report) -> Iterator[str]:
    numbers = _numbers(marks)
    before = 0
    for number in numbers[:MOST_LINES]:
        here = [mark for mark in marks if mark.place.line == number]
        line = source_line(report, path, number)
        if not line and not here:
            continue
        if line is not None:
            if before and number > before + 1:
                yield '<div class="gap" aria-hidden="true">⋯</div>\n'
            before = number
            within = [mark for mark in marks if mark.place.line <= number <= mark.last_line]
            hit = " hit" if any(mark.primary for mark in within) else ""
            shown = _marked(line, number, within)
            yield f'<div class="line{hit}"><span class="n">{number}</span><code>{shown}</code></div>\n'
        for mark in here:
            if mark.label:
                kind = "said primary" if mark.primary else "said"
                where = "" if line is not None else f"line {number}: "
                yield f'<div class="{kind}">{where}{text(mark.label)}</div>\n'


def _numbers(marks: Sequence[Mark]) -> list[int]:
    """Return the marked lines and their neighbours; of a long range its beginning and end."""
    wanted: set[int] = set()
    for mark in marks:
        first, last = mark.place.line, mark.last_line
        lines = range(first, last + 1) if last - first <= _LONG else (first, first + 1, last)
        wanted |= set(lines) | {first - 1, last + 1}
    return sorted(number for number in wanted if number > 0)


def _marked(line: str, number: int, marks: Sequence[Mark]) -> str:
    spans = [(*_span(mark, number, line), mark.primary) for mark in marks]
    low = max(0, min((begin for begin, _, _ in spans), default=0) - _BEFORE) if len(line) > _WIDEST else 0
    high = min(len(line), low + _WIDEST)
    edges = {low, high}
    for begin, end, _ in spans:
        edges |= {min(max(begin, low), high), min(max(end, low), high)}
    pieces = ["…"] if low else []
    ordered = sorted(edges)
    for begin, end in pairwise(ordered):
        covering = [primary for first, last, primary in spans if first <= begin and end <= last]
        piece = source(line[begin:end])
        if covering:
            kind = ' class="primary"' if any(covering) else ""
            piece = f"<mark{kind}>{piece}</mark>"
        pieces.append(piece)
    return "".join([*pieces, "…"] if high < len(line) else pieces)


def _span(mark: Mark, number: int, line: str) -> tuple[int, int]:
    """Return the marked range of a line, without indentation."""
    place = mark.place
    begin = place.column - 1 if number == place.line else len(line) - len(line.lstrip())
    end = place.end_column - 1 if number == place.end_line else len(line)
    return begin, end
