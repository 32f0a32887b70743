"""What makes nodes equal: kept up while pods come and go, and the same as comparing all of them."""

from __future__ import annotations

import random

from plugin_objects import node, pod

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.framework.equality import kind_of


def compared(snapshot):
    """The names of nodes that have equal labels and equal pods."""
    found = {}
    for info in snapshot.nodes:
        pods = tuple(sorted(one.meta.labels["app"] for one in info.pods))
        found.setdefault((info.node.meta.labels["zone"], pods), []).append(info.name)
    return sorted(found.values())


def test_nodes_are_equal_by_what_they_have_and_by_their_pods():
    rng = random.Random(7)
    nodes = [node(f"n{number:02}", host=False, labels={"zone": "ab"[number % 2]}) for number in range(12)]
    snapshot = Snapshot.of(read_cluster(nodes, version="1.34"))
    snapshot.equal()
    placed = []
    for number in range(40):
        if placed and rng.random() < 0.4:
            name, on = placed.pop(rng.randrange(len(placed)))
            snapshot = snapshot.remove(f"default/{name}", on)
        else:
            placed.append((f"p{number}", f"n{rng.randrange(12):02}"))
            snapshot = snapshot.place(read_pod(pod(placed[-1][0], labels={"app": "xy"[number % 2]})), placed[-1][1])
        equal = snapshot.equal()
        assert sorted([info.name for info in infos] for infos in equal.nodes.values()) == compared(snapshot)
        assert {name: equal.nodes[likeness] for name, likeness in equal.likeness.items()}.keys() == {
            info.name for info in snapshot.nodes
        }


def test_pods_are_of_one_kind_whatever_they_are_called():
    memory = Snapshot.of(read_cluster([node("n")], version="1.34")).node("n").memory
    pods = [pod("a"), pod("b"), pod("c", priority=5), pod("d", labels={"app": "x"}), pod("e", namespace="other")]
    first, second, *others = [kind_of(read_pod(one), memory) for one in pods]
    assert first == second
    assert len({first, *others}) == 4
