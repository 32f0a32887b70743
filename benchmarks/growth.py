"""How time grows with nodes, workloads and replicas: measured, kept in `growth.json`, drawn as `docs/images/growth.svg`.

Usage: python benchmarks/growth.py [--draw-only]        (pip install '.[bench]')
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
RESULTS = Path(__file__).with_name("growth.json")
IMAGE = ROOT / "docs" / "images" / "growth.svg"
PEERS = ROOT / "benchmarks" / "peers" / "results.json"


def cpu(action: Callable[[], Any], repeat: int = 3) -> float:
    """The least CPU seconds of some calls."""
    best = None
    for _ in range(repeat):
        begun = time.process_time()
        action()
        spent = time.process_time() - begun
        best = spent if best is None else min(best, spent)
    assert best is not None
    return best


def against_nodes(*, different: bool) -> dict[int, float]:
    """One pod that fits, its attempt, on clusters of several sizes; the snapshot is there already, the pod is new."""
    import inventories

    from kubelint_gpu.scheduler import Snapshot, attempt, read_cluster, read_pod

    found = {}
    for size in (10, 100, 1_000, 5_000, 15_000):
        objects = [
            *inventories.nodes(size, size if different else 1),
            *inventories.running(size, 1, different=different),
        ]
        snapshot = Snapshot.of(read_cluster(objects, version="1.34"))
        pods = [read_pod(inventories.pod(f"new-{number}", "vision", "app", 1000 + number, 0, 0)) for number in range(4)]
        attempt(pods.pop(), snapshot)
        found[size] = min(cpu(lambda one=pod, where=snapshot: attempt(one, where), 1) for pod in pods)
    return found


def against_workloads() -> dict[int, float]:
    """Rollouts of so many Deployments on 1,000 nodes in 20 classes."""
    import rollouts

    from kubelint_gpu.simulation.questions.rollouts import judge

    found = {}
    for size in (20, 40, 100, 200, 400):
        transitions, cluster = rollouts.fleet(size)
        found[size] = cpu(lambda one=transitions, where=cluster: judge(one, where))
    return found


def against_replicas() -> dict[int, float]:
    """The rollout of one Deployment that fills a pool of nodes with four GPUs each."""
    import rollouts

    from kubelint_gpu.scheduler import read_cluster
    from kubelint_gpu.simulation.questions.rollouts import judge
    from kubelint_gpu.simulation.transition import Transition

    found = {}
    for size in (4, 20, 100, 500, 2_000):
        cluster = read_cluster([rollouts.node(f"n{number:04}", "p", 4) for number in range(size // 4)], version="1.34")
        workload = rollouts.deployment("one", "p", 1, size)
        found[size] = cpu(lambda one=workload, where=cluster: judge([Transition(one, one)], where))
    return found


def measured() -> dict[str, dict[int, float]]:
    """All of it, by what it is."""
    return {
        "one attempt on equal nodes": against_nodes(different=False),
        "one attempt, no two nodes equal": against_nodes(different=True),
        "rollouts of all Deployments": against_workloads(),
        "one rollout": against_replicas(),
    }


def draw(found: dict[str, dict[str, float]], whole: dict[str, float]) -> None:
    """Four small plots beside each other."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 8, "axes.grid": True})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(12, 3), layout="constrained")
    plots = (
        ("nodes", {name: found[name] for name in ("one attempt on equal nodes", "one attempt, no two nodes equal")}),
        ("Deployments, on 1,000 nodes in 20 classes", {"rollouts of all": found["rollouts of all Deployments"]}),
        ("replicas, four on a node", {"one rollout": found["one rollout"]}),
        ("manifests", {"kubelint-gpu check": whole}),
    )
    for axis, (label, lines) in zip(axes, plots, strict=True):
        for name, values in lines.items():
            axis.plot([int(key) for key in values], [1000 * value for value in values.values()], "o-", ms=3, label=name)
        axis.set(xscale="log", yscale="log", xlabel=label, ylabel="ms of CPU")
        sizes = sorted({int(key) for values in lines.values() for key in values})
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes], rotation=45)
        lowest, highest = axis.get_ylim()
        axis.set_ylim(10 ** math.floor(math.log10(lowest)), 10 ** math.ceil(math.log10(highest)))
        axis.minorticks_off()
        axis.legend(fontsize=7)
    IMAGE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(IMAGE, metadata={"Date": None, "Creator": None})
    print(f"{IMAGE.relative_to(ROOT)}: {IMAGE.stat().st_size} bytes")


def whole_runs() -> dict[str, float]:
    """CPU seconds of whole runs by number of manifests, of `benchmarks/peers`."""
    table = json.loads(PEERS.read_text()).get("speed", {}) if PEERS.exists() else {}
    return {
        str(row["files"]): row["costs"]["kubelint-gpu"]["cpu"]
        for name, row in table.items()
        if name.endswith(" manifests") and name[0].isdigit()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draw-only", action="store_true", help="draw what was measured before")
    options = parser.parse_args()
    if not options.draw_only:
        RESULTS.write_text(json.dumps(measured(), indent=1) + "\n")
    found = json.loads(RESULTS.read_text())
    for name, values in found.items():
        print(f"{name}: " + ", ".join(f"{size} {1000 * seconds:.3g} ms" for size, seconds in values.items()))
    runs = whole_runs()
    draw(found, dict(sorted(runs.items(), key=lambda pair: int(pair[0]))))


if __name__ == "__main__":
    main()
