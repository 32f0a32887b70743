"""The values that a chart's templates name: in actions, blocks around them and callers; and others to try instead."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count, islice
from typing import Any

from kubelint_gpu.documents import Pointer, value_at
from kubelint_gpu.groups import grouped
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.helm.chart_values import RENAMED, ChartValues, Setting, items
from kubelint_gpu.sources.helm.marking import names_included
from kubelint_gpu.sources.helm.template_text import Piece

_DEEPEST = 5
_MOST_PIECES = 200
_MOST_DERIVED = 400
_MOST_ITEMS = 64
_MOST_COMPARED = 8
_MOST_IN_TEXTS = 4
_SHORTEST = 2
_LONGEST = 200
PROBE = "kubelintGpuProbe"
_VALUES = pattern(r"\bValues((?:\.[A-Za-z_]\w*)+)")
_ALL_VALUES = pattern(r"\bValues\b(?!\.\w)")
_INDEXED = pattern(r"\bindex\s+[$.\w]{0,60}\.Values((?:\s+\"[^\"]+\")+)")
_RELATIVE = pattern(r"(?<![\w\")\]])(?:\$\w*)?((?:\.[A-Za-z_]\w*)+)")
_BUILT_IN = ("Values", "Release", "Chart", "Capabilities", "Files", "Template", "Subcharts")
_VARIABLE = pattern(r"\$\w+")
_ASSIGNED = pattern(r"\$\w+(?:\s*,\s*\$\w+)?\s*:?=")
_QUOTED = pattern(r"\"([^\"]+)\"")
_COMPARES = pattern(r"\b(?:eq|ne|[lg][te]|has|contains|has(?:Prefix|Suffix))\b")
_NUMBER = pattern(r"(?<![\w.$\"-])\d{1,9}(?![\w.\"])")
_KEY = pattern(r"\"([A-Za-z_][\w-]*)\"")
_Placed = tuple[str, Piece]
"""A piece with its file."""


class NamedValues:
    """The values that pieces of templates name; `pieces` are those of each template by path."""

    def __init__(self, pieces: Mapping[str, Sequence[Piece]], values: ChartValues) -> None:
        self._pieces = pieces
        self._values = values
        self._known: dict[tuple[str, Pointer, bool, tuple[int, ...]], list[Pointer]] = {}

    def by(self, template: str, path: str, pieces: Sequence[Piece], *, ranges: bool = True) -> list[Pointer]:
        """Return the values that pieces of a file name, with their enclosing blocks and their callers.

        Without `ranges`, blocks that repeat their content do not count. `template` is Helm's name of the rendered
        template. Values that are named in full come first. Those that are named below a variable or a block
        (`.replicas` within `range .Values.models`) follow, set or not.
        """
        prefix = _prefix(template)
        key = path, prefix, ranges, tuple(piece.start for piece in pieces)
        if key not in self._known:
            self._known[key] = self._by(prefix, [(path, piece) for piece in pieces], ranges=ranges)
        return self._known[key]

    def _by(self, prefix: Pointer, todo: list[_Placed], *, ranges: bool) -> list[Pointer]:
        found: dict[Pointer, None] = {}
        steps: dict[Pointer, None] = {}
        seen: set[tuple[str, int]] = set()
        for _ in range(_DEEPEST):
            more: list[_Placed] = []
            for where, piece in todo:
                if (where, piece.start) in seen:
                    continue
                seen.add((where, piece.start))
                for one in (piece, *reversed(piece.within)):
                    if one.word == "range" and not ranges:
                        continue
                    found |= dict.fromkeys(_named(one.inner, prefix))
                    steps |= dict.fromkeys(_relative(one.inner))
                    variables = _VARIABLE().findall(one.inner)
                    more += [each for name in variables for each in self._assignments.get((where, name), ())]
                more += self._callers.get(_home(piece), ())
                more += [one for name in names_included(piece.inner) for one in self._bodies.get(name, ())]
            todo = more[:_MOST_PIECES]
        for name in list(found):
            for _, text in self._values.below(name) if name else ():
                if isinstance(text, str) and "{{" in text:
                    found |= dict.fromkeys(_named(text, prefix))
        derived = islice(self._derived(list(found), list(steps)), _MOST_DERIVED)
        return [one for one in dict.fromkeys((*found, *derived)) if one != prefix]

    def _derived(self, bases: Sequence[Pointer], steps: Sequence[Pointer]) -> Iterator[Pointer]:
        """Yield the values that relative names mean below the values that are named in full, or in items of lists."""
        for _ in range(2):
            more: list[Pointer] = []
            known = [pair for base in bases for pair in self._values.below(base)[:1]]
            known += [
                ((*base, step), item) for base, value in known for step, item in islice(items(value), _MOST_ITEMS)
            ]
            for home, value in known:
                for one in steps if isinstance(value, dict) else ():
                    yield (*home, *one)
                    if isinstance(value_at(value, one), dict | list):
                        more.append((*home, *one))
            bases = more[:_MOST_ITEMS]

    @cached_property
    def quoted(self) -> frozenset[str]:
        """Return the texts in quotes in the actions, with which a value might be compared."""
        return frozenset(text for _, one in self._every for text in _QUOTED().findall(one.inner))

    @property
    def _every(self) -> Iterator[_Placed]:
        return ((path, piece) for path, pieces in self._pieces.items() for piece in pieces if piece.kind != "text")

    @cached_property
    def _callers(self) -> dict[str, list[_Placed]]:
        """Return the pieces that include named templates, each with its file, by the template's name."""
        return grouped((name, (path, one)) for path, one in self._every for name in names_included(one.inner))

    @cached_property
    def _bodies(self) -> dict[str, list[_Placed]]:
        """Return the actions in named templates, each with its file, by the template's name."""
        mine = ((path, one) for path, one in self._every if one.kind in ("output", "silent"))
        return grouped((home, (path, one)) for path, one in mine if (home := _home(one)))

    @cached_property
    def _assignments(self) -> dict[tuple[str, str], list[_Placed]]:
        """Return the pieces that assign variables, each with its file, by file and name."""
        assigned = ((path, one, _ASSIGNED().search(one.inner)) for path, one in self._every)
        names = ((path, one, name) for path, one, found in assigned if found for name in _VARIABLE().findall(found[0]))
        return grouped(((path, name), (path, one)) for path, one, name in names)


