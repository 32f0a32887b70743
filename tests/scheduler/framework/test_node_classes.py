"""Nodes that no filter tells apart, and what a result says of them."""

from __future__ import annotations

from plugin_objects import HOST, node, pod

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.scheduler import (
    Snapshot,
    fit,
    read_cluster,
    read_pod,
)


def test_a_result_names_nodes_in_order_and_folds_equal_ones():
    nodes = [node(f"n{number:02}", zone="ab"[number % 2]) for number in range(30)]
    tainted = node("n99", zone="b", taints=[{"key": "a", "effect": "PreferNoSchedule"}])
    busy = [pod(f"p{number}", "n05") for number in range(110)]
    snapshot = Snapshot.of(read_cluster([*reversed(nodes), tainted, *busy], version="1.34"))
    result = fit(read_pod(pod(nodeSelector={"topology.kubernetes.io/zone": "b"})), snapshot)
    assert result.fits == (*(f"n{number:02}" for number in range(1, 30, 2) if number != 5), "n99")
    assert list(result.rejections) == sorted([*(f"n{number:02}" for number in range(0, 30, 2)), "n05"])
    found = sorted((one.size, one.representative.name, one.status is None) for one in result.classes)
    assert found == [(1, "n05", False), (15, "n00", False), (15, "n01", True)]
    pinned = fit(read_pod(pod(nodeSelector={HOST: "n00"})), snapshot)
    assert pinned.fits == ("n00",)
    assert sum(one.size for one in pinned.classes) == 31


def test_a_cluster_of_very_many_selectors_keeps_few_partitions():
    most = PLACEMENT.partitions
    nodes = [
        node(f"n{number:02}", labels={f"k{key}": "x" for key in range(number, most + 40, 30)}) for number in range(30)
    ]
    snapshot = Snapshot.of(read_cluster(nodes, version="1.34"))
    for key in range(most + 40):
        assert fit(read_pod(pod(nodeSelector={f"k{key}": "x"})), snapshot).fits == (f"n{key % 30:02}",)
    assert 0 < len(snapshot.derived("partitions", dict)) <= most
