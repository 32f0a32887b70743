"""Zones that are alike are looked at once: the same verdicts from fewer states."""

from __future__ import annotations

import random

import pytest
from rollout_objects import cluster, deployment, node, same, spread
from spread_workloads import random_workloads

from kubelint_gpu.simulation.bounds import quiescence
from kubelint_gpu.simulation.model import simulation
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.explorer import Verdict


@pytest.fixture(autouse=True)
def by_search(monkeypatch):
    monkeypatch.setattr(quiescence, "never_rest", lambda *_: False)


def judged(transitions, where, budget=20_000):
    return [(one.verdict, one.states) for one in judge(transitions, where, budget=budget)]


def test_equal_zones_of_several_nodes_are_folded(monkeypatch):
    one = deployment("w", 3, 1, topologySpreadConstraints=spread("w", "zone"))
    where = cluster(*(node(f"n{i}", 4, zone) for i, zone in enumerate("abcabc")))
    [(verdict, states)] = judged(same(one), where)
    monkeypatch.setattr(simulation, "equal_domains", lambda *_: ())
    [(unfolded, more)] = judged(same(one), where)
    assert verdict is unfolded is Verdict.COMPLETES
    assert 4 * states < more


def test_zones_that_differ_in_one_node_are_not(monkeypatch):
    one = deployment("w", 2, 1, topologySpreadConstraints=spread("w", "zone"))
    where = cluster(*(node(f"n{i}", 4 + (i == 3), zone) for i, zone in enumerate("abab")))
    [(verdict, states)] = judged(same(one), where)
    monkeypatch.setattr(simulation, "equal_domains", lambda *_: ())
    assert judged(same(one), where) == [(verdict, states)]


def test_folding_changes_no_verdict(monkeypatch, pinned):
    cases = []
    for seed in range(5_000, 5_030):
        rng = random.Random(seed)
        workloads, _ = random_workloads(rng)
        gpus = rng.choice([2, 3])
        on = [node(f"n{i}", gpus, zone, pool="x") for i, zone in enumerate(rng.choice(["aabb", "aabbb", "aabbc"]))]
        cases.append((same(*workloads), cluster(*on)))
    folded = [judged(*case, 2_000) for case in cases]
    monkeypatch.setattr(simulation, "equal_domains", lambda *_: ())
    fewer = 0
    for case, found in zip(cases, folded, strict=True):
        for (verdict, states), (unfolded, more) in zip(found, judged(*case, 2_000), strict=True):
            assert unfolded in (verdict, Verdict.UNDECIDED)
            fewer += states < more
    assert fewer
    pinned(drawn=len(cases), with_fewer_states=fewer)
