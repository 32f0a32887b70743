"""The counts that the checker of evidence works out by itself."""

from __future__ import annotations

import pytest
from rollout_objects import apart, cluster, deployment, node, pod, same

from kubelint_gpu.simulation.questions.rollouts import judge
from verdict_evidence import arithmetic
from verdict_evidence.watch import claimed


def situation_of(workloads, *objects):
    """The situation of the first question that a decider answers."""
    found = []
    with claimed(found.append):
        judge(same(*workloads), cluster(*objects))
    return found[0].situation, found[0].positions[0]


def test_places_are_counted_beside_the_pods_that_stay():
    given = situation_of([deployment()], node("n", 4), node("m", 1), pod("other", "n", gpus=2))
    assert arithmetic.places(*given) == {"n": 2, "m": 1}


@pytest.mark.parametrize(("surge", "unavailable", "own"), [(1, 0, 3), (0, 1, 2)])
def test_a_rollout_keeps_the_pods_that_its_strategy_must_have(surge, unavailable, own):
    given = situation_of([deployment(replicas=3, surge=surge, unavailable=unavailable)], node("n", 3))
    assert arithmetic.kept_places(*given, frozenset()) == (0, own)


def test_nodes_are_refused_in_steps_of_what_pods_take():
    situation, position = situation_of(
        [deployment(replicas=2, gpus=2, surge=1, unavailable=0)], node("n", 4), node("m", 3)
    )
    supply, prices = arithmetic.cost_of_refusing(situation, position, frozenset(), frozenset(("n", "m")))[
        "nvidia.com/gpu"
    ]
    assert (supply, prices) == (4, [2, 4])


def test_what_filters_look_at_besides_resources_is_not_counted():
    assert arithmetic.counts_decide(*situation_of([deployment()], node("n", 1)))
    assert not arithmetic.counts_decide(*situation_of([deployment(affinity=apart("w"))], node("n", 2)))


def test_pods_that_end_or_evict_are_noticed():
    situation, _ = situation_of([deployment()], node("n", 1))
    assert arithmetic.nobody_ends(situation)
    assert arithmetic.nobody_evicts(situation)
    ending = pod("once", "n", restartPolicy="Never")
    assert not arithmetic.nobody_ends(situation_of([deployment()], node("n", 3), ending)[0])
