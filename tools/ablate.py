"""`make ablate` or `python -m tools.ablate [--corpus FOLDER] [--incidents FOLDER]`: what each decider decides.

Each decider of a rollout is replaced by one that never knows, in turn, and then all of them. Printed for each kind of
cases: how many answers change (weaker: undecided, possible or a note instead of more; other: anything else), how many
states the search looks at, and the CPU time. A decider without which nothing changes, and which saves neither states
nor time, decides nothing. An answer is what is said of one rollout, or all findings about one object.

The deciders are those of `deciders.AT_ONCE`, `ALONE` and `SOON`, of `relaxed` and of `together.TOGETHER`; the search
always stays.
`HELPERS` only make a search smaller.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import pkgutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import click

from tools.ablation_cases import Case, Source, sources

PACKAGE = "kubelint_gpu"
CORE = f"{PACKAGE}.simulation"
SEARCH = (f"{CORE}.search.explorer", "explore")
"""The search whose states are counted."""
HELPERS = ((f"{CORE}.search.single_runs", "SINGLE_RUNS"), (f"{CORE}.model.node_symmetry", "EQUAL_ZONES"))
"""The names of what only makes a search smaller."""
TUPLES = (
    (f"{CORE}.questions.deciders", "AT_ONCE"),
    (f"{CORE}.questions.deciders", "ALONE"),
    (f"{CORE}.questions.deciders", "SOON"),
    *(
        (f"{CORE}.questions.relaxed", name)
        for name in ("WITHOUT_OTHERS", "WITHOUT_WEAKER", "WHILE_OTHERS_WAIT", "WITHOUT_CHANGES")
    ),
    (f"{CORE}.questions.together", "TOGETHER"),
)


def deciders() -> tuple[str, ...]:
    """The names of all that can be switched off."""
    named = [one.name for module, name in TUPLES for one in getattr(importlib.import_module(module), name)]
    helpers = [getattr(importlib.import_module(module), name) for module, name in HELPERS]
    return tuple(dict.fromkeys((*(one for one in named if one != "search"), *helpers)))


def left_out(names: Sequence[str]) -> AbstractContextManager[None]:
    """Within, these deciders and helpers are not asked."""
    from kubelint_gpu.simulation.asked import arranged

    return arranged(lambda ones: [one for one in ones if getattr(one, "name", one) not in names])


@dataclass(frozen=True)
class Result:
    """What the cases of a source answered: by name, with the states that were looked at, and the CPU seconds."""

    answers: dict[str, dict[str, str]]
    states: int
    seconds: float


TOO_LONG = "too long"
WEAK = ("undecided", "possible", "note", TOO_LONG)
"""What stands in an answer that says little."""


class _TooLong(BaseException):
    """A case has used up its time."""


def core_modules() -> list[ModuleType]:
    """All modules of the core and of what asks it, imported: only then it is known who imports a function by name."""
    core = importlib.import_module(PACKAGE)
    for one in pkgutil.walk_packages(core.__path__, f"{PACKAGE}."):
        if not one.name.startswith(f"{PACKAGE}.lsp") and "__main__" not in one.name:
            importlib.import_module(one.name)
    return [module for name, module in sys.modules.items() if name.startswith(f"{PACKAGE}.")]


def _replace(found: Sequence[ModuleType], old: object, new: object) -> None:
    """Have the modules that know a function ask another one."""
    known = [(one, name) for one in found for name, value in vars(one).items() if value is old]
    for module, name in known:
        setattr(module, name, new)


def _run(source: Source, off: Sequence[str], limit: float) -> Result:
    """Run all cases of a source in a process of its own, without some deciders."""
    with tempfile.TemporaryFile() as file:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                pickle.dump(_result(source.cases(), off, limit), file)
                file.flush()
                code = 0
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if status:
            raise click.ClickException(f"{source.name} without {list(off)}: the run failed")
        file.seek(0)
        found: Result = pickle.load(file)  # noqa: S301 what the child wrote
        return found


def _result(cases: Sequence[Case], off: Sequence[str], limit: float) -> Result:
    states = 0
    explore = getattr(importlib.import_module(SEARCH[0]), SEARCH[1])

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal states
        explored = explore(*arguments, **options)
        states += explored.states
        return explored

    _replace(core_modules(), explore, counted)

    def too_long(_signal: int, _frame: FrameType | None) -> None:
        raise _TooLong

    signal.signal(signal.SIGPROF, too_long)
    answers = {}
    begun = time.process_time()
    for case in cases:
        signal.setitimer(signal.ITIMER_PROF, limit)
        try:
            with left_out(off):
                answers[case.name] = case.ask()
        except _TooLong:
            answers[case.name] = {"": TOO_LONG}
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return Result(answers, states, time.process_time() - begun)


def changes(base: Result, found: Result) -> tuple[int, int, list[str]]:
    """How many answers are weaker, how many are otherwise not the same, and these as lines."""
    weaker = other = 0
    told = []
    for name, answers in base.answers.items():
        now = found.answers[name]
        if TOO_LONG in now.values() and TOO_LONG not in answers.values():
            now = dict.fromkeys(answers, TOO_LONG)
        for key in sorted({*answers, *now}):
            before, after = answers.get(key, "-"), now.get(key, "-")
            if before != after:
                weaker += is_weaker(before, after)
                other += not is_weaker(before, after)
                told.append(f"{name}: {key}: {before} -> {after}")
    return weaker, other, told


def is_weaker(before: str, after: str) -> bool:
    """Whether an answer says less than another one, and nothing else: `may-stick` is less than `stuck` only."""
    more = [one for one in after.split(" | ") if one not in before.split(" | ")]
    weak = [any(word in one for word in WEAK) or ("may-stick" in one and before.startswith("stuck")) for one in more]
    return bool(more) and all(weak)


@click.command()
@click.option("--corpus", "corpora", multiple=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--incidents", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--cases", default=120, show_default=True, help="How many random cases of each kind.")
@click.option("--limit", default=10.0, show_default=True, help="CPU seconds of a case.")
@click.option("--only", multiple=True, help="Deciders, by name; without it, all of them.")
@click.option("--source", "chosen", multiple=True, help="Kinds of cases, by name; without it, all of them.")
@click.option("--verbose", is_flag=True, help="Print every answer that changes.")
@click.option("--json", "path", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures, too.")
def main(
    corpora: tuple[Path, ...],
    incidents: Path | None,
    cases: int,
    limit: float,
    only: tuple[str, ...],
    chosen: tuple[str, ...],
    verbose: bool,
    path: Path | None,
) -> None:
    """Print what changes without each decider of the core."""
    asked = [one for one in deciders() if not only or one in only]
    rows: list[tuple[str, list[str]]] = [("-", []), *((one, [one]) for one in asked)]
    rows += [("all of them", asked)] if len(asked) > 1 else []
    core_modules()
    figures = []
    for source in sources(corpora, incidents, cases):
        if chosen and source.name not in chosen:
            continue
        base = None
        for name, off in rows:
            found = _run(source, off, limit)
            base = base or found
            weaker, other, told = changes(base, found)
            count = sum(map(len, base.answers.values()))
            if base is found:
                click.echo(f"\n{source.name}: {len(base.answers)} cases, {count} answers")
                click.echo(f"{'without':<22}{'weaker':>8}{'other':>8}{'states':>10}{'CPU s':>8}")
            click.echo(f"{name:<22}{weaker:>8}{other:>8}{found.states:>10}{found.seconds:>8.1f}")
            for line in told if verbose else ():
                click.echo(f"    {line}")
            figures.append(
                {
                    "source": source.name,
                    "without": name,
                    "answers": count,
                    "weaker": weaker,
                    "other": other,
                    "states": found.states,
                    "seconds": round(found.seconds, 2),
                }
            )
    if path is not None:
        path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
