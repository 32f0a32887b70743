"""How the cost of a run grows with a repository: `python benchmarks/repositories.py [AXIS...] [--sizes 250,500,...]`.

Each axis is a repository of Deployments, a file each, in which one kind of thing grows with the files: a Namespace for
each, a claim for each, and so on. Printed is the CPU time of the installed command without a cache, and the ratio to
half as many files, without what an interpreter needs to start. Twice as many files are to cost at most 2.3 times as much.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peers.measuring import call

MOST = 2.3
_START = 0.15
"""Seconds of CPU time that every run takes, about."""


def workload(number: int, *, spec: str = "", gpus: int = 0, note: str = "") -> str:
    """A Deployment of its own namespace."""
    limits = f"limits: {{nvidia.com/gpu: {gpus}}}" if gpus else "requests: {cpu: 100m, memory: 64Mi}"
    return f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: app-{number}, namespace: team-{number}{note}}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: app-{number}}}}}
  template:
    metadata: {{labels: {{app: app-{number}}}}}
    spec:
      {spec}
      containers:
      - name: main
        image: registry.example.com/app:{number}
        resources: {{{limits}}}
"""


def _object(version: str, kind: str, name: str, number: int, rest: str) -> str:
    space = "" if kind in ("Namespace", "PriorityClass") else f", namespace: team-{number}"
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}-{number}{space}}}\n{rest}"


def _with(version: str, kind: str, name: str, rest: str, spec: str = "") -> Callable[[int], str]:
    def text(number: int) -> str:
        own = spec.replace("NUMBER", str(number))
        return workload(number, spec=own) + "---\n" + _object(version, kind, name, number, rest)

    return text


_CLAIM = "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
_VOLUME = "volumes: [{name: data, persistentVolumeClaim: {claimName: data-NUMBER}}]"
AXES: dict[str, Callable[[int], str]] = {
    "nothing": workload,
    "namespaces": _with("v1", "Namespace", "team", ""),
    "claims": _with("v1", "PersistentVolumeClaim", "data", _CLAIM, _VOLUME),
    "quotas": _with("v1", "ResourceQuota", "most", "spec: {hard: {pods: 100, requests.cpu: 100}}\n"),
    "budgets": _with("policy/v1", "PodDisruptionBudget", "least", "spec: {minAvailable: 1, selector: {}}\n"),
    "classes": _with(
        "scheduling.k8s.io/v1", "PriorityClass", "class", "value: 100\n", "priorityClassName: class-NUMBER"
    ),
    "undeclared classes": lambda number: workload(number, spec=f"priorityClassName: gone-{number}"),
    "config maps": _with("v1", "ConfigMap", "settings", "data: {a: b}\n"),
    "suppressions": lambda number: workload(
        number, gpus=99, note=', annotations: {kubelint-gpu/ignore: "KLG2: known"}'
    ),
    "findings": lambda number: workload(number, gpus=99),
    "kustomizations": lambda _: "",
}


def made(folder: Path, axis: str, count: int) -> Path:
    """A repository of so many files."""
    folder.mkdir(parents=True)
    for number in range(count):
        if axis == "kustomizations":
            place = folder / f"app-{number}"
            place.mkdir()
            (place / "app.yaml").write_text(workload(number))
            (place / "kustomization.yaml").write_text("resources: [app.yaml]\n")
        else:
            (folder / f"app-{number:05}.yaml").write_text(AXES[axis](number))
    return folder


def cost(folder: Path, inventory: Path, *more: str) -> float:
    """Seconds of CPU time of a run over a repository, children's too."""
    command = Path(sys.executable).with_name("kubelint-gpu")
    arguments = ["check", "--isolated", "--no-cache", "--exit-zero", "-i", str(inventory), *more, str(folder)]
    return call([str(command), *arguments]).cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("axes", nargs="*", default=[*AXES, "baseline"])
    parser.add_argument("--sizes", default="250,500,1000,2000,4000")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    print(f"{'files':22}" + "".join(f"{size:>16,}" for size in sizes), flush=True)
    worst = 0.0
    for axis in options.axes:
        with tempfile.TemporaryDirectory() as name:
            seconds = [_of(Path(name), axis, size) for size in sizes]
        ratios = [(after - _START) / (before - _START) for before, after in pairwise(seconds)]
        worst = max(worst, *ratios, 0)
        told = [f"{second:.2f} s" for second in seconds]
        told[1:] = [f"{one} ({ratio:.2f})" for one, ratio in zip(told[1:], ratios, strict=True)]
        print(f"{axis:22}" + "".join(f"{one:>16}" for one in told), flush=True)
    sys.exit(worst > MOST)


def _of(folder: Path, axis: str, size: int) -> float:
    inventory = folder / "inventory.json"
    inventory.write_text(json.dumps(NODE))
    place = made(folder / f"{axis}-{size}", "findings" if axis == "baseline" else axis, size)
    if axis != "baseline":
        return cost(place, inventory)
    known = folder / f"known-{size}.json"
    cost(place, inventory, "--write-baseline", str(known))
    return cost(place, inventory, "--baseline", str(known))


NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "node-1", "labels": {"kubernetes.io/hostname": "node-1"}},
    "status": {"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": "8"}},
}


def cluster(size: int) -> dict[str, object]:
    """As many nodes as workloads, and a running pod of each workload."""
    items: list[object] = []
    for number in range(size):
        name = f"node-{number}"
        items.append({**NODE, "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}})
        owner = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "name": f"app-{number}-5d8f",
            "uid": "",
            "controller": True,
        }
        meta = {"name": f"app-{number}-5d8f-x", "namespace": f"team-{number}", "labels": {"app": f"app-{number}"}}
        items.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {**meta, "ownerReferences": [owner]},
                "spec": {"nodeName": name, "containers": [{"name": "main", "image": "registry.example.com/app"}]},
                "status": {"phase": "Running"},
            }
        )
    return {"apiVersion": "v1", "kind": "List", "items": items}


if __name__ == "__main__":
    main()
