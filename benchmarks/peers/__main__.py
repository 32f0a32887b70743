"""Compares this linter with others: `python -m benchmarks.peers --help`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path

from benchmarks.peers import corpora, hook, page, real, tree
from benchmarks.peers.measuring import Cost, children, in_turn
from benchmarks.peers.tools import NotInstalled, Peer, cache, install, peers
from benchmarks.peers.verdicts import JUDGES, examples

RESULTS = page.RESULTS
KEPT = page.KEPT


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument(
        "what", nargs="*", choices=["install", "speed", "hook", "tree", "real", "verdicts", "page"], default=None
    )
    parser.add_argument("--sizes", default="1,100,1000,10000", help="manifests of the made corpora")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; those of 10,000 files are a third of them")
    parser.add_argument("--corpus", type=Path, help="a folder with real manifests, measured too")
    parser.add_argument("--only", help="names of linters, separated by commas")
    options = parser.parse_args()
    if options.what == ["page"]:
        page.write()
        return
    wanted = options.what or ["install", "speed", "hook", "tree", "real", "verdicts"]
    cache().mkdir(parents=True, exist_ok=True)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    installed, missing = _installed(options.only)
    results["missing"] = {**results.get("missing", {}), **missing} if options.only else missing
    results["versions"] = {**results.get("versions", {}), **{peer.name: version for peer, version in installed.items()}}
    results["machine"] = {
        "python": platform.python_version(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "day": real.today(),
        "load": [round(os.getloadavg()[0], 1)],
    }
    if "speed" in wanted:
        sets = {
            f"{size:,} manifest{'s' if size > 1 else ''}": corpora.corpus(cache(), size)
            for size in map(int, options.sizes.split(","))
        }
        if options.corpus:
            sets["real manifests"] = options.corpus
            sets["1,000 real manifests"] = real.copies(options.corpus, cache(), 1000)
        results.setdefault("speed", {}).update(_speed(sets, list(installed), options.rounds))
    if "hook" in wanted:
        results["hook"] = hook.measured(list(installed), cache(), options.rounds)
    if "tree" in wanted:
        results["tree"] = _tree(list(installed), options.rounds)
    if "real" in wanted:
        results["real"] = _real(options.rounds)
    if "verdicts" in wanted:
        results["verdicts"] = _verdicts({peer.name for peer in installed})
    results["machine"]["load"].append(round(os.getloadavg()[0], 1))
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    page.write()


def _installed(only: str | None) -> tuple[dict[Peer, str], dict[str, str]]:
    found, missing = {}, {}
    for peer in peers():
        if only and peer.name not in only.split(","):
            continue
        try:
            found[peer] = install(peer)
        except NotInstalled as error:
            missing[peer.name] = str(error)
            print(f"{peer.name} is left out: {error}", file=sys.stderr)
    return found, missing


def _speed(sets: dict[str, Path], found: list[Peer], rounds: int) -> dict[str, dict]:
    table = {}
    for name, path in sets.items():
        files, size = real.size(path) if path.is_dir() else (1, path.stat().st_size)
        commands = {peer.name: peer.command(cache(), _arguments(peer, path)) for peer in found}
        costs = in_turn(commands, max(1, rounds // 3) if files > 2000 else rounds)
        again = {KEPT: _again(commands[hook.OWN], rounds)} if hook.OWN in commands else {}
        table[name] = {
            "files": files,
            "bytes": size,
            "costs": {key: _plain(cost) for key, cost in {**costs, **again}.items()},
            "children": round(children(commands[hook.OWN]), 3) if hook.OWN in commands else 0,
        }
        _tell(name, costs)
    return table


def _again(command: list[str], rounds: int) -> Cost:
    """The same when an earlier run has kept what it found: the call that is not counted."""
    kept = [part for part in command if part != "--no-cache"]
    return in_turn({KEPT: kept}, rounds, None, {"XDG_CACHE_HOME": str(cache() / "results")})[KEPT]


def _arguments(peer: Peer, path: Path) -> list[str]:
    """A folder where the tool takes one, else its files."""
    if path.is_dir() and peer.name == "kube-score":
        return [str(found) for found in sorted(path.rglob("*.y*ml"))]
    return [str(path)]


def _tree(found: list[Peer], rounds: int) -> dict:
    folder = corpora.kustomization(cache())
    costs = in_turn(tree.commands(found, cache(), folder), rounds)
    _tell("a Kustomize tree", costs)
    return {
        "overlays": len(list(folder.glob("overlays/*"))),
        "resources": len(list(folder.glob("base/[0-9]*.yaml"))),
        "costs": {key: _plain(cost) for key, cost in costs.items()},
    }


def _real(rounds: int) -> dict:
    folder, missing = real.real(cache())
    files, size = real.size(folder)
    ours = next(peer for peer in peers() if peer.source == "self")
    commands = {
        ours.name: ours.command(cache(), [str(folder)]),
        "PyYAML's C loader": [str(cache() / "python/bin/python"), "-c", *real.pyyaml(folder)],
    }
    costs = in_turn(commands, max(1, rounds // 3))
    _tell(f"{size / 1e6:.0f} MB of real YAML", costs)
    return {
        "files": files,
        "bytes": size,
        "missing": missing,
        "costs": {key: _plain(cost) for key, cost in costs.items()},
    }


def _verdicts(names: set[str]) -> dict[str, dict[str, list[str]]]:
    table: dict[str, dict[str, list[str]]] = {}
    for name, inventory, manifests in examples():
        table[name] = {}
        for linter, judge in JUDGES.items():
            if linter in names:
                verdict = judge(inventory, manifests)
                table[name][linter] = [verdict.word, verdict.detail]
                print(f"{name:28} {linter:20} {verdict.word:8} {verdict.detail[:90]}")
    return table


def _plain(cost: Cost) -> dict[str, float]:
    return {
        "wall": round(cost.wall, 3),
        "cpu": round(cost.cpu, 3),
        "memory": round(cost.memory),
        "code": cost.code,
        "failed": cost.failed,
    }


def _tell(name: str, costs: dict[str, Cost]) -> None:
    print(name)
    own = costs.get("kubelint-gpu")
    for key, cost in costs.items():
        ratio = f"{cost.cpu / own.cpu:6.1f} x" if own and own.cpu else ""
        print(
            f"  {key:20} {cost.wall:8.2f} s wall {cost.cpu:8.2f} s CPU {ratio} {cost.memory:6.0f} MB  exit {cost.code}"
        )


if __name__ == "__main__":
    main()
