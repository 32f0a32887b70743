"""Placements that take no more pods, with those of one workload placed last."""

from __future__ import annotations

import random

import pytest
from rollout_objects import cluster, deployment, node
from verdict_evidence.watch import claimed

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.placements import largest_first, placed_last
from kubelint_gpu.simulation.transition import Transition


@pytest.mark.parametrize("seed", [0, 4, 10])
def test_where_pods_are_placed_last_those_that_waited_have_what_they_left(seed):
    draws = random.Random(seed)
    workloads = [deployment(f"w{number}", draws.randint(1, 4), draws.randint(1, 4)) for number in range(6)]
    found = []
    with claimed(lambda claim: found.append(claim.situation)):
        judge([Transition(one, one, existing=False) for one in workloads], cluster(*(node(n, 5) for n in "abc")))
    situation = max(found, key=lambda one: len(one.participants))
    simulation = GroupSearch(situation).simulation(frozenset(), ())
    full, sizes = largest_first(simulation)
    for kinds in simulation.pod_types.members:
        state = placed_last(simulation, full, sizes, kinds)
        waiting = [kind for kind, count in enumerate(state.waiting) if count]
        assert not [kind for kind in waiting if any(simulation.places.fitting(kind, state))]
        assert sum(state.waiting) + sum(count for content in state.nodes for *_, count in content) == sum(
            simulation.pod_types.wanted
        )
