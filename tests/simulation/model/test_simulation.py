"""Which nodes an exploration has.

The most pods that find places is what every order of placing them by hand comes to.
"""

from __future__ import annotations

import random
from itertools import product

import pytest
from rollout_objects import apart, cluster, deployment, node

from kubelint_gpu.simulation.controllers.rollout_state import READY, count_on
from kubelint_gpu.simulation.model.at_full_replicas import full_simulation
from kubelint_gpu.simulation.model.pod_types import build_pod_types
from kubelint_gpu.simulation.model.simulation import build_simulation, most_placed, placed, placed_on
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.search.placements import placements
from kubelint_gpu.simulation.search.placing_pods import known

NAMES = [f"n{number:02}" for number in range(40)]


@pytest.mark.parametrize(
    ("limits", "names"),
    [
        ({}, NAMES[:26]),
        ({"few": 2}, ["n00", "n01"]),
        ({"few": 1, "kept": frozenset({"n07", "n30"})}, ["n07", "n30", "n00"]),
    ],
)
def test_some_nodes_of_a_class_stand_for_all_while_one_of_them_is_empty(limits, names):
    one = deployment("w", 4, 1)
    nodes = cluster(*(node(name, 4) for name in NAMES))
    kinds = build_pod_types([WorkloadChange(one, one)], frozenset({0}), (), nodes)
    simulation = build_simulation(kinds, nodes, (), **limits)
    assert list(simulation.places.names) == names
    state = known(simulation)
    for index in range(len(names) - 1):
        state = next(placed_on(simulation, 0, index, state))
    assert simulation.has_spare(state)
    full = next(placed_on(simulation, 0, len(names) - 1, state))
    assert simulation.has_spare(full) is not bool(limits)


def _empty(simulation):
    """Nothing runs yet, and all pods wait."""
    state = placements(simulation, 1_000).full
    first = (state or placements(simulation, 1_000).partial)[0]
    return first._replace(waiting=simulation.pod_types.wanted, nodes=((),) * len(first.nodes))


def _by_hand(sizes, free):
    """The most pods of given sizes that nodes have room for: each pod on each node, or nowhere."""
    most = 0
    for homes in product(range(-1, len(free)), repeat=len(sizes)):
        used = [sum(size for size, home in zip(sizes, homes, strict=True) if home == one) for one in range(len(free))]
        if all(taken <= room for taken, room in zip(used, free, strict=True)):
            most = max(most, sum(home >= 0 for home in homes))
    return most


@pytest.mark.parametrize("seed", range(12))
def test_the_most_pods_find_places_in_the_best_order(seed):
    draw = random.Random(seed)
    free = [draw.randint(1, 5) for _ in range(3)]
    wanted = [(draw.randint(1, 3), draw.randint(1, 3)) for _ in range(2)]
    workloads = [deployment(name, count, size) for name, (count, size) in zip("ab", wanted, strict=True)]
    simulation = full_simulation(workloads, cluster(*(node(f"n{number}", room) for number, room in enumerate(free))))
    start, sizes = _empty(simulation), [size for count, size in wanted for _ in range(count)]
    found = most_placed(simulation, start, range(2), 10_000)
    assert (found.pods, found.decided) == (_by_hand(sizes, free), True)
    names = simulation.places.names
    closed = draw.randrange(len(names))
    rest = [room for number, room in enumerate(free) if f"n{number}" in set(names) - {names[closed]}]
    assert most_placed(simulation, start, range(2), 10_000, closed=closed).pods == _by_hand(sizes, rest)


def test_where_the_budget_ends_first_no_more_is_not_known():
    simulation = full_simulation([deployment("a", 3, affinity=apart("a"))], cluster(node("n", 4), node("m", 4)))
    start = _empty(simulation)
    assert not most_placed(simulation, start, [0], 1).decided
    assert (most_placed(simulation, start, [0], 100).pods, most_placed(simulation, start, [0], 100).decided) == (
        2,
        True,
    )


def test_equal_nodes_are_tried_once():
    simulation = full_simulation([deployment("a", 1)], cluster(node("n", 4), node("m", 4), node("o", 2)))
    start = _empty(simulation)
    found = list(placed(simulation, 0, start))
    assert len(found) == 2
    assert list(placed_on(simulation, 0, 0, start)) == [found[0]]
    assert all(sum(count_on(content, 0, READY) for content in state.nodes) == 1 for state in found)
    assert all(state.waiting == (0,) for state in found)
