"""The measured tables in `docs/performance.md`, written from `results.json` and never by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks.peers.tools import ROOT, peers

RESULTS = Path(__file__).parent / "results.json"
PAGES = (ROOT / "docs/performance.md",)
OWN = "kubelint-gpu"
KEPT = "the same, second run"
_BLOCK = re.compile(r"<!-- measured: (?P<which>[\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def write() -> None:
    """Fill in the blocks of every page that has some."""
    results = json.loads(RESULTS.read_text())
    for path in PAGES:
        path.write_text(filled(path.read_text(), results))


def filled(text: str, results: dict[str, Any]) -> str:
    """A page with its measured blocks made anew.

    Raises:
        KeyError: a block is of no known kind.
    """
    return _BLOCK.sub(
        lambda found: f"<!-- measured: {found[1]} -->\n{_block(found[1], results)}\n<!-- end -->",
        text,
    )


def _block(which: str, results: dict[str, Any]) -> str:
    return BLOCKS[which](results) if NEEDED[which] in results else "Not measured yet."


def _speed(results: dict[str, Any]) -> str:
    return _table(results, list(_rows(results)), lambda cost, own: f"{_ratio(cost['cpu'], own['cpu'])}")


def _seconds(results: dict[str, Any]) -> str:
    return _table(
        results,
        list(_rows(results)),
        lambda cost, _own: f"{cost['cpu']:.2f} s, {cost['wall']:.2f} s, {cost['memory']} MB",
    )


def _real(results: dict[str, Any]) -> str:
    found = results["real"]
    lines = [f"{found['files']:,} files, {found['bytes'] / 1e6:.0f} MB of YAML of well-known projects:", ""]
    lines += _costs(found["costs"])
    if found["missing"]:
        lines += ["", f"Could not be had: {', '.join(found['missing'])}."]
    return "\n".join(lines)


def _tree(results: dict[str, Any]) -> str:
    found = results["tree"]
    told = f"A base of {found['resources']} resources in {found['overlays']} overlays with a patch each:"
    return "\n".join([told, "", *_costs(found["costs"])])


def _costs(costs: dict[str, Any]) -> list[str]:
    own = costs[OWN]["cpu"]
    rows = [
        f"| {name} | {cost['cpu']:.1f} s ({_ratio(cost['cpu'], own)}) | {cost['wall']:.1f} s | {cost['memory']} MB |"
        for name, cost in costs.items()
    ]
    return ["| | CPU | wall | memory |", "| --- | --- | --- | --- |", *rows]


def _tools(results: dict[str, Any]) -> str:
    lines = ["| linter | version | looks at | knows nothing of |", "| --- | --- | --- | --- |"]
    for peer in peers():
        version = results["versions"].get(peer.name)
        if version is None and peer.name not in results["missing"]:
            continue
        shown = version or "could not be had"
        lines.append(f"| {peer.name} | {shown} | {peer.looks_at} | {peer.blind_to} |")
    return "\n".join(lines)


def _verdicts(results: dict[str, Any]) -> str:
    names = [peer.name for peer in peers() if peer.name in next(iter(results["verdicts"].values()))]
    lines = ["| example | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for example, said in sorted(results["verdicts"].items()):
        cells = [
            f"{said[name][0]}{f': {_short(said[name][1])}' if said[name][0] != 'silent' and said[name][1] else ''}"
            for name in names
        ]
        lines.append(f"| {example} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _machine(results: dict[str, Any]) -> str:
    found = results["machine"]
    load = " to ".join(map(str, found.get("load", ["unknown"])))
    where = f"{found['system']}, {found['cores']} cores, Python {found['python']}"
    return f"Measured on {found['day']}: {where}; the load of the machine was {load}."


def _hook(results: dict[str, Any]) -> str:
    found = results["hook"]
    names = list(dict.fromkeys(name for case in found.values() for name in case["costs"]))
    lines = [
        "| | " + " | ".join(names) + " | of kubelint-gpu, its child processes |",
        "| --- |" + " --- |" * (len(names) + 1),
    ]
    for case, said in sorted(found.items(), key=lambda case: case[1]["costs"][OWN]["cpu"]):
        own = said["costs"][OWN]["cpu"]
        cells = [_seconds_and_ratio(said["costs"].get(name), own) for name in names]
        lines.append(f"| {case} | " + " | ".join(cells) + f" | {said['children']:.2f} s |")
    return "\n".join(lines)


def _seconds_and_ratio(cost: dict[str, Any] | None, own: float) -> str:
    if cost is None:
        return "-"
    return "fails" if cost["failed"] else f"{cost['cpu']:.2f} s ({_ratio(cost['cpu'], own)})"


BLOCKS = {
    "speed": _speed,
    "seconds": _seconds,
    "real": _real,
    "tree": _tree,
    "tools": _tools,
    "verdicts": _verdicts,
    "machine": _machine,
    "hook": _hook,
}

NEEDED = {"seconds": "speed", "tools": "versions"} | {
    which: which for which in ("speed", "real", "tree", "verdicts", "machine", "hook")
}
"""The part of the results that each block is written from."""


def _rows(results: dict[str, Any]) -> list[str]:
    return sorted(results["speed"], key=lambda name: (results["speed"][name]["files"], results["speed"][name]["bytes"]))


def _table(results: dict[str, Any], rows: list[str], cell: Any) -> str:
    every = [OWN, KEPT, *(peer.name for peer in peers() if peer.name != OWN)]
    names = [name for name in every if any(name in results["speed"][row]["costs"] for row in rows)]
    lines = ["| | MB | " + " | ".join(names) + " |", "| --- | --- |" + " --- |" * len(names)]
    for row in rows:
        found = results["speed"][row]
        costs = found["costs"]
        cells = [_cell(costs.get(name), costs[OWN], cell) for name in names]
        lines.append(f"| {row} | {found['bytes'] / 1e6:.3g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(cost: dict[str, Any] | None, own: dict[str, Any], cell: Any) -> str:
    if cost is None:
        return "-"
    return "fails" if cost.get("failed") else str(cell(cost, own))


def _ratio(value: float, own: float) -> str:
    return f"{value / own:.2g}" if own else "-"


def _short(text: str) -> str:
    words = text.replace("|", "/").replace("\n", " ")
    return words if len(words) < 90 else words[:87] + "..."
