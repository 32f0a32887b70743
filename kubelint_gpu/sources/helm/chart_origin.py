"""Traces the fields of one object of a rendered chart to where they were written."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any

from kubelint_gpu.documents import Document, Pointer, Reading, Role, value_at
from kubelint_gpu.sources.helm.chart_values import ABSENT, RENAMED, Setting, value_or_absent
from kubelint_gpu.sources.helm.marking import Marked
from kubelint_gpu.sources.helm.named_values import PROBE, candidates, compared, is_near, probes, settings_compared
from kubelint_gpu.sources.helm.provenance import Provenance, Trial
from kubelint_gpu.sources.helm.sections import Section
from kubelint_gpu.sources.helm.template_text import Piece
from kubelint_gpu.sources.render import Spot, TakenAway
from kubelint_gpu.values import Value

_MOST_ALONE = 3
_MOST_OF_FIELD = 8
_MOST_TOGETHER = 200
Test = Callable[[Trial], bool | None]
"""Whether a field of a render with other values is another one; None if nothing answers it."""


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

    def template(self, pointer: Pointer) -> Spot:
        """Return the line of the template behind a field, or behind the mapping that it would stand in."""
        found = self.found(pointer)
        return found.template or found.spot

    def compared(self, pointer: Pointer, known: Any) -> list[Any]:
        """Return what the template's actions behind a field, or around it, may compare a value with."""
        span = self._document.locate(pointer)
        section = self._provenance.sections.at(span.start)
        marked = self._provenance.pieces_at(section, span.start, span.end) if section is not None else []
        pieces = [one.piece for one in marked]
        if not self._document.present(pointer):
            pieces = [one for _, mine in self._written(marked, str(pointer[-1])) for one in mine]
        return compared(pieces, known)[:_MOST_OF_FIELD]

    def told(self, path: str, line: int, column: int) -> tuple[bool, tuple[tuple[Spot, str], ...]]:
        """Return, for an origin returned before, whether it is certain, and the template's line behind a value."""
        for found in self._found.values():
            if found.spot.path == path and (found.spot.span.line, found.spot.span.column) == (line, column):
                flag = self._provenance.values.flag(found.values) if found.values is not None else ""
                notes = ((self.top, f"{flag} decides it"),) if flag else ()
                return found.certain, ((found.template, "rendered from here"),) if found.template is not None else notes
        return True, ()

    def removals(self) -> Iterator[TakenAway]:
        """Yield nothing: a template removes nothing."""
        return iter(())

    def _find(self, pointer: Pointer, role: Role) -> Found:
        span = self._document.locate(pointer, role)
        section = self._provenance.sections.at(span.start)
        if section is None:
            return Found(self.top, certain=False)
        self._provenance.values_of[section] = self._document.value
        template, certain = self._provenance.template_spot(section, span.start, span.end)
        if not self._document.present(pointer) or (pointer and value_at(self._document.value, pointer) is None):
            decided = self._deciding_absent(section, pointer)
        else:
            end = self._document.locate(pointer).end if role == "key" else span.end
            pieces = self._provenance.pieces_at(section, span.start, end)
            decided = self._deciding(section, pointer, pieces, span.start, end, whole=role == "key")
        if decided is None:
            return Found(template, certain)
        values, other = decided
        spot = self._provenance.values.spot(values, "key" if other is RENAMED else role)
        if spot is None:
            return Found(template, certain, values=values)
        return Found(spot, certain=True, template=template, values=None if other is RENAMED else values)

    def _deciding(
        self, section: Section, pointer: Pointer, pieces: Sequence[Marked], start: int, end: int, *, whole: bool
    ) -> Setting | None:
        """Return the value that decides a present field, with another one; None if none does.

        For a `whole` mapping or list it is a value that is equal to it. What no action prints is decided by a value
        that makes the template print something else in its place.
        """
        value, values = value_at(self._document.value, pointer), self._provenance.values
        actions = [one for one in pieces if one.is_action]

        def is_shown(one: Setting) -> bool | None:
            unknown = whole or one[1] is RENAMED
            return None if unknown else self._provenance.is_shown(section, one[0], start, end)

        def is_changed(trial: Trial) -> bool | None:
            if len(trial) == 1 and is_shown(trial[0]):
                return True
            told = self._provenance.is_other_text(section, trial, start, end)
            if told is not None:
                return told
            other = self._provenance.object_in(section, trial)
            if other is None or value_or_absent(other, pointer) is not ABSENT:
                return None if other is None else bool(value_at(other, pointer) != value)
            may_go = isinstance(trial[0][1], bool) and trial[0][0][-1] == pointer[-1]
            return _is_replaced(self._document.value, other, pointer, may_go=may_go) or None

        def trials() -> Iterator[list[Setting]]:
            every = candidates(values, self._named(section, actions), pointer, value, self._name, whole=whole)
            yield [one for one in every if is_shown(one)][:1]
            yield [one for one in every if is_shown(one) is not False]
            if whole or not actions:
                names = self._named(section, pieces[:1], ranges=False)
                names = [one for one in names if not (isinstance(known := values.value(one), dict | list) and known)]
                yield [(one, probe) for one in names for probe in probes(values, one, PROBE)][:_MOST_OF_FIELD]
            mine = (not whole and actions) or pieces[:1]
            yield settings_compared(values, self._named(section, mine), [one.piece for one in mine])

        return self._first_of((section.template, pointer, whole, *(one.start for one in pieces)), trials(), is_changed)

    def _deciding_absent(self, section: Section, pointer: Pointer) -> Setting | None:
        """Return the value with which a field that is absent or null would be there; None if there is none."""
        depth = next(size for size in range(len(pointer) - 1, -1, -1) if self._document.present(pointer[:size]))
        home, key = pointer[:depth], pointer[depth]
        if not isinstance(key, str):
            return None
        span = self._document.locate(home, "key") if home else self._document.locate((), "value")
        inner = self._document.locate(home, "value")
        pieces = self._provenance.pieces_at(section, span.start, inner.end)
        if not pieces:
            return None

        def is_there(trial: Trial) -> bool | None:
            if self._provenance.is_key_added(section, trial, inner.start, inner.end, key):
                return True
            other = self._provenance.object_in(section, trial)
            present = value_or_absent(other, (*home, key))
            return present not in (None, ABSENT) if value_or_absent(other, home) is not ABSENT else None

        def trials() -> Iterator[list[Setting]]:
            values, written = self._provenance.values, self._written(pieces, key)
            named = [name for line in written for name in self._provenance.named.by(section.template, *line)]
            named += self._named(section, [one for one in pieces if one.is_action] or pieces[:1])
            mapping = value_at(self._document.value, home)

            def rank(one: Pointer) -> tuple[bool, bool, bool]:
                return one[-1] != key, values.value(one) != mapping, not is_near(values, one, self._name)

            ranked = sorted(dict.fromkeys(named), key=rank)
            yield [(one, probe) for one in ranked for probe in probes(values, one, key)]
            yield settings_compared(values, ranked, [piece for _, mine in written for piece in mine])

        return self._first_of((section.template, home, key, *(one.start for one in pieces)), trials(), is_there)

    def _first_of(self, field: Hashable, trials: Iterator[list[Setting]], test: Test) -> Setting | None:
        """Return the first value of some lists that passes a test; what decides this field elsewhere is tried first."""
        known = self._provenance.decided.get(field)
        if known is None or not test((known,)):
            known = next((found for each in trials if (found := _first(each, test)) is not None), None)
        if known is not None:
            self._provenance.decided[field] = known
        return known

    def _written(self, pieces: Sequence[Marked], key: str) -> list[tuple[str, list[Piece]]]:
        """Return the pieces that write a key in the files of some pieces, by file."""
        lines = self._provenance.lines_with
        return [(path, list(lines(path, key))) for path in dict.fromkeys(one.path for one in pieces)]

    def _named(self, section: Section, pieces: Sequence[Marked], *, ranges: bool = True) -> list[Pointer]:
        by = self._provenance.named.by
        mine = (by(section.template, one.path, [one.piece], ranges=ranges) for one in pieces)
        return list(dict.fromkeys(name for names in mine for name in names))

    @cached_property
    def _name(self) -> str:
        """Return the name of the object."""
        return f"-{value_at(self._document.value, ('metadata', 'name'))}-"


