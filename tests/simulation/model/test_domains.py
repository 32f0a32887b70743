"""Zones that are alike are looked at once: the same verdicts from fewer states."""

from __future__ import annotations

import random

from left_out import without
from rollout_objects import cluster, deployment, node, same, spread
from spread_workloads import random_workloads

from kubelint_gpu.simulation.model.node_symmetry import EQUAL_ZONES
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict


def judged(transitions, where, budget=20_000, *left_out):
    with without("quiescence", *left_out):
        return [(one.verdict, one.runs.states) for one in judge(transitions, where, budget=budget)]


def unfolded(transitions, where, budget=20_000):
    return judged(transitions, where, budget, EQUAL_ZONES)


def test_equal_zones_of_several_nodes_are_folded():
    one = deployment("w", 3, 1, topologySpreadConstraints=spread("w", "zone"))
    where = cluster(*(node(f"n{i}", 4, zone) for i, zone in enumerate("abcabc")))
    [(verdict, states)] = judged(same(one), where)
    [(other, more)] = unfolded(same(one), where)
    assert verdict is other is Verdict.COMPLETES
    assert 4 * states < more


def test_zones_that_differ_in_one_node_are_not():
    one = deployment("w", 2, 1, topologySpreadConstraints=spread("w", "zone"))
    where = cluster(*(node(f"n{i}", 4 + (i == 3), zone) for i, zone in enumerate("abab")))
    [(verdict, states)] = judged(same(one), where)
    assert unfolded(same(one), where) == [(verdict, states)]


def test_folding_changes_no_verdict(pinned):
    cases = []
    for seed in range(5_001, 5_026):
        rng = random.Random(seed)
        workloads, _ = random_workloads(rng)
        gpus = rng.choice([2, 3])
        on = [node(f"n{i}", gpus, zone, pool="x") for i, zone in enumerate(rng.choice(["aabb", "aabbb", "aabbc"]))]
        cases.append((same(*workloads), cluster(*on)))
    folded = [judged(*case, 2_000) for case in cases]
    fewer = 0
    for case, found in zip(cases, folded, strict=True):
        for (verdict, states), (other, more) in zip(found, unfolded(*case, 2_000), strict=True):
            assert other in (verdict, Verdict.UNDECIDED)
            fewer += states < more
    assert fewer
    pinned(drawn=len(cases), with_fewer_states=fewer)
