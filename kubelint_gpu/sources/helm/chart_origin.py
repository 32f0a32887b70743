"""Traces the fields of one object of a rendered chart to where they were written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from kubelint_gpu.documents import Document, Pointer, Reading, Role, value_at
from kubelint_gpu.sources.helm.chart_values import ABSENT, ChartValues
from kubelint_gpu.sources.helm.provenance import Provenance
from kubelint_gpu.sources.helm.sections import Section
from kubelint_gpu.sources.render import Spot, TakenAway
from kubelint_gpu.values import Value

_MOST_OF_FIELD = 8
_MOST_IN_TEXTS = 4
_PROBE = "kubelintGpuProbe"


class Found(Value, eq=False):
    """The origin of one field.

    Attributes:
        spot: the value that decides the field, else the line of the template.
        certain: whether the origin was confirmed.
        template: the line of the template if a value decides the field.
        values: the pointer of the deciding value among the chart's values; None if no value decides. The value may not
            be set yet, or be set by a source without a place.
    """

    spot: Spot
    certain: bool
    template: Spot | None = None
    values: Pointer | None = None


class ChartOrigin:
    """One object of a rendered chart; answers are remembered."""

    def __init__(self, document: Document, provenance: Provenance, path: str, namespace: str) -> None:
        self.path = path
        self.namespace = namespace
        self.top = provenance.top
        self._document = document
        self._provenance = provenance
        self._found: dict[tuple[Pointer, Role], Found] = {}

    def spot(self, pointer: Pointer, role: Role = "value") -> Spot:
        """Return where a field was set: the value that decides it, else the template's line."""
        return self.found(pointer, role).spot

    def found(self, pointer: Pointer, role: Role = "value") -> Found:
        """Return the origin of a field; an absent field stands at the key of its nearest present ancestor."""
        key = pointer, role
        if key not in self._found:
            self._found[key] = self._find(pointer, role)
        return self._found[key]

    def told(self, path: str, line: int, column: int) -> tuple[bool, tuple[tuple[Spot, str], ...]]:
        """Return, for an origin returned before, whether it is certain, and the template's line behind a value."""
        for found in self._found.values():
            if found.spot.path == path and (found.spot.span.line, found.spot.span.column) == (line, column):
                return found.certain, ((found.template, "rendered from here"),) if found.template is not None else ()
        return True, ()

    def removals(self) -> Iterator[TakenAway]:
        """Yield nothing: a template removes nothing."""
        return iter(())

    def _find(self, pointer: Pointer, role: Role) -> Found:
        span = self._document.locate(pointer, role)
        section = self._provenance.sections.at(span.start)
        if section is None:
            return Found(self.top, certain=False)
        template, certain = self._provenance.template_spot(section, span.start, span.end)
        if not self._document.present(pointer) or (pointer and value_at(self._document.value, pointer) is None):
            decided = self._deciding_absent(section, pointer)
        else:
            end = self._document.locate(pointer).end if role == "key" else span.end
            decided = self._deciding(section, pointer, span.start, end, whole=role == "key")
        spot = self._provenance.values.spot(decided, role) if decided is not None else None
        if spot is None:
            return Found(template, certain, values=decided)
        return Found(spot, certain=True, template=template, values=decided)

    def _deciding(self, section: Section, pointer: Pointer, start: int, end: int, *, whole: bool) -> Pointer | None:
        """Return the value that decides a present field; None if none does.

        For a `whole` mapping or list it is a value that is equal to it.
        """
        actions = self._provenance.actions(section, start, end)
        if not actions:
            return None
        value = value_at(self._document.value, pointer)
        named = [one for marked in actions for one in self._provenance.mentions(section, [marked.piece], marked.path)]
        names = list(dict.fromkeys(named))
        for candidate, other in _candidates(self._provenance.values, names, pointer, value, whole=whole):
            changed = self._provenance.probed(section, candidate, other, pointer)
            if changed is not ABSENT and changed != value:
                return candidate
        return None

    def _deciding_absent(self, section: Section, pointer: Pointer) -> Pointer | None:
        """Return the value that could add a field that is absent or null; None if none does."""
        depth = next(size for size in range(len(pointer) - 1, -1, -1) if self._document.present(pointer[:size]))
        home, key = pointer[:depth], pointer[depth]
        if not isinstance(key, str):
            return None
        span = self._document.locate(home, "key") if home else self._document.locate((), "value")
        inner = self._document.locate(home, "value")
        pieces = self._provenance.pieces_at(section, span.start, inner.end)
        if not pieces:
            return None
        values = self._provenance.values
        named: dict[Pointer, None] = {}
        for path in dict.fromkeys(one.path for one in pieces):
            written = list(self._provenance.lines_with(path, key))
            named |= dict.fromkeys(self._provenance.mentions(section, written, path))
        holders = [one for one in pieces if one.is_action]
        for marked in holders:
            named |= dict.fromkeys(self._provenance.mentions(section, [marked.piece], marked.path))
        mapping = value_at(self._document.value, home)
        ranked = sorted(named, key=lambda one: (one[-1] != key, value_at(values.merged, one) != mapping))
        for candidate in ranked[:_MOST_OF_FIELD]:
            if candidate[:-1] and not values.present(candidate[:-1]):
                continue
            known = value_at(values.merged, candidate) if values.present(candidate) else None
            for other in _probes_of_absent(known, key):
                there = self._provenance.probed(section, candidate, other, (*home, key))
                if there is not ABSENT and there is not None:
                    return candidate
        return None


