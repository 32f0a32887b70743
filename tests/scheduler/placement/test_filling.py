"""How many pods of a kind find room, one after the other, and what evicting others gives them."""

from __future__ import annotations

import pytest
from placed_objects import node as gpu_node
from placed_objects import pod as gpu_pod
from spread_objects import HOST, ZONE, even, node, pod

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.placement.filling import first_without_node, spread_out, without_spreading


def term(app, key=HOST, **more):
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key, **more}


SNAPSHOT = Snapshot.of(read_cluster([node("one", "a"), node("two", "b"), node("three", "b")]))


@pytest.mark.parametrize(
    ("mine", "wanted", "placed"),
    [
        (pod(gpus=8), 3, 3),
        (pod(gpus=8), 4, 3),
        (pod(gpus=8, spread=[even()]), 3, 3),
        (pod(gpus=4, spread=[even(minDomains=3)]), 4, 2),
        (pod(gpus=8, spread=[even()], nodeSelector={ZONE: "b"}), 2, 2),
        (pod(gpus=8, spread=[even(nodeAffinityPolicy="Ignore")], nodeSelector={ZONE: "b"}), 2, 1),
        (pod(apart=[term("a")]), 4, 3),
    ],
)
def test_pods_are_placed_one_after_the_other_until_none_fits(mine, wanted, placed):
    found = spread_out(mine, wanted, SNAPSHOT)
    assert (found.placed, found.failed is None) == (placed, placed == wanted)


def test_without_spreading_the_room_counts_alone():
    assert spread_out(without_spreading(pod(gpus=4, spread=[even(minDomains=3)])), 4, SNAPSHOT).placed == 4


def test_the_first_pod_that_finds_no_node_is_the_one_after_all_that_do():
    snapshot = Snapshot.of(read_cluster([gpu_node("a"), gpu_node("b")]))
    one = read_pod(gpu_pod(limits={"nvidia.com/gpu": 3}))
    assert first_without_node(one, snapshot, 1)[0].fit.fits == ("b",)
    assert first_without_node(one, snapshot, 2)[0].fit.fits == ()
