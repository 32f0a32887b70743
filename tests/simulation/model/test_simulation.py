"""Which nodes an exploration has."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node

from kubelint_gpu.simulation.model.placing import placed_on
from kubelint_gpu.simulation.model.pod_types import build_pod_types
from kubelint_gpu.simulation.model.simulation import build_simulation
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
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
