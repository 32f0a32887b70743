"""Traces the fields of a rendered chart to the template's line and the value that decides it.

The line of a template comes from a render of a marked copy. A value decides a field if a render with another value
changes the field; nothing else counts.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

from kubelint_gpu.documents import Pointer, SourceText
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.helm.chart_values import ABSENT, ChartValues, overlay, value_or_absent
from kubelint_gpu.sources.helm.marking import Marked, MarkedCopy, Printed, marked_copy, names_included, printed
from kubelint_gpu.sources.helm.sections import Alignment, Chunks, Section, Sections
from kubelint_gpu.sources.helm.template_text import Piece
from kubelint_gpu.sources.render import Spot

MOST_PROBES = 100
"""Renders with another value, for one chart with its values."""

_DEEPEST = 5
_VALUES = pattern(r"\bValues((?:\.[A-Za-z_]\w*)+)")
_INDEXED = pattern(r"\bindex\s+[$.\w]{0,60}\.Values((?:\s+\"[^\"]+\")+)")
_VARIABLE = pattern(r"\$\w+")
_ASSIGNED = pattern(r"\$\w+(?:\s*,\s*\$\w+)?\s*:?=")
_QUOTED = pattern(r"\"([^\"]+)\"")
Rerun = Callable[[dict[str, str] | None, dict[str, Any] | None], str | None]
"""Renders with other texts for templates and with further values; None if that cannot be rendered."""


class Provenance:
    """The templates and values behind one render; nothing is rendered again until a field is asked for.

    `packed` are templates from archives, whose lines are never returned.
    """

    def __init__(
        self,
        output: str,
        templates: dict[str, SourceText],
        values: ChartValues,
        rerun: Rerun,
        top: Spot,
        packed: Collection[str] = (),
    ) -> None:
        self.sections = Sections(output)
        self.top = top
        self.values = values
        self._templates = templates
        self._rerun = rerun
        self._packed = frozenset(packed)
        self._probes: dict[tuple[Pointer, str], Sections | None] = {}
        self._alignments: dict[Section, tuple[Alignment, Printed, MarkedCopy] | None] = {}

    def template_spot(self, section: Section, start: int, end: int) -> tuple[Spot, bool]:
        """Return where in the templates a part of the output was written, and whether that is certain."""
        marks = self._marks(section, start, end)
        if not marks:
            return self._of_file(section), False
        marked, delta = marks[0]
        if marked.path in self._packed:
            return self.top, False
        source = self._templates[marked.path]
        if marked.is_action:
            return Spot(source.path, source.span(marked.start, marked.end)), True
        begin = min(marked.start + delta, max(marked.end - 1, marked.start))
        return Spot(source.path, source.span(begin, min(begin + end - start, marked.end))), True

    def actions(self, section: Section, start: int, end: int) -> list[Marked]:
        """Return the actions that print any part of this range of the output."""
        return list(dict.fromkeys(one for one, _ in self._marks(section, start, end) if one.is_action))

    def pieces_at(self, section: Section, start: int, end: int) -> list[Marked]:
        """Return the pieces of templates that print any part of this range of the output."""
        return [one for one, _ in self._marks(section, start, end)]

    def probed(self, section: Section, pointer: Pointer, value: Any, field: Pointer) -> Any:
        """Return a field of an object when the chart is rendered with another value; `ABSENT` if the field is gone."""
        key = (pointer, repr(value))
        if key not in self._probes:
            if len(self._probes) >= MOST_PROBES:
                return ABSENT
            output = self._rerun(None, overlay(self.values.merged, pointer, value))
            self._probes[key] = None if output is None else Sections(output)
        found = self._probes[key]
        return ABSENT if found is None else value_or_absent(self._counterpart(section, found), field)

    def mentions(self, section: Section, marked: Sequence[Piece], path: str) -> list[Pointer]:
        """Return the values that pieces of a template name, with their enclosing blocks and their callers."""
        found: dict[Pointer, None] = {}
        todo = [(path, piece) for piece in marked]
        for _ in range(_DEEPEST):
            more: list[tuple[str, Piece]] = []
            for where, piece in todo:
                for one in (piece, *reversed(piece.within)):
                    found |= dict.fromkeys(_named(one.inner, _prefix(section.template)))
                defined = next((one.defined for one in piece.within if one.word == "define"), None)
                more += self._callers.get(defined or "", ())
                more += [one for name in names_included(piece.inner) for one in self._bodies.get(name, ())]
                assigned = self._assignments.get(where, {})
                more += [(where, one) for name in _VARIABLE().findall(piece.inner) for one in assigned.get(name, ())]
            todo = more[:200]
        return list(found)

    def lines_with(self, path: str, key: str) -> Iterator[Piece]:
        """Yield the pieces of a template file that write a key, each followed by the next action."""
        text = self._templates[path].text
        pieces = self._copy.pieces.get(path, ())
        for match in re.finditer(rf"(?m)^[ \t-]*[\"']?{re.escape(key)}[\"']?[ \t]*:", text):
            number = next((number for number, one in enumerate(pieces) if one.end >= match.end()), None)
            if number is not None:
                yield pieces[number]
                yield from pieces[number + 1 : number + 2]

    def _counterpart(self, section: Section, others: Sections) -> Any:
        """Return the object of another render with the kind and name of an object of this render."""
        wanted = _name(self._value(section))
        mine = [one for one in others.every if one.template == section.template]
        for one in sorted(mine, key=lambda other: other.number != section.number):
            value = self._value(one)
            if _name(value) == wanted:
                return value
        return None

    def _value(self, section: Section) -> Any:
        if section not in self._known:
            self._known[section] = section.value()
        return self._known[section]

    @cached_property
    def _known(self) -> dict[Section, Any]:
        return {}

    def _of_file(self, section: Section) -> Spot:
        inner = section.template.partition("/")[2]
        source = self._templates.get(inner) if inner not in self._packed else None
        return Spot(source.path, source.span(0, 0)) if source is not None else self.top

    def _marks(self, section: Section, start: int, end: int) -> list[tuple[Marked, int]]:
        """Return the marked pieces that print a part of the output, each with the part's offset within the piece."""
        if section not in self._alignments:
            self._alignments[section] = self._align(section)
        known = self._alignments[section]
        if known is None:
            return []
        alignment, output, copy = known
        first = alignment.printed(start - section.start)
        last = max(alignment.printed(max(end - 1, start) - section.start), first)
        offsets = output.offsets
        number = bisect.bisect_right(offsets, first) - 1
        found = [(copy.marked[output.marks[number][1]], first - offsets[number])] if number >= 0 else []
        later = output.marks[number + 1 : bisect.bisect_right(offsets, last)]
        return [*found, *((copy.marked[mark], 0) for _, mark in later)]

    def _align(self, section: Section) -> tuple[Alignment, Printed, MarkedCopy] | None:
        return self._aligned(section, *self._whole) or self._aligned(section, *self._without_partials)

    def _aligned(
        self, section: Section, copy: MarkedCopy, outputs: dict[str, Printed]
    ) -> tuple[Alignment, Printed, MarkedCopy] | None:
        output = outputs.get(section.template)
        alignment = self._chunks(output).aligned(section) if output is not None else None
        return (alignment, output, copy) if output is not None and alignment is not None else None

    def _chunks(self, output: Printed) -> Chunks:
        if output not in self._known_chunks:
            self._known_chunks[output] = Chunks(output.text)
        return self._known_chunks[output]

    @cached_property
    def _known_chunks(self) -> dict[Printed, Chunks]:
        return {}

    @cached_property
    def _copy(self) -> MarkedCopy:
        return marked_copy({path: source.text for path, source in self._templates.items()})

    @cached_property
    def _whole(self) -> tuple[MarkedCopy, dict[str, Printed]]:
        return self._copy, self._outputs(self._copy)

    @cached_property
    def _without_partials(self) -> tuple[MarkedCopy, dict[str, Printed]]:
        texts = {path: source.text for path, source in self._templates.items()}
        copy = marked_copy(texts, with_partials=False)
        return copy, self._outputs(copy)

    def _outputs(self, copy: MarkedCopy) -> dict[str, Printed]:
        output = self._rerun(copy.texts, None)
        return dict(printed(output)) if output is not None else {}

    @cached_property
    def _callers(self) -> dict[str, list[tuple[str, Piece]]]:
        """Return the pieces that include named templates, each with its file, by the template's name."""
        found: dict[str, list[tuple[str, Piece]]] = {}
        for path, pieces in self._copy.pieces.items():
            for piece in pieces:
                for name in names_included(piece.inner) if piece.kind != "text" else ():
                    found.setdefault(name, []).append((path, piece))
        return found

    @cached_property
    def _bodies(self) -> dict[str, list[tuple[str, Piece]]]:
        """Return the actions in named templates, each with its file, by the template's name."""
        found: dict[str, list[tuple[str, Piece]]] = {}
        for path, pieces in self._copy.pieces.items():
            for piece in pieces:
                home = next((one.defined for one in piece.within if one.word == "define"), None)
                if home is not None and piece.kind in ("output", "silent"):
                    found.setdefault(home, []).append((path, piece))
        return found

    @cached_property
    def _assignments(self) -> dict[str, dict[str, list[Piece]]]:
        """Return the pieces that assign variables, by file and variable name."""
        found: dict[str, dict[str, list[Piece]]] = {}
        for path, pieces in self._copy.pieces.items():
            for piece in pieces:
                names = _ASSIGNED().search(piece.inner) if piece.kind != "text" else None
                for name in _VARIABLE().findall(names[0]) if names is not None else ():
                    found.setdefault(path, {}).setdefault(name, []).append(piece)
        return found


def _named(inner: str, prefix: Pointer) -> Iterator[Pointer]:
    """Yield the values that an action names."""
    found = [match[1][1:].split(".") for match in _VALUES().finditer(inner)]
    found += [_QUOTED().findall(match[1]) for match in _INDEXED().finditer(inner)]
    for steps in found:
        yield tuple(steps) if steps[0] == "global" else (*prefix, *steps)


def _prefix(template: str) -> Pointer:
    """Return the pointer of a template's own chart values among the values of the rendered chart."""
    parts = template.split("/")
    return tuple(parts[index + 1] for index in range(len(parts) - 2) if index % 2 == 1 and parts[index] == "charts")


def _name(value: Any) -> tuple[str, str]:
    """Return the kind and name of an object, which tell it from others of the same template."""
    kind = value.get("kind") if isinstance(value, dict) else None
    meta = value.get("metadata") if isinstance(value, dict) else None
    name = meta.get("name") if isinstance(meta, dict) else None
    return str(kind), str(name)