def _home(piece: Piece) -> str:
    """Return the name of the template that a piece is part of; empty outside of named templates."""
    return next((one.defined or "" for one in piece.within if one.word == "define"), "")


def _named(inner: str, prefix: Pointer) -> Iterator[Pointer]:
    """Yield the values that an action names in full; the prefix if it names all of them."""
    found = [match[1][1:].split(".") for match in _VALUES().finditer(inner)]
    found += [_QUOTED().findall(match[1]) for match in _INDEXED().finditer(inner)]
    for steps in found:
        yield tuple(steps) if steps[0] == "global" else (*prefix, *steps)
    if _ALL_VALUES().search(inner) is not None:
        yield prefix


def _relative(inner: str) -> Iterator[Pointer]:
    """Yield the steps that an action takes from a variable or a block, and from each step on, and its quoted keys."""
    for match in _RELATIVE().finditer(inner):
        steps = tuple(match[1][1:].split("."))
        if not any(step in _BUILT_IN for step in steps):
            yield from (steps[start:] for start in range(len(steps)))
    yield from ((key,) for key in _KEY().findall(inner))


def _prefix(template: str) -> Pointer:
    """Return the pointer of a template's own chart values among the values of the rendered chart."""
    parts = template.split("/")
    return tuple(parts[index + 1] for index in range(len(parts) - 2) if index % 2 == 1 and parts[index] == "charts")


def compared(pieces: Iterable[Piece], known: Any) -> list[Any]:
    """Return what some pieces, or the blocks around them, may compare a value with: others of the type of `known`."""
    every = (one.inner for piece in pieces for one in (piece, *piece.within) if _COMPARES().search(one.inner))
    if isinstance(known, str):
        found: list[Any] = [text for one in every for text in _QUOTED().findall(one)]
    elif isinstance(known, int) and not isinstance(known, bool):
        found = [int(text) + more for one in every for text in _NUMBER().findall(one) for more in (0, 1)]
    else:
        found = []
    return [one for one in dict.fromkeys(found) if one != known]


def is_near(values: ChartValues, pointer: Pointer, name: str) -> bool:
    """Whether a value is in no item of a list, or in one that has a part of an object's name."""
    index = next((index for index, step in enumerate(pointer) if isinstance(step, int)), None)
    item = value_at(values.merged, pointer[: index + 1]) if index is not None else None
    texts = item.values() if isinstance(item, dict) else (item,)
    return index is None or any(f"-{text}-" in name for text in texts if isinstance(text, str) and text)


def settings_compared(values: ChartValues, named: Sequence[Pointer], pieces: Sequence[Piece]) -> list[Setting]:
    """Return values with what pieces may compare them with."""
    trials = ((one, other) for one in named for other in compared(pieces, values.value(one)))
    return list(islice(trials, _MOST_COMPARED))


def replacements(values: ChartValues, kept: Collection[str]) -> dict[Pointer, Any]:
    """Return another value for each number and each text of one line, except for the texts `kept`."""
    found: dict[Pointer, Any] = {}
    seen = {str(known) for _, known in values.below(())}
    for number, (one, known) in enumerate(values.below(())):
        if isinstance(known, str) and 0 < len(known) <= _LONGEST and "\n" not in known and known not in kept:
            found[one] = f"{known}-zq{number}q"
        elif isinstance(known, int | float) and not isinstance(known, bool):
            found[one] = next(known + more for more in count(1) if str(known + more) not in seen)
            seen.add(str(found[one]))
    return found


