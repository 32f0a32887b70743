"""What quotas have left at a rest."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from rollout_objects import cluster, deployment, node, quota, same
from spread_workloads import nodes, over_zones, verdict_of, w

from kubelint_gpu.simulation.bounds.quiescence_room import QuiescentBound, refusing_in_all
from kubelint_gpu.simulation.questions.rollouts import judge_together
from kubelint_gpu.simulation.search.verdict import Verdict


def together(*workloads, on):
    found = judge_together(same(*workloads), cluster(*on))
    return [(one.verdict, one.by_bound) for one in found]


def test_a_quota_lets_a_pod_be_made_beside_all_that_can_be_there_at_a_rest():
    assert verdict_of(w(2, over_zones()), on=[*nodes(*"ab"), quota(2)]) == (Verdict.STUCK, False)
    assert verdict_of(w(3, over_zones()), on=[*nodes(*"abc"), quota(4)]) == (Verdict.COMPLETES, True)


def test_a_quota_that_several_rollouts_share_is_told_by_the_bound():
    # the surge of the first is refused until one of its pods has gone, as one of four may
    web, api = deployment("web", 4, 1, surge=1, unavailable=1), deployment("api", 3, 1, surge=0, unavailable=1)
    on = nodes(*"aaaaaa")
    assert verdict_of(web, api, on=[*on, quota(7)]) == (Verdict.COMPLETES, True)
    assert together(web, api, on=[*on, quota(7)]) == [(Verdict.COMPLETES, True)]
    surging = deployment("web", 4, 1, surge=1, unavailable=0)
    assert verdict_of(surging, api, on=[*on, quota(7)])[0] is Verdict.STUCK
    assert verdict_of(surging, api, on=[*on, quota(8)]) == (Verdict.COMPLETES, True)


def test_a_quota_counts_what_its_status_tells_of():
    one = deployment("web", 2, 1, surge=1, unavailable=0)
    assert verdict_of(one, on=[*nodes("a"), quota(4, used=3)]) == (Verdict.COMPLETES, True)
    assert verdict_of(one, on=[*nodes("a"), quota(4, used=4)])[0] is Verdict.STUCK


def test_a_pod_keeps_others_off_one_node_alone_however_much_it_takes():
    small, large = deployment("small", 2, 2, surge=1, unavailable=0), deployment("large", 4, 8, surge=1, unavailable=0)
    assert together(small, large, on=eights(7)) == [(Verdict.COMPLETES, True)]
    assert together(small, large, on=eights(6)) == [(Verdict.MAY_STICK, False)]


def eights(count):
    return [node(f"n{number}", 8) for number in range(count)]


SIZE = st.integers(0, 4)
PRICE = st.one_of(st.none(), st.integers(-2, 6))


@given(
    st.lists(st.tuples(SIZE, SIZE, st.integers(0, 2)), min_size=1, max_size=3),
    st.lists(st.tuples(PRICE, PRICE), min_size=1, max_size=3),
)
def test_no_placement_of_pods_makes_more_nodes_refuse_than_counted(pods, prices):
    """A node refuses if the pods on it take its price of one of two resources; one of no price never does."""
    counted = []
    for cpu, memory, count in pods:
        each = {"cpu": cpu, "memory": memory}
        counted.append((QuiescentBound(frozenset(), each, each, {}, count, count, 0, count, ()), count))
    told = refusing_in_all({"cpu": [one for one, _ in prices], "memory": [one for _, one in prices]}, counted)
    every = [(cpu, memory) for cpu, memory, count in pods for _ in range(count)]
    most = 0
    for places in product(range(len(prices)), repeat=len(every)):
        taken = [[0, 0] for _ in prices]
        for place, pod in zip(places, every, strict=True):
            taken[place][0] += pod[0]
            taken[place][1] += pod[1]
        refusing = (
            any(price is not None and amount >= price for amount, price in zip(here, wanted, strict=True))
            for here, wanted in zip(taken, prices, strict=True)
        )
        most = max(most, sum(refusing))
    assert told >= most


def test_resources_are_measured_against_each_other_as_each_node_has_them():
    # two pods of 4 cpu fill one node of 4 or one of 8, whatever memory the nodes have
    one = QuiescentBound(frozenset(), {"cpu": 4}, {"cpu": 4}, {}, 2, 2, 0, 2, ())
    assert refusing_in_all({"cpu": [4, 8], "memory": [10, 10]}, [(one, 2)]) == 1
    assert refusing_in_all({"cpu": [4, 8], "memory": [10, 10]}, [(one, 3)]) == 2
