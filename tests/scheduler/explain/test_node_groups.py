"""Nodes are grouped by what a reader wants to see apart."""

from __future__ import annotations

import time

from gpu_objects import GPU, explained, gpu_node, gpu_pod
from plugin_objects import node

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.explain.cluster_changes import (
    NodeJoins,
)
from kubelint_gpu.scheduler.explain.explanation import explain


def test_many_nodes_make_few_classes_and_take_little_time():
    objects = [gpu_node(f"n{number}", 8, labels={"pool": f"p{number % 3}"}) for number in range(2000)]
    for number in range(2000):
        objects += [gpu_pod(f"p{number}-{one}", on=f"n{number}", owner=f"Job/j{number}-{one}") for one in range(2)]
    snapshot = Snapshot.of(read_cluster(objects, version="1.34"))
    begun = time.process_time()
    found = explain(read_pod(gpu_pod(gpus=7, nodeSelector={"pool": "p1"})), snapshot)
    assert time.process_time() - begun < 3
    assert len(found.classes) == 2
    assert sum(len(one.nodes) for one in found.classes) == 2000
    assert all(isinstance(change, (NodeJoins, type(None))) for change in [one.joining for one in found.classes])
    assert found.classes[0].examined < 2000


def test_nodes_come_in_the_order_in_which_they_come_near_to_taking_the_pod():
    full = [gpu_node("full", 2), gpu_pod("old", on="full", gpus=2)]
    half = [gpu_node("half", 4), gpu_pod("small", on="half", gpus=3)]
    found = explained(gpu_pod(gpus=2), *full, *half, gpu_node("free", 2), node("cordoned", unschedulable=True))
    assert [one.nodes for one in found.classes] == [("free",), ("half",), ("full",), ("cordoned",)]


def test_nodes_with_equal_verdicts_but_other_use_of_gpus_stand_apart():
    found = explained(gpu_pod(gpus=4), gpu_node("a", 2), gpu_node("b", 2), gpu_node("c", 2), gpu_pod("x", on="c"))
    assert [one.nodes for one in found.classes] == [("a", "b"), ("c",)]
    assert [one.free[GPU].most for one in found.classes] == [2, 1]