def _probes_of_absent(known: Any, key: str) -> Iterator[Any]:
    """Yield replacements of a known value that may make a key appear."""
    if isinstance(known, bool):
        yield not known
    elif isinstance(known, dict):
        yield {**known, key: _PROBE}
    elif isinstance(known, list):
        yield [*known, _PROBE]
    else:
        yield {_PROBE: _PROBE}
        yield _PROBE


def _candidates(
    values: ChartValues, named: Sequence[Pointer], pointer: Pointer, value: Any, *, whole: bool
) -> list[tuple[Pointer, Any]]:
    """Return values that may decide a field, each with another value to try, the likeliest first."""
    in_texts = islice((one for name in named for one in values.in_texts(name, pointer, value)), _MOST_IN_TEXTS)
    if isinstance(value, dict | list):
        every = (one for name in named for one, known in values.below(name) if known == value)
        found = dict.fromkeys((*every, *in_texts, *(() if whole else named)))
        typed = (one for one in found if isinstance(values.value(one), type(value)) and values.present(one))
        return [(one, _another(values.value(one))) for one in islice(typed, _MOST_OF_FIELD)]
    steps = [step for step in reversed(pointer) if isinstance(step, str)]
    ranked: dict[Pointer, tuple[bool, bool, int, int]] = {}
    for number, one in enumerate(named):
        for leaf, known in values.below(one):
            if isinstance(known, dict | list) or not values.present(leaf):
                continue
            alike = str(known) == str(value)
            last = next((step for step in reversed(leaf) if isinstance(step, str)), None)
            rank = (not alike, bool(steps) and last != steps[0], number, len(leaf))
            ranked[leaf] = min(ranked.get(leaf, rank), rank)
    best = list(dict.fromkeys((*in_texts, *sorted(ranked, key=lambda leaf: ranked[leaf]))))[:_MOST_OF_FIELD]
    return [(leaf, _another(values.value(leaf))) for leaf in best]


def _another(value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, dict | list):
        return {**value, _PROBE: _PROBE} if isinstance(value, dict) else [*value, _PROBE]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str) and value:
        digits = re.match(r"\d+", value)
        return f"{int(digits[0]) + 1}{value[digits.end() :]}" if digits is not None else f"{value}x"
    return "x"


def origins_of(reading: Reading, provenance: Provenance, path: str, namespace: str) -> tuple[ChartOrigin | None, ...]:
    """Return the origin of each document of a rendered chart; None for a document that is no object.

    `namespace` is the namespace of the release.
    """
    return tuple(
        ChartOrigin(document, provenance, path, namespace) if isinstance(document.value, dict) else None
        for document in reading.documents
    )
