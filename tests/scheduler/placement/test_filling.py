"""How many pods of a kind find room: counted, placed one after the other, and what evicting others gives them."""

from __future__ import annotations

import pytest
from placed_objects import node as gpu_node
from placed_objects import pod as gpu_pod
from spread_objects import HOST, ZONE, even, node, pod

from kubelint_gpu.scheduler import Snapshot, fit, read_cluster, read_pod
from kubelint_gpu.scheduler.placement.filling import (
    bound_on,
    first_without_node,
    fitting_on,
    spread_out,
    without_spreading,
)
from kubelint_gpu.values import replace


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


APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}}
        ]
    }
}
PORT = [{"containerPort": 80, "hostPort": 80}]


def one_by_one(one, snapshot, enough):
    for number in range(enough):
        if not fit(one, snapshot).schedulable:
            return number
        snapshot = snapshot.place(replace(one, meta=replace(one.meta, name=f"x{number}", uid=f"x{number}")), "n")
    return enough


ONES = {
    "nothing": (gpu_pod(), True),
    "gpu": (gpu_pod(limits={"nvidia.com/gpu": 1}), True),
    "two of them": (gpu_pod(limits={"nvidia.com/gpu": 3, "cpu": "1"}), True),
    "cpu": (gpu_pod(limits={"cpu": "1500m"}), True),
    "too large": (gpu_pod(limits={"cpu": "9"}), True),
    "port": (gpu_pod(ports=PORT), True),
    "selector": (gpu_pod(nodeSelector={"kubernetes.io/hostname": "n"}), True),
    "elsewhere": (gpu_pod(nodeSelector={"kubernetes.io/hostname": "o"}), True),
    "apart": (gpu_pod(affinity=APART), False),
}


@pytest.mark.parametrize("name", ONES)
@pytest.mark.parametrize("enough", [0, 1, 3, 100])
@pytest.mark.parametrize(
    "running", [(), (gpu_pod("r", {"nvidia.com/gpu": 1, "cpu": "2"}, nodeName="n"),)], ids=["", "r"]
)
def test_pods_are_counted_as_if_they_were_placed(name, enough, running):
    snapshot = Snapshot.of(read_cluster([gpu_node(), *running]))
    one, exact = read_pod(ONES[name][0]), ONES[name][1]
    assert fitting_on(one, snapshot, "n", enough) == one_by_one(one, snapshot, enough)
    if bound_on(one, snapshot, "n", enough)[0]:
        assert bound_on(one, snapshot, "n", enough)[1] is exact


def test_any_number_of_pods_is_counted_without_being_built():
    snapshot = Snapshot.of(read_cluster([gpu_node(pods=str(10**15), cpu=str(10**12))]))
    assert fitting_on(read_pod(gpu_pod(limits={"cpu": "1m"})), snapshot, "n", 10**18) == 10**15


def test_a_node_that_is_not_there_is_an_error():
    snapshot = Snapshot.of(read_cluster([gpu_node()]))
    with pytest.raises(KeyError):
        fitting_on(read_pod(gpu_pod()), snapshot, "o", 1)
