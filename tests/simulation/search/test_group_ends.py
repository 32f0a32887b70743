"""Where all runs of a group come to rest."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node, same

from kubelint_gpu.simulation.evidence.watch import checked
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.group_ends import group_ends


def search_of(workload, gpus):
    """The search of the situation in which the workload is judged."""
    found = []
    with checked(lambda _, claim, __: found.append(claim.situation)):
        judge(same(workload), cluster(node("n", gpus)))
    return GroupSearch(found[0])


@pytest.mark.parametrize("gpus", [1, 2])
def test_every_run_rests_with_the_new_pod_where_it_has_room_and_with_the_old_one_where_not(gpus):
    ends = group_ends(search_of(deployment(), gpus), frozenset((0,)), frozenset(), 1)
    old, new = (kind for members in ends.simulation.pod_types.members for kind in members)
    assert ends.whole
    assert {one.ready((new,)) for one in ends.found} == {gpus - 1}
    assert {one.ready((old,)) for one in ends.found} == {2 - gpus}