def _first(trials: Sequence[Setting], test: Test) -> Setting | None:
    """Return the first value with which a field passes a test.

    The likeliest are tried one by one. Of the others many are tried at once, then each half of them.
    """
    for number, trial in enumerate(trials[:_MOST_OF_FIELD]):
        if number == _MOST_ALONE and test(_together(trials[number:])) is False:
            return None
        if test((trial,)):
            return trial
    return _halved(_together(trials[_MOST_OF_FIELD:]), test)


def _together(trials: Sequence[Setting]) -> Trial:
    """Return trials to make at once, each value with its first replacement."""
    return tuple(dict(reversed(trials[:_MOST_TOGETHER])).items())


def _halved(group: Trial, test: Test) -> Setting | None:
    """Return a value that passes a test alone, found by tests of many together."""
    if not group or not test(group):
        return None
    if len(group) == 1:
        return group[0]
    half = len(group) // 2
    return _halved(group[:half], test) or _halved(group[half:], test)


def _is_replaced(old: Any, new: Any, pointer: Pointer, *, may_go: bool = False) -> bool:
    """Whether an object without a field has another entry in a mapping that held it.

    With `may_go` it need not have another entry.
    """
    for size in range(len(pointer) - 1, 0, -1):
        there = value_or_absent(new, pointer[:size])
        here = value_at(old, pointer[:size])
        if there is not ABSENT:
            both = isinstance(there, dict) and isinstance(here, dict)
            added = both and not there.keys() <= here.keys()
            return added or type(there) is not type(here) or (may_go and size == len(pointer) - 1)
    return False


def origins_of(reading: Reading, provenance: Provenance, path: str, namespace: str) -> tuple[ChartOrigin | None, ...]:
    """Return the origin of each document of a rendered chart; None for a document that is no object.

    `namespace` is the namespace of the release.
    """
    return tuple(
        ChartOrigin(document, provenance, path, namespace) if isinstance(document.value, dict) else None
        for document in reading.documents
    )
