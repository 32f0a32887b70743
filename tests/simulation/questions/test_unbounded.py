"""Judgements of workloads of which fewer pods were built than they want."""

from __future__ import annotations

import pytest
from crowded_cases import SEEDS, built, crowded

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.questions.unbounded import unbounded


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
