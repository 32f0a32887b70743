"""How many pods of low priority run at best, beside the search of all runs in which everything is made anew."""

from __future__ import annotations

import random

import pytest
from rollout_objects import GPU, cluster, deployment, node, quota

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.transition import Transition

SEEDS = range(60)


def best(workloads, where, *, existing):
    (found, *_) = judge([Transition(one, one, existing=existing) for one in workloads], where)
    return found.room.placed, found.room.at_best


def low_and_high(random_one):
    nodes = [node(name, random_one.randint(1, 3)) for name in "nmo"[: random_one.randint(1, 3)]]
    low = deployment("low", random_one.randint(1, 3), random_one.randint(1, 2))
    others = [
        deployment(
            f"high{number}", random_one.randint(1, 2), random_one.randint(1, 2), priority=random_one.choice([0, 9, 99])
        )
        for number in range(random_one.randint(1, 2))
    ]
    return [low, *others], cluster(*nodes)


def at_rest(workloads, where, random_one):
    """How many pods of the first one run when nothing moves any more, of a run in which everything is made anew."""
    free = [found.allocatable[GPU] // 1000 for found in where.nodes]
    running, waiting = [], [one for one in workloads for _ in range(one.replicas)]
    while waiting:
        random_one.shuffle(waiting)
        for one in tuple(waiting):
            gpus = one.spec.containers[0].limits[GPU] // 1000
            nodes = random_one.sample(range(len(free)), len(free))
            room = [node for node in nodes if free[node] >= gpus]
            lower = {
                node: [each for each in running if each[1] == node and each[0].spec.priority < one.spec.priority]
                for node in nodes
            }
            room += [node for node in nodes if free[node] + sum(each[2] for each in lower[node]) >= gpus]
            if room:
                break
        else:
            break
        waiting.remove(one)
        for victim in lower[room[0]]:
            if free[room[0]] < gpus:
                running.remove(victim)
                waiting.append(victim[0])
                free[room[0]] += victim[2]
        free[room[0]] -= gpus
        running.append((one, room[0], gpus))
    return sum(one is workloads[0] for one, _, _ in running)


def test_no_run_gives_it_more_pods_than_it_is_said_to_have_at_best():
    told = reached = 0
    for seed in SEEDS:
        workloads, where = low_and_high(random.Random(seed))
        placed, most = best(workloads, where, existing=True)
        if most is None or most >= workloads[0].replicas:
            continue
        seen = [at_rest(workloads, where, random.Random(number)) for number in range(20)]
        assert placed <= most, seed
        assert max(seen) <= most, seed
        told, reached = told + 1, reached + (max(seen) == most)
    assert told >= 10
    assert reached


@pytest.mark.parametrize(
    ("gpus", "priority", "limits", "most"), [(1, 9, (), 1), (1, 0, (), 2), (2, 9, (), 2), (1, 9, (9,), 2)]
)
def test_only_those_that_evict_any_of_its_pods_are_sure_of_their_places(gpus, priority, limits, most):
    low, high = deployment("low", 2), deployment("high", 1, gpus, priority=priority)
    _, found = best([low, high], cluster(node("n", 2), *map(quota, limits)), existing=True)
    assert (2 if found is None else found) == most
