"""Nodes as generous to the pods of a unit as any could be."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit

from kubelint_gpu.analysis.beyond.any_cluster import nodes_for, on_generous_nodes, without_spare_node
from kubelint_gpu.simulation.search.verdict import Verdict

PORT = "ports: [{containerPort: 80, hostPort: 80}]\n"


@pytest.mark.parametrize("replicas", [1, 3])
def test_there_are_nodes_enough_for_old_and_new_pods(replicas):
    found = unit(deployment(spec=f"replicas: {replicas}", more=PORT), "")
    scenario = on_generous_nodes(found)
    (change,) = scenario.transitions.values()
    assert len(scenario.cluster.nodes) >= nodes_for(change) == 2 * replicas + 1
    assert [one.verdict for one in scenario.judgements().values()] == [Verdict.COMPLETES]


def test_without_a_spare_one_each_pod_has_a_node():
    found = unit(f"{deployment(spec='replicas: 2', more=PORT)}---\n{deployment(name='other')}", "")
    alone = without_spare_node(on_generous_nodes(found), found.subjects[0].key)
    assert (len(alone.transitions), len(alone.cluster.nodes)) == (1, 2)
    assert [one.verdict for one in alone.judgements().values()] == [Verdict.STUCK]
