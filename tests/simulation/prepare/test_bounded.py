"""Replicas that no node can hold: not built, and told with their numbers."""

from __future__ import annotations

from rollout_reference import program_input, random_case

from kubelint_gpu.budget import Budget
from kubelint_gpu.simulation.prepare.bounded import bounded
from kubelint_gpu.values import replace

SEEDS = range(30_000, 30_100)


def crowded(seed):
    """What is rolled of a small case of which one workload wants more pods than there can be, and the cluster."""
    case = random_case(seed)
    works = [one for one in case.works if one.kind != "DaemonSet"]
    chosen = works[seed % len(works)] if works else None
    works = tuple(replace(one, replicas=14) if one is chosen else one for one in case.works)
    transitions, cluster, *_ = program_input(replace(case, works=works))
    return transitions, cluster


def built(transitions, cluster):
    return [bounded(one, cluster, cluster.nodes, Budget(replicas=0)) for one in transitions]


def test_most_of_these_cases_have_more_pods_than_are_built():
    smaller = 0
    for seed in SEEDS:
        transitions, cluster = crowded(seed)
        few = built(transitions, cluster)
        smaller += any(whole.new.replicas > one.new.replicas for whole, one in zip(transitions, few, strict=True))
    assert smaller > len(SEEDS) // 2
