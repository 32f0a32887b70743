"""Judgements of workloads of which fewer pods were built than they want."""

from __future__ import annotations

import pytest
from rollout_reference import program_input, random_case

from kubelint_gpu.budget import Budget
from kubelint_gpu.simulation.prepare.bounded import bounded
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.questions.unbounded import unbounded
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


def told(found):
    return [(one.workload.key, one.verdict, one.wanted, one.placed, one.alone, one.at_best) for one in found]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_workload_is_judged_as_if_all_its_pods_were_built(seed):
    transitions, cluster = crowded(seed)
    few = built(transitions, cluster)
    found = [
        unbounded(one, whole.new, part.new.replicas)
        for one, whole, part in zip(judge(few, cluster), transitions, few, strict=True)
    ]
    assert told(found) == told(judge(transitions, cluster))
