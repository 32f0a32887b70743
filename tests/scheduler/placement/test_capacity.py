"""How many equal pods a node takes: counted where filters can say it, the same as placing one after the other."""

from __future__ import annotations

import pytest
from placed_objects import node, pod

from kubelint_gpu.scheduler import Snapshot, fit, read_cluster, read_pod
from kubelint_gpu.scheduler.placement.capacity import bound_on, fitting_on
from kubelint_gpu.values import replace

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
    "nothing": (pod(), True),
    "gpu": (pod(limits={"nvidia.com/gpu": 1}), True),
    "two of them": (pod(limits={"nvidia.com/gpu": 3, "cpu": "1"}), True),
    "cpu": (pod(limits={"cpu": "1500m"}), True),
    "too large": (pod(limits={"cpu": "9"}), True),
    "port": (pod(ports=PORT), True),
    "selector": (pod(nodeSelector={"kubernetes.io/hostname": "n"}), True),
    "elsewhere": (pod(nodeSelector={"kubernetes.io/hostname": "o"}), True),
    "apart": (pod(affinity=APART), False),
}


@pytest.mark.parametrize("name", ONES)
@pytest.mark.parametrize("enough", [0, 1, 3, 100])
@pytest.mark.parametrize("running", [(), (pod("r", {"nvidia.com/gpu": 1, "cpu": "2"}, nodeName="n"),)], ids=["", "r"])
def test_pods_are_counted_as_if_they_were_placed(name, enough, running):
    snapshot = Snapshot.of(read_cluster([node(), *running]))
    one, exact = read_pod(ONES[name][0]), ONES[name][1]
    assert fitting_on(one, snapshot, "n", enough) == one_by_one(one, snapshot, enough)
    if bound_on(one, snapshot, "n", enough)[0]:
        assert bound_on(one, snapshot, "n", enough)[1] is exact


def test_any_number_of_pods_is_counted_without_being_built():
    snapshot = Snapshot.of(read_cluster([node(pods=str(10**15), cpu=str(10**12))]))
    assert fitting_on(read_pod(pod(limits={"cpu": "1m"})), snapshot, "n", 10**18) == 10**15


def test_a_node_that_is_not_there_is_an_error():
    snapshot = Snapshot.of(read_cluster([node()]))
    with pytest.raises(KeyError):
        fitting_on(read_pod(pod()), snapshot, "o", 1)
