"""Where all runs of a group come to rest."""

from __future__ import annotations

import pytest
from rollout_objects import apart, cluster, deployment, node, pod, same
from verdict_evidence.watch import claimed

from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.simulation.bounds.applied import group_ends
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.transition import Transition


def search_of(workload, gpus):
    """The search of the situation in which the workload is judged."""
    found = []
    with claimed(lambda claim: found.append(claim.situation)):
        judge(same(workload), cluster(node("n", gpus)))
    return GroupSearch(found[0])


@pytest.mark.parametrize("gpus", [1, 2])
def test_every_run_rests_with_the_new_pod_where_it_has_room_and_with_the_old_one_where_not(gpus):
    ends = group_ends(search_of(deployment(), gpus), frozenset((0,)), frozenset(), 1)
    old, new = (kind for members in ends.simulation.pod_types.members for kind in members)
    assert ends.whole
    assert {one.ready((new,)) for one in ends.found} == {gpus - 1}
    assert {one.ready((old,)) for one in ends.found} == {2 - gpus}


@pytest.mark.parametrize(
    ("key", "nodes", "least", "low_at_best"),
    [("zone", 2, 0, 1), ("zone", 1, 1, 0), ("kubernetes.io/hostname", 2, 1, None)],
)
def test_a_pod_that_evicts_another_one_again_and_again_may_never_run(key, nodes, least, low_at_best):
    """Seen on a control plane 1.34: a nominated pod counts on its node only, and the evicted one comes back beside it."""
    low, top = deployment("low"), deployment("top", priority=9, affinity=apart("low", key))
    where = cluster(
        *(node(name, 2) for name in "nm"[:nodes]),
        pod("low-x", "n", owner=("ReplicaSet", "low-1"), labels={"app": "low"}),
    )
    found = judge((Transition(low, low, rolls=False, known=True), Transition(top, top, existing=False)), where)
    one, other = found
    assert (other.room.placed, other.room.at_best in (None, 1)) == (least, True)
    assert one.room.at_best == low_at_best


def test_where_every_order_is_too_much_work_single_runs_show_some_ends():
    bare = [read_workload({**pod(f"p{number}", ""), "status": {}}) for number in range(14)]
    found = []
    with claimed(lambda claim: found.append(claim.situation)):
        judge([Transition(one, one, existing=False) for one in bare], cluster(node("n", 13)))
    search, everybody = GroupSearch(found[0]), frozenset(range(14))
    ends = group_ends(search, frozenset(), everybody, 4)
    assert not ends.whole
    assert {sum(one.ready([kind]) for kind in range(14)) for one in ends.found} == {13}
    assert ends.states < search.situation.budget // 4