def shows(known: Any, other: Any, before: str, after: str) -> bool:
    """Whether the output `after` shows the replacement of a value that the output `before` was made with."""
    token = str(other).rpartition("-")[2]
    is_new = re.search(rf"(?<!\w){re.escape(token)}(?!\w)", after) is not None and token not in before
    return is_new and (isinstance(known, str) or str(known) in before)


def replaced(value: Any, pointer: Pointer, changes: Mapping[Pointer, Any]) -> Any:
    """Return a value with replacements at their pointers; a null in a mapping is left out."""
    if isinstance(value, dict):
        return {step: replaced(one, (*pointer, step), changes) for step, one in items(value) if one is not None}
    if isinstance(value, list):
        return [replaced(one, (*pointer, step), changes) for step, one in items(value)]
    return changes.get(pointer, value)


def probes(values: ChartValues, pointer: Pointer, key: str) -> Iterator[Any]:
    """Yield replacements of a value that may make a key appear, or a condition turn out otherwise."""
    known = values.value(pointer)
    if isinstance(known, bool):
        yield not known
    elif isinstance(known, list):
        yield [*known, PROBE]
    elif isinstance(known, dict) and known:
        yield {**known, key: PROBE}
    elif not known:
        yield from ({key: PROBE}, PROBE)
    elif key == PROBE:
        yield _another(known)


def candidates(
    values: ChartValues, named: Sequence[Pointer], pointer: Pointer, value: Any, name: str, *, whole: bool
) -> list[Setting]:
    """Return values that may decide a field of the object with a name, each with another value, the likeliest first."""
    in_texts = list(islice((one for known in named for one in values.in_texts(known, pointer, value)), _MOST_IN_TEXTS))
    if isinstance(value, dict | list):
        every = (one for each in named for one, known in values.below(each) if known == value)
        found = dict.fromkeys((*every, *in_texts, *(() if whole else named)))
        types = type(value) if whole else (type(value), str)
        typed = (one for one in found if isinstance(values.value(one), types) and values.present(one))
        return [(one, _another(values.value(one))) for one in typed]
    steps = [step for step in reversed(pointer) if isinstance(step, str)]
    ranked: dict[Pointer, tuple[bool, bool, int, bool, int, int]] = {}
    text = _shown(value)
    for number, one in enumerate(named):
        for leaf, known in values.below(one) or ((one, None),):
            if isinstance(known, dict | list):
                continue
            last = next((step for step in reversed(leaf) if isinstance(step, str)), None)
            other = bool(steps) and last != steps[0]
            unlike = _unlike(_shown(known), text) if values.present(leaf) else 2
            rank = (unlike > 0, other, unlike, not is_near(values, leaf, name), number, len(leaf))
            ranked[leaf] = min(ranked.get(leaf, rank), rank)
    best = dict.fromkeys((*in_texts, *sorted(ranked, key=lambda leaf: ranked[leaf])))
    return [
        *_renamed(values, named, text),
        *((leaf, _another(values.value(leaf), is_text="\n" in text)) for leaf in best),
    ]


def _renamed(values: ChartValues, named: Sequence[Pointer], text: str) -> list[Setting]:
    """Return other names for the keys with which a text ends."""
    keys = (leaf for one in named for leaf, _ in values.below(one) if len(leaf) > 1 and isinstance(leaf[-1], str))
    mine = (leaf for leaf in keys if f"-{text}".endswith(f"-{leaf[-1]}"))
    return [(leaf, RENAMED) for leaf in islice(dict.fromkeys(mine), _MOST_COMPARED)]


def _shown(value: Any) -> str:
    """Return a single value as a template prints it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unlike(known: str, printed: str) -> int:
    """Return how little what is printed looks like a value: 0 if it is the value, 1 if it holds it, else 2."""
    return 0 if known == printed else 1 if len(known) > _SHORTEST and known in printed else 2


def _another(value: Any, *, is_text: bool = False) -> Any:
    """Return another value of the same type. A text of several lines may be YAML unless the field `is_text`, too."""
    if isinstance(value, dict | list):
        return {**value, PROBE: PROBE} if isinstance(value, dict) else [*value, PROBE]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str) and "\n" in value and not is_text:
        return f"{{{PROBE}: {PROBE}}}"
    if isinstance(value, str) and value:
        digits = re.match(r"\d+", value)
        return f"{int(digits[0]) + 1}{value[digits.end() :]}" if digits is not None else f"{value}x"
    return "x"
