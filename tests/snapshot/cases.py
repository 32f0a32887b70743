"""What the snapshot asks: the examples of all rules, the folders of examples/, and random clusters.

What must be rendered by Kustomize is left out: which Kustomize is installed would decide the answer. `LEFT_OUT` names it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from random_clusters import random_cluster
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("Deployment", "StatefulSet", "DaemonSet", "Job")
LEFT_OUT = {"KLG006-render-failed"}
"""Rules whose examples are kustomizations, in part."""
SLOW = {
    0, 2, 13, 15, 19, 20, 23, 25, 27, 38, 39, 42, 43, 44, 47, 52, 56, 57, 60, 69, 79, 84, 88, 91, 96, 113, 115, 117,
    131, 133, 143, 144, 147, 153, 156, 161, 168, 175, 178, 180, 186, 196, 200, 201, 202, 209,
}  # fmt: skip
"""Seeds of random clusters that took more than 0.6 s of CPU time when the snapshot was made."""
HEAVY = [34, 74, 85, 145, 184]
"""Seeds that take more than 1.5 s by now; they are asked with the tests that take long."""
SEEDS = [seed for seed in range(210) if seed not in {*SLOW, *HEAVY}]
CHUNK = 10


@dataclass(frozen=True)
class Case:
    """Some files and the commands that are run beside them.

    Attributes:
        name: unique in its group.
        commands: the arguments of `check` or `explain`, by a short name.
        folder: what is copied; None where the files are to be written into an empty folder.
        place: where the copy is, below the folder that the commands are run in.
        files: these files.
    """

    name: str
    commands: dict[str, tuple[str, ...]]
    folder: Path | None = None
    place: str = "."
    files: dict[str, str] = field(default_factory=dict)


def groups() -> dict[str, dict[str, Callable[[], list[Case]]]]:
    """The cases by the file of their answers, then by what is run as one test."""
    rules = {folder.name: folder for folder in sorted((ROOT / "rules").glob("KLG*"))}
    seeds = [SEEDS[at : at + CHUNK] for at in range(0, len(SEEDS), CHUNK)]
    return {
        "rules": {name: lambda folder=folder: list(_rule(folder)) for name, folder in rules.items()},
        "examples": {"examples": lambda: list(_examples())},
        "random": {f"{some[0]}-{some[-1]}": lambda some=some: list(map(_random, some)) for some in [*seeds, HEAVY]},
    }


def _rule(folder: Path) -> Iterator[Case]:
    for path in sorted(path for kind in ("bad", "good", "fixed") for path in (folder / kind).glob("*.yaml")):
        if path.name.endswith((".inventory.yaml", ".against.yaml", ".rendered.yaml")):
            continue
        name = path.relative_to(folder).as_posix()
        own = name.replace("fixed/", "bad/").removesuffix(".yaml")
        inventory = [file for file in (f"{own}.inventory.yaml", "inventory.yaml") if (folder / file).exists()][:1]
        options = [part for file in inventory for part in ("--inventory", file)]
        against = f"{own}.against.yaml"
        if (folder / against).exists():
            options += ["--against", against]
        explained = _first_workload(path.read_bytes()) if inventory and not name.startswith("fixed/") else None
        yield Case(f"{folder.name}/{name}", _commands(name, options, explained), folder)


def _examples() -> Iterator[Case]:
    for folder in sorted(path.parent for path in (ROOT / "examples").glob("*/output.txt")):
        found = re.search(r"```sh\nkubelint-gpu check (\S+) (.*)\n```", (folder / "README.md").read_text())
        assert found is not None, f"{folder}: its README names no command"
        manifest = ROOT / found[1]
        options = shlex.split(found[2])
        for path in (manifest, folder / "fixed.yaml"):
            name = path.relative_to(ROOT).as_posix()
            place = folder.relative_to(ROOT).as_posix()
            yield Case(name, _commands(name, options, _first_workload(path.read_bytes())), folder, place)


def _random(seed: int) -> Case:
    found = random_cluster(seed)
    inventory = ("--inventory", "inventory.yaml")
    commands = {
        " ".join(("check", *more)): ("check", "after.yaml", *inventory, "--isolated", *more) for more in found.options
    }
    commands["explain"] = ("explain", found.workloads[0], "after.yaml", *inventory)
    return Case(f"cluster {seed}", commands, files=found.files)


def _commands(path: str, options: list[str], workload: str | None) -> dict[str, tuple[str, ...]]:
    commands = {"check": ("check", path, *options, "--isolated")}
    if workload is not None:
        inventory = options[: options.index("--against")] if "--against" in options else options
        commands["explain"] = ("explain", workload, path, *inventory)
    return commands


def _first_workload(data: bytes) -> str | None:
    """`namespace/kind/name` of the first workload with a name; None where there is none, or the file cannot be read."""
    try:
        documents = list(YAML(typ="safe", pure=True).load_all(data))
    except (YAMLError, ValueError):
        return None
    for one in documents:
        metadata = one.get("metadata") if isinstance(one, dict) else None
        if isinstance(metadata, dict) and one.get("kind") in KINDS and isinstance(metadata.get("name"), str):
            return f"{metadata.get('namespace') or 'default'}/{one['kind']}/{metadata['name']}"
    return None
