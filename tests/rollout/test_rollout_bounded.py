"""Replicas that no node can hold: not built, and told with their numbers."""

from __future__ import annotations

import pytest
from rollout_reference import program_input, random_case

from kubelint_gpu.simulation.budget import Budget
from kubelint_gpu.simulation.prepare import bounded
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.values import replace

SEEDS = range(30_000, 30_100)


def crowded(seed):
    """A small case of which one workload wants more pods than there can be."""
    case = random_case(seed)
    works = [one for one in case.works if one.kind != "DaemonSet"]
    chosen = works[seed % len(works)] if works else None
    return replace(case, works=tuple(replace(one, replicas=14) if one is chosen else one for one in case.works))


def told(case):
    transitions, cluster, *_ = program_input(case)
    return [
        (one.workload.key, one.verdict, one.wanted, one.placed, one.alone, one.at_best)
        for one in judge(transitions, cluster)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_workload_is_judged_as_if_all_its_pods_were_built(seed, monkeypatch):
    case = crowded(seed)
    every = told(case)
    monkeypatch.setattr(bounded, "BUDGET", Budget(replicas=0))
    assert told(case) == every


def test_most_of_these_cases_have_more_pods_than_are_built(monkeypatch):
    monkeypatch.setattr(bounded, "BUDGET", Budget(replicas=0))
    smaller = 0
    for seed in SEEDS:
        transitions, cluster, *_ = program_input(crowded(seed))
        built = [bounded.bounded(one, cluster, cluster.nodes) for one in transitions]
        smaller += any(one.new.replicas > few.new.replicas for one, few in zip(transitions, built, strict=True))
    assert smaller > len(SEEDS) // 2
