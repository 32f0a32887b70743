"""Traces the fields of a rendered chart to the template's line and the value that decides it.

The line of a template comes from a render of a marked copy. A value decides a field if a render with another value
changes the field; nothing else counts.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Collection, Hashable, Iterator
from functools import cached_property
from typing import Any

from kubelint_gpu.documents import Pointer, SourceText
from kubelint_gpu.sources.helm.chart_values import ChartValues, Setting, overlays
from kubelint_gpu.sources.helm.marking import Marked, MarkedCopy, Printed, marked_copy, printed
from kubelint_gpu.sources.helm.named_values import NamedValues, replaced, replacements, shows
from kubelint_gpu.sources.helm.sections import Alignment, Chunks, Section, Sections
from kubelint_gpu.sources.helm.template_text import Piece
from kubelint_gpu.sources.render import Spot

MOST_PROBES = 300
"""Renders with another value, for a chart with fewer values; others get one for each value."""

Trial = tuple[Setting, ...]
"""Values to set at once."""
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
        self._probes: dict[str, Sections | None] = {}
        self.values_of: dict[Section, Any] = {}
        """The parsed objects of sections, of any render."""
        self.decided: dict[Hashable, Setting] = {}
        """What decided a field of an object, by template, field and pieces."""
        self._copies: dict[bool, tuple[MarkedCopy, dict[str, tuple[Printed, Chunks]]]] = {}
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

    def pieces_at(self, section: Section, start: int, end: int) -> list[Marked]:
        """Return the pieces of templates that print any part of this range of the output."""
        return [one for one, _ in self._marks(section, start, end)]

    def object_in(self, section: Section, trial: Trial) -> Any:
        """Return an object when the chart is rendered with other values; None if it is gone or nothing is rendered."""
        others = self._probed(trial)
        return self._counterpart(section, others) if others is not None else None

    def is_other_text(self, section: Section, trial: Trial, start: int, end: int) -> bool | None:
        """Whether other values change a part of the output; None if the texts do not answer it."""
        texts = self._texts(section, self._probed(trial), start, end)
        return texts[0] != texts[1] if texts is not None else None

    def is_shown(self, section: Section, pointer: Pointer, start: int, end: int) -> bool | None:
        """Whether a part of the output shows a value that is replaced; False if it stays as it is, None if unknown."""
        texts = self._texts(section, self._replaced, start, end) if pointer in self._replacements else None
        if texts is None:
            return None
        return texts[0] != texts[1] and (shows(self.values.value(pointer), self._replacements[pointer], *texts) or None)

    def _texts(self, section: Section, others: Sections | None, start: int, end: int) -> tuple[str, str] | None:
        """Return a part of a line, and what another render has in its place; None if the texts do not say it."""
        other = others.numbered(section.template, section.number) if others is not None else None
        text, begin = section.text, start - section.start
        old = text[begin : end - section.start]
        if other is None or other.text == text or text.count("\n") != other.text.count("\n"):
            return (old, old) if other is not None and other.text == text else None
        head = text[text.rfind("\n", 0, begin) + 1 : begin]
        line, instead = (one.split("\n")[text.count("\n", 0, begin)] for one in (text, other.text))
        new = instead[len(head) :]
        # within braces and brackets a text may be several values
        alone = head.endswith((": ", "- ")) and line == f"{head}{old}" and instead.startswith(head) and new.strip()
        return (old, new) if alone else None

    def is_key_added(self, section: Section, trial: Trial, start: int, end: int, key: str) -> bool:
        """Whether the texts show that other values only add a key to the block mapping from `start` to `end`."""
        others, text, begin = self._probed(trial), section.text, start - section.start
        other = others.numbered(section.template, section.number) if others is not None else None
        line = f"\n{' ' * (begin - text.rfind(chr(10), 0, begin) - 1)}{key}:"
        place = other.text.find(line, begin) if other is not None else -1
        if other is None or not 0 <= place <= end - section.start or other.text[:place] != text[:place]:
            return False
        added = other.text[place + len(line) : len(other.text) - len(text) + place]
        return other.text.endswith(text[place:]) and added.strip() not in ("", "null", "~")

    @cached_property
    def _replaced(self) -> Sections | None:
        """A render with another value for each number and text; None if Helm refuses it."""
        output = self._rerun(None, replaced(self.values.merged, (), self._replacements))
        return None if output is None else Sections(output)

    @cached_property
    def _replacements(self) -> dict[Pointer, Any]:
        return replacements(self.values, self.named.quoted)

    def _probed(self, trial: Trial) -> Sections | None:
        key = repr(trial)
        if key not in self._probes:
            if len(self._probes) >= max(MOST_PROBES, len(self.values.below(()))):
                return None
            output = self._rerun(None, overlays(self.values, trial))
            self._probes[key] = None if output is None else Sections(output)
        return self._probes[key]

    @cached_property
    def named(self) -> NamedValues:
        """The values that the templates name."""
        return NamedValues(self._copy()[0].pieces, self.values)

    def lines_with(self, path: str, key: str) -> Iterator[Piece]:
        """Yield the pieces of a template file that write a key, each followed by the next action."""
        text = self._templates[path].text
        pieces = self._copy()[0].pieces.get(path, ())
        for match in re.finditer(rf"(?m)(?:^|[{{}},])[ \t-]*[\"']?{re.escape(key)}[\"']?[ \t]*:", text):
            number = next((number for number, one in enumerate(pieces) if one.end >= match.end()), None)
            if number is not None:
                yield pieces[number]
                yield from pieces[number + 1 : number + 2]

    def _counterpart(self, section: Section, others: Sections) -> Any:
        """Return the object of another render with the kind and name of an object of this render.

        Without such an object, the one in its place if the template prints as many objects of the same kinds.
        """
        same = others.numbered(section.template, section.number)
        if same is not None and same.text == section.text:
            return self._value(section)
        kind, name = _name(self._value(section))
        if same is not None and _name(self._value(same)) == (kind, name):
            return self._value(same)
        for one in others.of(section.template):
            if name in one.text and _name(self._value(one)) == (kind, name):
                return self._value(one)
        as_many = len(others.of(section.template)) == len(self.sections.of(section.template))
        return self._value(same) if same is not None and as_many and _name(self._value(same))[0] == kind else None

    def _value(self, section: Section) -> Any:
        if section not in self.values_of:
            self.values_of[section] = section.value()
        return self.values_of[section]

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
        """Return the output with a section, of a copy with marks in partials, else of one without."""
        for with_partials in (True, False):
            copy, outputs = self._copy(with_partials=with_partials)
            if section.template in outputs:
                output, chunks = outputs[section.template]
                alignment = chunks.aligned(section)
                if alignment is not None:
                    return alignment, output, copy
        return None

    def _copy(self, *, with_partials: bool = True) -> tuple[MarkedCopy, dict[str, tuple[Printed, Chunks]]]:
        """Return a marked copy, and what its templates print, by Helm's name of the template."""
        if with_partials not in self._copies:
            texts = {path: source.text for path, source in self._templates.items()}
            copy = marked_copy(texts, with_partials=with_partials)
            every = printed(self._rerun(copy.texts, None) or "")
            self._copies[with_partials] = copy, {name: (output, Chunks(output.text)) for name, output in every}
        return self._copies[with_partials]


def _name(value: Any) -> tuple[str, str]:
    """Return the kind and name of an object, which tell it from others of the same template."""
    kind = value.get("kind") if isinstance(value, dict) else None
    meta = value.get("metadata") if isinstance(value, dict) else None
    name = meta.get("name") if isinstance(meta, dict) else None
    return str(kind), str(name)
