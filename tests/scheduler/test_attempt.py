"""One attempt to place a pod: its message, its preemption, and classes of nodes."""

from __future__ import annotations

from plugin_objects import HOST, REQUIRED, node, pod

from kubelint_gpu.scheduler import (
    Snapshot,
    attempt,
    read_cluster,
    read_pod,
)


def test_an_attempt_tells_everything_at_once():
    found = attempt(read_pod(pod(nodeSelector={"a": "b"})), Snapshot.of(read_cluster([node("n")], version="1.34")))
    assert found.message.startswith("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.")
    assert not found.preemption.succeeds
    assert found.preemption.statuses == {}
    assert found.fit.fits == ()


def test_equal_nodes_with_unequal_pods_are_one_class_to_filters_and_two_to_preemption():
    nodes = [node(f"n{number:02}") for number in range(30)]
    for one in nodes:
        one["status"]["allocatable"] = {"cpu": "1", "pods": "10"}
    full = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]
    pods = [
        pod(f"p{number}", f"n{number:02}", containers=full, priority=10 * (number % 2), namespace=f"s{min(number, 2)}")
        for number in range(30)
    ]
    snapshot = Snapshot.of(read_cluster([*nodes, *pods], version="1.34"))
    not_first = {"matchExpressions": [{"key": HOST, "operator": "NotIn", "values": ["n00", "n01"]}]}
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [not_first]}}}
    incoming = read_pod(pod(containers=full, priority=5, affinity=affinity))
    found = attempt(incoming, snapshot)
    assert sorted((one.size, one.status is None) for one in found.fit.classes) == [(1, False), (1, False), (28, False)]
    assert sorted((one.size, one.status is None) for one in found.preemption.outcomes) == [(14, False), (14, True)]
    assert len(found.preemption.statuses) == 14
    assert found.preemption.nominated == "n02"
    assert len(found.preemption.alternatives) == 13
