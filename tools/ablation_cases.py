"""The cases that `tools/ablate.py` asks the core and the linter about."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
INVENTORIES = ("cloud-pools.yaml", "mixed.yaml", "on-prem.yaml")
"""Of examples/inventories: the clusters on which a corpus without inventories is looked at."""


@dataclass(frozen=True)
class Case:
    """A question; the answer is what is said of each rollout or object, and the same each time."""

    name: str
    ask: Callable[[], dict[str, str]]


@dataclass(frozen=True)
class Source:
    """Cases of one kind; they are made where they are asked."""

    name: str
    cases: Callable[[], Sequence[Case]]


def sources(corpora: Sequence[Path], incidents: Path | None, count: int) -> list[Source]:
    """All kinds of cases."""
    found = [
        Source("examples", lambda: list(_examples())),
        Source("fleets", lambda: list(_fleets())),
        Source("random", lambda: list(_random(count))),
        Source("features", lambda: list(_featured(count))),
        Source("changes", lambda: list(_changed(count))),
    ]
    found += [Source(f"corpus {one.name}", lambda one=one: list(_corpus(one))) for one in corpora]
    if incidents is not None:
        found.append(Source("incidents", lambda: list(_incidents(incidents))))
    return found


# --- the linter ------------------------------------------------------------------------------------------------------
def _checked(folder: Path, *arguments: str) -> dict[str, str]:
    """The findings of a run of `check` in a folder, by object."""
    from kubelint_gpu.cli.main import invoke

    out = io.StringIO()
    os.chdir(folder)
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = invoke(["check", *arguments, "--isolated", "--no-cache", "--output-format", "json"])
    try:
        findings = json.loads(out.getvalue())["findings"]
    except ValueError:
        return {"": f"exit {code}"}
    told: dict[str, list[str]] = {}
    for one in findings:
        keys = ("code", "severity", "certainty", "line")
        told.setdefault(f"{one['path']} {one['object']}", []).append(" ".join(str(one[key]) for key in keys))
    return {name: " | ".join(sorted(lines)) for name, lines in told.items()}


def _check(name: str, folder: Path, *arguments: str) -> Case:
    return Case(name, lambda: _checked(folder, *arguments))


def _examples() -> Iterator[Case]:
    """The examples of the rules about rollouts, and the folders of examples/."""
    for folder in sorted((ROOT / "rules").glob("KLG1*")):
        for path in sorted((folder / "bad").glob("*.yaml")) + sorted((folder / "good").glob("*.yaml")):
            own = str(path).removesuffix(".yaml")
            if path.name.endswith((".inventory.yaml", ".against.yaml", ".rendered.yaml")):
                continue
            inventory = next(
                (one for one in (f"{own}.inventory.yaml", f"{folder}/inventory.yaml") if Path(one).exists()), None
            )
            options = ["-i", inventory] if inventory else []
            options += ["--against", f"{own}.against.yaml"] if Path(f"{own}.against.yaml").exists() else []
            yield _check(f"{folder.name}/{path.name}", folder, str(path.relative_to(folder)), *options)
    for folder in sorted(path.parent for path in (ROOT / "examples").glob("*/fixed.yaml")):
        for path in sorted(folder.glob("*.yaml")):
            if path.name not in ("inventory.yaml", "nodes.yaml"):
                yield _check(f"{folder.name}/{path.name}", folder, path.name, "-i", "inventory.yaml")


def _corpus(folder: Path) -> Iterator[Case]:
    """Every repository of a corpus, each file by itself, on each of the clusters of examples/inventories."""
    for part in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = sorted(
            str(path.relative_to(part)) for kind in ("yaml", "yml", "json") for path in part.rglob(f"*.{kind}")
        )
        files = [one for one in files if not Path(one).name.lower().startswith("kustomization")]
        for inventory in INVENTORIES if files else ():
            yield _check(
                f"{part.name} on {inventory}", part, *files, "-i", str(ROOT / "examples/inventories" / inventory)
            )


def _incidents(folder: Path) -> Iterator[Case]:
    """Every incident, before it was mended and after."""
    for part in sorted(path.parent for path in folder.glob("*/case.yaml")):
        for name in ("manifest", "fixed"):
            target = name if (part / name).is_dir() else f"{name}.yaml"
            inventory = "inventory_fixed.yaml" if name == "fixed" else ""
            inventory = inventory if inventory and (part / inventory).exists() else "inventory.yaml"
            yield _check(
                f"{part.name}/{name}", part, target, *(["-i", inventory] if (part / inventory).exists() else [])
            )


# --- the core --------------------------------------------------------------------------------------------------------
def _judged(transitions: Any, cluster: Any, **options: Any) -> dict[str, str]:
    """Each rollout by itself, and each group of them together."""
    from kubelint_gpu.simulation.questions.rollouts import judge, judge_together

    alone = judge(transitions, cluster, **options)
    told = {f"{number}": f"{_said(one)}, {one.room.placed} of {one.room.wanted}" for number, one in enumerate(alone)}
    for number, one in enumerate(judge_together(transitions, cluster, **options)):
        told[f"together {number}"] = _said(one)
    return told


def _said(one: Any) -> str:
    return str(one.verdict.value) if one.verdict is not None else "none"


def _reference() -> None:
    """The generators of the tests come into reach."""
    folder = str(ROOT / "tests" / "rollout")
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _of(case: Any) -> dict[str, str]:
    from reference_program import growth_of, program_input

    transitions, cluster = program_input(case)
    return _judged(transitions, cluster, growth=growth_of(case))


def _random(count: int) -> Iterator[Case]:
    _reference()
    from rollout_reference import random_case

    for seed in range(40_000, 40_000 + count):
        yield Case(f"seed {seed}", lambda seed=seed: _of(random_case(seed)))  # type: ignore[misc]


def _featured(count: int) -> Iterator[Case]:
    _reference()
    from rollout_reference import featured_case

    for seed in range(50_000, 50_000 + count):
        yield Case(f"seed {seed}", lambda seed=seed: _of(featured_case(seed)[1]))  # type: ignore[misc]


def _changed(count: int) -> Iterator[Case]:
    """Several workloads that one apply changes."""
    _reference()
    from rollout_changes import change_case

    for seed in range(31_000, 31_000 + count):
        yield Case(f"seed {seed}", lambda seed=seed: _of(change_case(seed)))  # type: ignore[misc]


def _fleets() -> Iterator[Case]:
    """The clusters of benchmarks/rollouts.py: fleets of Deployments, sizes that differ, StatefulSets that spread."""
    from benchmarks import rollouts
    from kubelint_gpu.scheduler import read_cluster
    from kubelint_gpu.simulation.transition import Transition

    for packed in (False, True):
        transitions, cluster = rollouts.fleet(60, 300, packed=packed)
        name = "full pools" if packed else "pools"
        yield Case(name, lambda given=transitions, on=cluster: _judged(given, on))  # type: ignore[misc]
        changed = rollouts.changed_at_once(transitions)
        yield Case(f"{name}, scaled at once", lambda given=changed, on=cluster: _judged(given, on))  # type: ignore[misc]
    small = read_cluster([rollouts.node(f"n{number}", "p", 4) for number in range(4)], version="1.34")
    sizes = [
        rollouts.deployment(name, "p", *rest)
        for name, *rest in (("a", 2, 3, 1, 1), ("b", 1, 4, 1, 1), ("c", 3, 1, 1, 0))
    ]
    yield Case("three sizes", lambda: _judged([Transition(one, one) for one in sizes], small))
    nodes = [rollouts.node(f"{'n' * (1 + number % 3)}{number}", "p", 1) for number in range(16)]
    sixteen = read_cluster(nodes, version="1.34")
    for key in ("topology.kubernetes.io/zone", "kubernetes.io/hostname"):
        pair = [Transition(one, one) for one in (rollouts.stateful_set("a", key), rollouts.stateful_set("b", key))]
        yield Case(f"two sets by {key}", lambda pair=pair: _judged(pair, sixteen))  # type: ignore[misc]
