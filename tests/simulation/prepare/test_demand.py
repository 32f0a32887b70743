"""Who competes for what of a node."""

from __future__ import annotations

import random

from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.simulation.prepare.demand import Demand, Residual, contended, greedily

GPU, CPU = "nvidia.com/gpu", "cpu"
NODES = frozenset(("a", "b"))
HAS = {name: {GPU: 8, CPU: 100, "pods": 110} for name in NODES}


def demand(most, gpu=0, cpu=1, least=None, on_each=None):
    each = {CPU: cpu, **({GPU: gpu} if gpu else {})}
    return Demand(NODES, FrozenMap(each), most, most, most, True, FrozenMap(least or each), on_each)


def scarce(*demands, **changes):
    has = {name: FrozenMap({**amounts, **changes}) for name, amounts in HAS.items()}
    return [{name for _, name in pairs} for pairs in contended(demands, Residual(has))]


def test_pods_that_share_the_gpus_of_a_node_take_no_more_of_its_cpu_than_they_can():
    assert scarce(demand(30, gpu=1, cpu=10), demand(30, gpu=2, cpu=10), demand(9, on_each=4)) == [{GPU}, {GPU}, set()]


def test_a_daemon_set_competes_where_they_can_take_so_much_that_nothing_is_left():
    found = scarce(demand(30, gpu=1, cpu=10), demand(9, on_each=4), cpu=83)
    assert found == [{CPU}, {CPU}]


def test_the_smallest_pod_of_a_workload_says_how_many_there_can_be():
    found = scarce(demand(30, gpu=2, cpu=20, least={GPU: 1, CPU: 20}), demand(9, on_each=4))
    assert found == [{CPU, GPU}, {CPU}]


def test_what_a_supply_exhausts_is_what_it_pays_for_node_by_node():
    dice = random.Random(3)
    for _ in range(500):
        amounts = [dice.randint(-5, 12) for _ in range(dice.randint(1, 8))]
        left = Residual({str(place): {CPU: amount} for place, amount in enumerate(amounts)})
        request, supply = dice.randint(0, 6), dice.randint(-8, 40)
        paid = greedily(supply, (amount - request + 1 for amount in amounts))
        assert left.exhausted(frozenset(left), CPU, request, supply) == paid
