"""The values that a chart's templates name: in an action, in the blocks around it, and in what calls or fills it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from kubelint_gpu.documents import Pointer, value_at
from kubelint_gpu.groups import grouped
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.helm.chart_values import ChartValues
from kubelint_gpu.sources.helm.marking import names_included
from kubelint_gpu.sources.helm.template_text import Piece

_DEEPEST = 5
_MOST_PIECES = 200
_MOST_DERIVED = 400
_MOST_ITEMS = 64
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
            items = (self._values.below(base)[:1] for base in bases)
            known = [(base, value) for found in items for base, value in found]
            known += [((*base, index), item) for base, value in known if isinstance(value, list)
                      for index, item in enumerate(value[:_MOST_ITEMS])]  # fmt: skip
            for home, value in known:
                for one in steps if isinstance(value, dict) else ():
                    yield (*home, *one)
                    if isinstance(value_at(value, one), dict | list):
                        more.append((*home, *one))
            bases = more[:_MOST_ITEMS]

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
