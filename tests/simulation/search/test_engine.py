"""A run that gets stuck is looked for from one placement of what runs."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node, same
from verdict_evidence.watch import claimed

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.placements import one_placement


def search_of(*workloads, nodes):
    """The search of the first situation that is judged, and its simulation in which the first workload is rolled."""
    found = []
    with claimed(lambda claim: found.append(claim.situation)):
        judge(same(*workloads), cluster(*(node(f"n{number}", 10) for number in range(nodes))))
    search = GroupSearch(max(found, key=lambda one: len(one.participants)))
    return search, search.simulation(frozenset((0,)), ())


SIZES = (5, 4, 4, 3, 2, 2)


@pytest.mark.parametrize(("sizes", "placed"), [((5, 5, 5, 5), True), (SIZES, False)])
def test_a_placement_that_greed_does_not_find_is_searched_for(sizes, placed):
    """5, 3 and 2 beside 4, 4 and 2 fill two nodes; the largest first leave the last 2 out, and so does the order."""
    workloads = [deployment(f"w{number}", gpus=size) for number, size in enumerate(sizes)]
    search, simulation = search_of(*workloads, nodes=2)
    assert (one_placement(simulation) is not None) is placed
    found = search.stuck_run(simulation)
    assert found.states > 0
    assert [one.owner for one in found.trace.waiting] == ["Deployment/d/w0"]
