"""Errors of Helm, at the line of the user's file that each means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from kubelint_gpu.documents import Reading
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.helm.chart import Chart
from kubelint_gpu.sources.render import Obstacle, Spot

_MOST = 400
_MOST_READ = 4_000
_MOST_LOG = 400_000
_PLACE = pattern(
    r"(?<![^\s:()\"])(?P<name>[^\s:()\"]+/templates/[^\s:()\"]+)"
    r"(?:\)?:\s*(?:error converting[^:]*: )?(?:yaml: )?(?:line )?(?P<line>\d+)(?::(?P<column>\d+))?)?"
)
_SKIPPED = pattern(r"skipping unknown hooks?\W+(?:hookTypes=)?\"?(?P<events>[^\"\n]{1,400})")
_MOST_SKIPPED = 20


def hooks_left_out(log: str, templates: Sequence[Reading], top: Spot) -> list[Obstacle]:
    """The hooks that Helm leaves out of what it prints, because it knows none of their events."""
    found = []
    for events in sorted({one["events"] for one in islice(_SKIPPED().finditer(log[:_MOST_LOG]), _MOST_SKIPPED)}):
        sources = (one.source for one in templates if one.source is not None and events in one.source.text)
        source = next(sources, None)
        start = source.text.index(events) if source is not None else 0
        spot = Spot(source.path, source.span(start, start + len(events))) if source is not None else top
        why = f"helm leaves out an object, because {events!r} is no event of a hook"
        found.append(Obstacle(spot.path, spot.span, why, withheld=True))
    return found


def complaint(error: str, templates: Sequence[Reading], chart: Chart, top: Spot) -> Obstacle:
    """Return the place and the sentence for an error that Helm printed."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("WARNING:", "Use --debug", "level="))]
    text = " ".join(lines)[:_MOST_READ]
    text = text[max(text.find("Error: "), 0) :].removeprefix("Error: ") or "it says nothing"
    text = re.sub(r"(?<!\S)\S*/kubelint-gpu-[^/\s]*/(?:chart|values)/?", "", text)
    match = _PLACE().search(text)
    path, span = top.path, top.span
    if match is not None:
        inner = match["name"].partition("/")[2]
        source = next((one.source for one in templates if one.path == chart.shown(inner)), None)
        if source is not None:
            # a line of what is printed is no line of the template
            counts = "YAML parse error" not in text and match["line"] is not None
            number = min(max(int(match["line"]) if counts else 1, 1), len(source.line_starts))
            start = source.line_starts[number - 1] + (int(match["column"] or 0) if counts else 0)
            path, span = source.path, source.span(start, start + 1)
    shortened = text if len(text) <= _MOST else text[:_MOST] + " …"
    return Obstacle(path, span, f"helm cannot render it: {shortened}")
