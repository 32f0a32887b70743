"""How many pods of a kind find room, one after the other."""

from __future__ import annotations

import pytest
from spread_objects import HOST, ZONE, even, node, pod

from kubelint_gpu.scheduler import Snapshot, read_cluster
from kubelint_gpu.scheduler.placement.filling import filled, without_spreading


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
    found, failed = filled(mine, wanted, SNAPSHOT)
    assert found == placed
    assert (failed is None) == (placed == wanted)


def test_without_spreading_the_room_counts_alone():
    assert filled(without_spreading(pod(gpus=4, spread=[even(minDomains=3)])), 4, SNAPSHOT)[0] == 4
