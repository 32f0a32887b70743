"""`python -m conformance`: build the tools, run suites against the real control plane, record and compare."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from conformance import suites, tools
from conformance.api_client import Object
from conformance.processes import NothingChosen, interruptible, sweep

_ROOT = Path(__file__).parent.parent
_SET_UP = "set the project up as its README says, and run this with .venv/bin/python"
GOLDEN = _ROOT / "tests" / "golden"
KNOWN = Path(__file__).parent / "known.md"


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 1 when something disagreed or could not run."""
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="build the programs of a release")
    run = commands.add_parser("run", help="run suites and record what happened")
    build.add_argument("--kwok", action="store_true", help="build kwok too; no suite needs it")
    up = commands.add_parser("up", help="start one control plane for kubectl, and stop it on ^C")
    up.add_argument("--nodes", type=Path, help="a YAML file with the nodes to make; default: those of examples/tracker")
    for each in (build, run, up):
        each.add_argument("--kubernetes", default=tools.releases()[0], choices=tools.releases())
    run.add_argument(
        "--suite",
        action="append",
        choices=tuple(suites.SUITES),
        help="default: every suite",
    )
    run.add_argument("--short", action="store_true", help="a selection that takes a few minutes")
    run.add_argument("--every", type=int, default=1, help="only each n-th rollout")
    run.add_argument("--planes", type=int, default=4, help="control planes beside each other")
    run.add_argument("--runs", type=int, default=3, help="how often each rollout is run")
    run.add_argument("--seed", type=int, default=1, help="of the generated cases")
    run.add_argument("--generate", type=int, default=0, help="how many cases to generate")
    run.add_argument("--only", default="", help="only cases whose id contains this")
    run.add_argument("--keep", action="store_true", help="keep the logs of the programs")
    run.add_argument("--record", type=Path, help="the folder for recordings; of a short run one in the cache folder")
    compare = commands.add_parser("compare", help="ask the linter about everything recorded; needs no cluster")
    page = commands.add_parser("page", help="write docs/conformance.md from the recordings")
    compare.add_argument("files", nargs="*", type=Path, help="recordings of rollouts; default: all of the repository")
    compare.add_argument("--only", default="", help="only cases whose id contains this")
    page.add_argument("--to", type=Path, default=_ROOT / "docs" / "conformance.md")
    chosen = parser.parse_args(arguments)
    interruptible()
    try:
        return _COMMANDS[chosen.command](chosen)
    except ModuleNotFoundError as missing:
        print(f"{missing.name} is not installed in {sys.executable}: {_SET_UP}", file=sys.stderr)
    except (tools.BuildFailed, NothingChosen) as failed:
        print(failed, file=sys.stderr)
    return 1


def _build(chosen: argparse.Namespace) -> int:
    sweep()
    seconds = tools.build(tools.release(chosen.kubernetes))
    if seconds > 1:
        print(f"built in {seconds:.0f} s", file=sys.stderr)
    if getattr(chosen, "kwok", False):
        tools.build_kwok()
    return 0


def _run(chosen: argparse.Namespace) -> int:
    # what is missing shows before ten minutes of building, not after
    played = suites.players(chosen.suite)
    _build(chosen)
    started = time.monotonic()
    chosen.record = chosen.record or (tools.cache() / "short" if chosen.short else GOLDEN)
    code = suites.run(chosen, played)
    print(f"{'everything agrees' if not code else 'see above'}; {time.monotonic() - started:.0f} s", file=sys.stderr)
    return code


def _up(chosen: argparse.Namespace) -> int:
    from conformance import playground

    _build(chosen)
    return playground.up(tools.release(chosen.kubernetes), chosen.nodes)


def _compare(chosen: argparse.Namespace) -> int:
    if chosen.files:
        return _compared(chosen.files, chosen.only)
    from conformance import admission_answers, apply_answers, device_answers, refusals, update_answers

    comparisons: dict[str, Callable[[list[Object]], tuple[Counter[str], list[str]]]] = {
        "validation": refusals.compared,
        "updates": update_answers.compared,
        "admission": admission_answers.compared,
        "devices": device_answers.compared,
        "applies": apply_answers.compared,
    }
    return max(
        _compared(sorted((GOLDEN / "rollouts").glob("*.jsonl.xz")), chosen.only),
        *(_told(sorted((GOLDEN / suite).glob("*.jsonl.xz")), how) for suite, how in comparisons.items()),
    )


def _page(chosen: argparse.Namespace) -> int:
    from conformance.page import written

    chosen.to.write_text(written(GOLDEN, KNOWN), encoding="utf-8")
    return 0


_COMMANDS = {"build": _build, "run": _run, "up": _up, "compare": _compare, "page": _page}


def _compared(files: list[Path], only: str) -> int:
    from conformance import recording
    from conformance.page import questions

    counts: Counter[str] = Counter()
    wrong = 0
    for path in files:
        for record, why, asked in questions(each for each in recording.read(path) if only in each["id"]):
            if why:
                counts[f"not compared: {why}"] += 1
            for one in asked:
                counts[f"{one.verdict}: {' and '.join(name for name, _ in one.seen)}"] += 1
                if one.disagrees:
                    wrong += 1
                    print(f"{one.id} ({record['kubernetes']}): {one.disagrees}; runs: {dict(one.seen)}")
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    print(f"{wrong} disagreements")
    return 1 if wrong else 0


def _told(files: list[Path], comparison: Callable[[list[Object]], tuple[Counter[str], list[str]]]) -> int:
    from conformance import recording

    wrong: list[str] = []
    for path in files:
        counts, here = comparison(list(recording.read(path)))
        wrong += here
        for name, count in sorted(counts.items()):
            print(f"{count:6} {name}")
    print("\n".join([*wrong, f"{len(wrong)} disagreements"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
