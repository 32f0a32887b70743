"""CPU time and memory of reading an inventory and judging many workloads against it, in a process of its own.

Usage: python benchmarks/measure.py [NODES [CLASSES [WORKLOADS]]] [--different] [--from json|yaml]

`--from` also times reading the inventory as text, with the positions of everything in it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import inventories

from kubelint_gpu.scheduler import Snapshot, attempt, read_cluster, read_pod


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nodes", nargs="?", type=int, default=5_000)
    parser.add_argument("classes", nargs="?", type=int, default=40)
    parser.add_argument("workloads", nargs="?", type=int, default=1_000)
    parser.add_argument("--different", action="store_true", help="no two nodes hold equal pods")
    parser.add_argument("--from", dest="form", choices=("json", "yaml"))
    options = parser.parse_args()
    clock = Clock()
    nodes = list(inventories.nodes(options.nodes, options.classes))
    pods = list(inventories.running(options.nodes, options.classes, different=options.different))
    objects = [*nodes, *pods]
    clock.tell("generate")
    if options.form:
        objects = read_text(objects, options.form, clock)
    cluster = read_cluster(objects, version="1.34")
    clock.tell("objects")
    snapshot = Snapshot.of(cluster)
    clock.tell("snapshot")
    incoming = [read_pod(value) for value in inventories.workloads(options.workloads, options.classes)]
    clock.tell("read workloads")
    found = [attempt(pod, snapshot).message for pod in incoming]
    clock.tell(f"{len(found)} attempts")
    print(f"{sum(one is None for one in found)} fit")


class Clock:
    """Tells CPU seconds since the last word, and the most memory used so far."""

    def __init__(self) -> None:
        self.last = time.process_time()

    def tell(self, what: str) -> None:
        now = time.process_time()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{what}: {now - self.last:.2f} s CPU, {memory:.0f} MB at most")
        self.last = time.process_time()


def read_text(objects: list[dict], form: str, clock: Clock) -> list[dict]:
    from kubelint_gpu.documents import items, read  # only where it is measured

    if form == "json":
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    else:
        text = "".join(f"---\n{json.dumps(value, indent=1)}\n" for value in objects)
    data = text.encode()
    print(f"{len(data) / 1e6:.1f} MB of {form}")
    clock.tell("write text")
    reading = read(f"inventory.{form}", data)
    assert not reading.problems, reading.problems[:3]
    found = [item.value for document in reading.documents for item in items(document)]
    clock.tell(f"read {form}")
    return found


if __name__ == "__main__":
    main()
