"""What quotas have left at a rest."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from rollout_objects import cluster, deployment, job, node, quota, same
from spread_workloads import nodes, over_zones, verdict_of, w

from kubelint_gpu.simulation.bounds.quiescent_bound import refusing_in_all
from kubelint_gpu.simulation.questions.rollouts import judge_together
from kubelint_gpu.simulation.search.verdict import Verdict


def together(*workloads, on):
    found = judge_together(same(*workloads), cluster(*on))
    return [(one.verdict, not one.runs.searched) for one in found]


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
PRICE = st.dictionaries(st.sampled_from(["cpu", "memory", "pods"]), st.integers(-2, 6))


@given(
    st.lists(st.tuples(SIZE, SIZE, st.integers(0, 2)), min_size=1, max_size=3),
    st.lists(PRICE, min_size=1, max_size=3),
)
def test_no_placement_of_pods_makes_more_nodes_refuse_than_counted(pods, prices):
    """A node refuses if the pods on it take its price of some resource."""
    takes = [(count, {"cpu": cpu, "memory": memory, "pods": 1}) for cpu, memory, count in pods]
    every = [one for count, one in takes for _ in range(count)]
    most = 0
    for places in product(range(len(prices)), repeat=len(every)):
        on = [[pod for pod, place in zip(every, places, strict=True) if place == node] for node in range(len(prices))]
        refusing = (
            any(sum(pod[name] for pod in here) >= price for name, price in wanted.items())
            for here, wanted in zip(on, prices, strict=True)
        )
        most = max(most, sum(refusing))
    assert refusing_in_all(prices, takes) >= most


def test_resources_are_measured_against_each_other_as_each_node_has_them():
    # two pods of 4 cpu fill one node of 4 or one of 8, whatever memory the nodes have
    nodes = [{"cpu": 4, "memory": 10}, {"cpu": 8, "memory": 10}]
    assert refusing_in_all(nodes, [(2, {"cpu": 4})]) == 1
    assert refusing_in_all(nodes, [(3, {"cpu": 4})]) == 2


def test_each_node_refuses_for_one_resource_and_each_pod_counts_for_one():
    # no node has six of one resource from the third pod alone, and the first two fill one node
    six, pods = {"cpu": 6, "memory": 6}, [(2, {"cpu": 4, "memory": 3}), (1, {"cpu": 3, "memory": 4})]
    assert refusing_in_all([six, six], pods) == 1
    assert refusing_in_all([six, six], [*pods, (1, {"cpu": 3, "memory": 3})]) == 2


def test_a_node_that_refuses_without_pods_needs_none_and_one_that_never_refuses_is_enough():
    assert refusing_in_all([{"cpu": 0}], []) == 1
    assert refusing_in_all([{"cpu": 1}], []) == 0
    assert refusing_in_all([{"cpu": 0}, {}], [(9, {"cpu": 9})]) == 1


def test_pods_of_a_job_end_and_keep_nothing_off_at_a_rest():
    pinned = deployment("w", 1, 1, surge=1, unavailable=0)
    assert verdict_of(pinned, job("train", 1), on=[node("n", 2)]) == (Verdict.COMPLETES, True)
    beside = deployment("v", 1, 1, surge=1, unavailable=0)
    assert verdict_of(pinned, beside, on=[node("n", 2)])[0] is Verdict.STUCK


def test_pods_that_spread_over_zones_do_not_all_come_to_one():
    mine = w(1, over_zones(), surge=1, unavailable=0)
    on = [node("a", 5, zone="a"), node("b", 5, zone="b")]
    rival = {"surge": 1, "unavailable": 0}
    assert verdict_of(mine, deployment("v", 5, 1, **rival), on=on)[0] is Verdict.MAY_STICK
    spread = {"topologySpreadConstraints": over_zones("v")}
    assert verdict_of(mine, deployment("v", 5, 1, **rival, **spread), on=on) == (Verdict.COMPLETES, True)
