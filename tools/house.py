"""`python tools/house.py [--update] [--list MEASURE]`: how the program is built, in figures.

Prints a table: each measure now, its limit and its target. The limits are in `house.json`: no commit may exceed them.
Exits with 1 where a figure is worse than its limit. `--update` writes the limits of what got better, and of new
measures; a limit that is to be raised is edited by hand, so that a review sees it. `--list` prints what was counted.

The product is `kubelint_gpu/` and the Python files of `rules/`. Only the standard library is needed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.house_counts import House
from tools.house_functions import COMPLEX, PARAMETERS
from tools.house_modules import LONG, SHORT


@dataclass(frozen=True)
class Measure:
    """A figure: what it is called, how it is found, and what it is to become.

    `sign` is 1 where less is better, else -1. A limit is a multiple of `step`, so that small changes are free.
    """

    key: str
    title: str
    value: Callable[[House], float]
    target: float
    places: Callable[[House], Iterable[Any]] = lambda _: ()
    sign: int = 1
    step: int = 1


def _share(house: House, *, exact: bool) -> float:
    missing, of = house.untested(exact=exact)
    return 100 - 100 * len(missing) / of if of else 100


def _lines(house: House) -> list[tuple[int, str]]:
    return sorted(((one.lines, one.path) for one in house.product), reverse=True)


def _own_imports(house: House) -> list[tuple[int, str]]:
    return sorted(((len(house.imports[one.name]), one.path) for one in house.product), reverse=True)


def _first(found: list[tuple[int, str]]) -> list[int]:
    return [number for number, _ in found]


MEASURES = (
    Measure("package", "modules in one package, at most (rules aside)", lambda h: max(h.packages().values()), 20,
            lambda h: sorted(((n, p) for p, n in h.packages().items()), reverse=True)),
    Measure("modules", "modules", lambda h: len(h.product), 500,
            lambda h: sorted(((n, p) for p, n in h.packages().items()), reverse=True), step=10),
    Measure("longest", "lines of a module, at most", lambda h: max(_first(_lines(h))), 400, _lines),
    Measure("one-importer", f"modules of at most {SHORT} lines with one importer", lambda h: len(h.for_one()), 0,
            House.for_one),
    Measure("complex", f"functions with more than {COMPLEX} decisions", lambda h: len(h.complex_functions()), 0,
            House.complex_functions),
    Measure("parameters", f"functions with more than {PARAMETERS} parameters", lambda h: len(h.long_signatures()), 0,
            House.long_signatures),
    Measure("imports", "own imports of a module, at most", lambda h: max(_first(_own_imports(h))), 15, _own_imports),
    Measure("cycles", "import cycles", lambda h: len(h.cycles), 0, lambda h: h.cycles),
    Measure("in-cycles", "modules in import cycles", lambda h: sum(map(len, h.cycles)), 0, lambda h: h.cycles),
    Measure("plugins", "modules outside plugins that name one", lambda h: len(h.plugin_names()), 0, House.plugin_names),
    Measure("strategies", "isinstance on a strategy outside controllers", lambda h: len(h.strategies()), 0,
            House.strategies),
    Measure("id", "id() as a key", lambda h: len(h.identities()), 5, House.identities),
    Measure("texts", "own texts that are parsed again (approximate)", lambda h: len(h.parsed_texts()), 0,
            House.parsed_texts),
    Measure("classes", "class names that are there twice", lambda h: len(h.classes()), 5,
            lambda h: h.classes().items()),
    Measure("names", "module names in two packages", lambda h: len(h.namesakes()), 8, lambda h: h.namesakes().items()),
    Measure("thresholds", "numbers of the core outside its budget", lambda h: len(h.thresholds()), 0, House.thresholds),
    Measure("limits", "modules with such numbers", lambda h: len({p for p, _ in h.thresholds()}), 0, House.thresholds),
    Measure("tested", f"% of modules over {LONG} lines with test_<module>.py", lambda h: _share(h, exact=True), 80,
            lambda h: h.untested(exact=True)[0], sign=-1),
    Measure("tested-suffix", "% with test_<...>_<module>.py, too", lambda h: _share(h, exact=False), 80,
            lambda h: h.untested(exact=False)[0], sign=-1),
    Measure("patches", "tests that patch the product's internals", lambda h: len(h.patches()), 5, House.patches),
    Measure("tricks", "tricks with the interpreter, its modules and classes", lambda h: len(h.tricks()), 0,
            House.tricks),
    Measure("lines", "lines of product code", lambda h: sum(_first(_lines(h))), 70_000, _lines, step=250),
)  # fmt: skip


def _shown(place: object) -> str:
    """`path:line`, `number path`, or what else a place is made of."""
    if isinstance(place, tuple):
        return (":" if isinstance(place[1], int) else "  ").join(map(str, place))
    return "  ".join(place) if isinstance(place, list) else str(place)


def limit_of(measure: Measure, value: float) -> int:
    """The limit for what is reached now: rounded to the worse side, so that the figure itself keeps to it."""
    return measure.sign * -int(-measure.sign * value // measure.step) * measure.step


def table(values: dict[str, float], limits: dict[str, int]) -> list[str]:
    """The lines of the table; `worse` stands behind what exceeds its limit, `*` behind what has reached its target."""
    found = [f"{'measure':<54}{'now':>8}{'limit':>8}{'target':>8}"]
    for one in MEASURES:
        value, limit = values[one.key], limits.get(one.key)
        mark = " worse" if is_worse(one, value, limit) else " *" if one.sign * (value - one.target) <= 0 else ""
        found.append(f"{one.title:<54}{value:>8.0f}{'-' if limit is None else limit:>8}{one.target:>8.0f}{mark}")
    return found


def is_worse(measure: Measure, value: float, limit: int | None) -> bool:
    """Whether a figure exceeds its limit; one without a limit does, so that no measure is forgotten."""
    return limit is None or measure.sign * (value - limit) > 0


def main(arguments: list[str] | None = None) -> int:
    """Print the table; the exit code."""
    repository = Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--root", type=Path, default=repository, help="the repository to measure")
    parser.add_argument("--limits", type=Path, help="the file of limits; default: tools/house.json of the repository")
    parser.add_argument("--update", action="store_true", help="write the limits of what got better")
    parser.add_argument("--list", choices=[one.key for one in MEASURES], help="print what a measure counts")
    options = parser.parse_args(arguments)
    house = House(options.root)
    if options.list:
        places = next(one for one in MEASURES if one.key == options.list).places(house)
        sys.stdout.writelines(f"{_shown(one)}\n" for one in places)
        return 0
    file = options.limits or options.root / "tools" / "house.json"
    limits = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    values = {one.key: one.value(house) for one in MEASURES}
    if options.update:
        for one in MEASURES:
            if one.key not in limits or one.sign * (limit_of(one, values[one.key]) - limits[one.key]) < 0:
                limits[one.key] = limit_of(one, values[one.key])
        limits = {one.key: limits[one.key] for one in MEASURES}
        file.write_text(json.dumps(limits, indent=2) + "\n", encoding="utf-8")
    worse = [one.key for one in MEASURES if is_worse(one, values[one.key], limits.get(one.key))]
    for key in worse:
        sys.stdout.write(f"{key} is worse than its limit: `python tools/house.py --list {key}` says where\n")
    sys.stdout.writelines(f"{line}\n" for line in table(values, limits))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
