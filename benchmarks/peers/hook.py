"""The hook as pre-commit calls it: the installed command in a git repository of 5,000 files, with what a commit changes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.corpora import corpus
from benchmarks.peers.measuring import children, in_turn
from benchmarks.peers.tools import ROOT, Peer

FILES = 5000
OWN = "kubelint-gpu"
KEPT = "the same, second run"
_SETTINGS = "inventory: cluster.yaml\n"


def repository(folder: Path) -> Path:
    """A git repository whose files are committed, with an inventory that its configuration names; made once."""
    target = folder / f"repository-{FILES}"
    if target.exists():
        return target
    made = target.with_suffix(".new")
    shutil.copytree(corpus(folder, FILES), made / "manifests")
    shutil.copyfile(ROOT / "examples/tracker/nodes.yaml", made / "cluster.yaml")
    (made / ".kubelint-gpu.yaml").write_text(_SETTINGS)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run([*_GIT, *command], cwd=made, check=True)
    made.rename(target)
    return target


_GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@example.com")


def measured(found: Sequence[Peer], cache: Path, rounds: int) -> dict[str, dict]:
    """What each case costs: one file is changed, twenty are, the inventory is."""
    root = repository(cache)
    workloads = sorted(path for path in root.rglob("*.yaml") if path.name.startswith("deployment"))
    table = {}
    for name, files in (
        ("one changed file of 5,000", workloads[:1]),
        ("20 changed files of 5,000", workloads[:: len(workloads) // 20][:20]),
        ("the inventory of 5,000 files changed", [root / "cluster.yaml"]),
    ):
        table[name] = _case(found, cache, root, files, rounds)
    return table


def _case(found: Sequence[Peer], cache: Path, root: Path, files: Sequence[Path], rounds: int) -> dict:
    subprocess.run([*_GIT, "reset", "-q", "--hard"], cwd=root, check=True)
    names = [str(path.relative_to(root)) for path in files]
    own = str(cache / "self/bin/kubelint-gpu")
    commands = {
        OWN: [own, "check", "--hook", "--no-cache", *names],
        KEPT: [own, "check", "--hook", *names],
    }
    inventory = files[0].name == "cluster.yaml"
    for peer in found:
        if peer.source != "self":
            commands[peer.name] = peer.command(cache, [str(root / "manifests")] if inventory else names)
    if inventory:
        # those that need minutes for all files are left out
        commands = {name: command for name, command in commands.items() if name in (*_QUICK, OWN, KEPT)}
    count = 0

    def change(_: str) -> None:
        nonlocal count
        count += 1
        for path in files:
            text = path.read_text().partition("# change")[0]
            path.write_text(f"{text}# change {count}\n")
        subprocess.run([*_GIT, "add", "-A"], cwd=root, check=True)

    environment = {"XDG_CACHE_HOME": str(cache / "results")}
    costs = in_turn(commands, rounds, root, environment, change)
    return {
        "files": len(files),
        "children": round(children(commands[OWN], root, environment), 3),
        "costs": {name: {"cpu": round(cost.cpu, 3), "failed": cost.failed} for name, cost in costs.items()},
    }


_QUICK = ("kube-linter", "kubeconform", "kube-score")
