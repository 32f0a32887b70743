"""Rollouts that end in whatever order all that changes at the same moment does so."""

from __future__ import annotations

import random

import pytest
from left_out import only_search
from rollout_objects import cluster, deployment, judged, node, same, spread
from verdict_evidence.watch import claimed

from kubelint_gpu.simulation.bounds.always_ends import always_ends
from kubelint_gpu.simulation.questions.rollouts import judge


@pytest.mark.parametrize(("gpus", "ends"), [(2, False), (3, True)])
def test_a_pod_that_finds_room_beside_all_old_and_new_ones_always_ends(gpus, ends):
    found = []
    with claimed(lambda claim: found.append(claim.situation)):
        judge(same(deployment("a"), deployment("b", gpus=1)), cluster(node("n", gpus)))
    situation = next(one for one in found if len(one.participants) == 2)
    assert [always_ends(situation, place) for place in (0, 1)] == [ends, ends]


HOSTNAME = "kubernetes.io/hostname"
PINNED = {"nodeSelector": {HOSTNAME: "n0"}}
ALL = {"matchExpressions": [{"key": "app", "operator": "Exists"}]}


@pytest.mark.parametrize(
    ("replicas", "rule", "ends"),
    [
        (5, {}, True),
        (8, {}, False),
        (5, {"labelSelector": ALL}, False),
        (5, {"labelSelector": {}}, False),
        (5, {"whenUnsatisfiable": "ScheduleAnyway"}, False),
    ],
    ids=["two each and one more", "three each and one more", "counts others", "counts nobody", "is no must"],
)
def test_others_that_a_spread_constraint_keeps_apart_are_not_all_on_one_node(replicas, rule, ends):
    """Of six pods in three zones, the surging one included, at most three are in one; of nine at most four."""
    mine = deployment("w", 1, 1, surge=1, unavailable=0, **PINNED)
    rest = deployment("web", replicas, surge=1, unavailable=0, topologySpreadConstraints=spread("web", "zone", **rule))
    nodes = [node(f"n{number}", 5, zone="abc"[number % 3]) for number in range(6)]
    found = []
    with claimed(lambda claim: found.append(claim.situation)):
        judge(same(mine, rest), cluster(*nodes))
    situation = next(one for one in found if len(one.participants) == 2)
    assert always_ends(situation, 0) is ends


def test_a_pinned_rollout_beside_spread_pods_is_judged_as_the_search_judges_it():
    by_bound = 0
    for seed in range(1, 12):
        draws = random.Random(seed)
        mine = deployment("w", 1, draws.randint(1, 2), surge=1, unavailable=0, **PINNED)
        others = []
        for name in ("web", "api")[: draws.randint(1, 2)]:
            rules = spread(name, draws.choice(["zone", HOSTNAME]), maxSkew=draws.randint(1, 2))
            surge, replicas = draws.randint(0, 1), draws.randint(2, 3)
            others.append(deployment(name, replicas, surge=surge, unavailable=1, topologySpreadConstraints=rules))
        nodes = [node(f"n{number}", draws.randint(3, 6), zone="ab"[number % 2]) for number in range(2)]
        found = judged(mine, *nodes, beside=others)
        with only_search():
            searched = judged(mine, *nodes, beside=others)
        assert found.verdict is searched.verdict
        by_bound += found.by != searched.by
    assert by_bound
