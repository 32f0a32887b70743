"""How the work of one scheduling attempt grows with the cluster.

Run: python -m pytest benchmarks -s        (see README.md)
"""

from __future__ import annotations

import gc
import time

import inventories
import pytest

from kubelint_gpu.scheduler import Snapshot, attempt, read_cluster, read_pod

SIZES = (10, 100, 1_000, 5_000, 15_000)
PER_NODE = 10
TIMES: dict[tuple[str, str], dict[int, float]] = {}

# one that fits, one that evicting could help, one that nothing helps
SHAPES = {
    "fits": {"cpu": 4000, "gpus": 1, "priority": 0},
    "preempts": {"cpu": 4000, "gpus": 8, "priority": 150},
    "fits nowhere": {"cpu": 4000, "gpus": 16, "priority": 0},
}


@pytest.fixture(scope="module")
def snapshots():
    """The clusters by size and kind, made when they are first asked for; only the latest is kept."""
    kept: dict[tuple[int, str], Snapshot] = {}

    def get(size, kind):
        if (size, kind) not in kept:
            kept.clear()
            different = kind == "different"
            classes = size if different else 1
            objects = [
                *inventories.nodes(size, classes),
                *inventories.running(size, classes, PER_NODE, different=different),
            ]
            kept[size, kind] = Snapshot.of(read_cluster(objects, version="1.34"))
        return kept[size, kind]

    return get


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["equal", "different"])
@pytest.mark.parametrize("shape", SHAPES)
def test_one_pod(benchmark, snapshots, kind, size, shape):
    snapshot = snapshots(size, kind)
    pod = read_pod(inventories.pod("new-1", "web", "app-1-1", **SHAPES[shape]))
    benchmark.group = f"one pod, {kind} nodes, {shape}"
    benchmark.extra_info["nodes"] = size
    benchmark(attempt, pod, snapshot)
    if benchmark.stats:
        TIMES.setdefault((kind, shape), {})[size] = benchmark.stats.stats.median


def test_growth():
    """Prints what each size costs against the smallest; equal nodes must not cost more for being many."""
    for (kind, shape), times in TIMES.items():
        least = times[min(times)]
        told = ", ".join(f"{size}: {seconds * 1e6:.0f} µs (x{seconds / least:.1f})" for size, seconds in times.items())
        print(f"\n{kind} nodes, {shape}: {told}", end="")
        if kind == "equal" and shape != "preempts":
            assert times[max(times)] <= 2 * max(least, times.get(100, least))


@pytest.mark.parametrize("different", [False, True], ids=["40 kinds of nodes", "every node different"])
def test_many_workloads(different):
    """1,000 workloads against 5,000 nodes with 50,000 pods: objects, snapshot, verdict and message, in CPU time."""
    size, classes, count = 5_000, 40, 1_000
    objects = [*inventories.nodes(size, classes), *inventories.running(size, classes, PER_NODE, different=different)]
    gc.collect()
    started = time.process_time()
    cluster = read_cluster(objects, version="1.34")
    read = time.process_time()
    snapshot = Snapshot.of(cluster)
    built = time.process_time()
    pods = [read_pod(value) for value in inventories.workloads(count, classes)]
    ready = time.process_time()
    found = [attempt(pod, snapshot).message for pod in pods]
    done = time.process_time()
    fitting = sum(one is None for one in found)
    print(
        f"\n{'every node different' if different else f'{classes} kinds of nodes'}: {count} workloads, {size} nodes, "
        f"{len(cluster.pods)} pods: objects {read - started:.2f} s, snapshot {built - read:.2f} s, "
        f"{count} attempts {done - ready:.2f} s ({fitting} fit)",
        end="",
    )
    assert 0 < fitting < count
    if not different:
        assert done - ready < 2
