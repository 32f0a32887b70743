"""Where pods go if their nodes go."""

from __future__ import annotations

import pytest
from full_clusters import budget, laid_out, node, running, workload

from kubelint_gpu.capacity.capacity_text import departure_text
from kubelint_gpu.capacity.departures import departure, departures, interruptions
from kubelint_gpu.values import replace


def moves(found, *nodes):
    return [(one.drained.pods, one.to, one.drained.stranded) for one in departure(found, nodes, "it").moves]


def test_pods_go_where_there_is_room_and_the_rest_stays_pending(tmp_path):
    found = laid_out(tmp_path, [node("m", 2), node("n", 3)], [workload("a", 4, 1)])
    assert moves(found, "m") == [(2, ("n",), 1)]
    assert moves(found, "n") == [(2, (), 2)]


def test_several_nodes_go_together(tmp_path):
    found = laid_out(tmp_path, [node("k", 2), node("m", 2), node("n", 2)], [workload("a", 2, 1)])
    assert moves(found, "k", "m") == [(2, ("n", "n"), 0)]


def test_daemons_go_with_their_node_and_pods_without_a_controller_for_good(tmp_path):
    cluster = [node("m", 1), node("n", 1), running("x", "n", 1)]
    gone = departure(laid_out(tmp_path, cluster, [workload("d", gpus=0, kind="DaemonSet")]), ["n"], "node n")
    assert (gone.moves, gone.lost) == ((), (1, 1))


def test_pods_that_no_manifest_declares_move_too(tmp_path):
    cluster = [node("m", 1), node("n", 2), running("x", "n", 1, "x"), running("y", "n", 1, "x")]
    found = laid_out(tmp_path, cluster, [])
    assert moves(found, "n") == [(2, ("m",), 1)]
    assert [(one.what, one.pending) for one in departures(found) if one.pending] == [("node n", 1)]


@pytest.mark.parametrize(
    ("budgets", "allowed", "blocked"),
    [
        ([], None, False),
        ([budget("b", "a", minAvailable=1)], 1, False),
        ([budget("b", "a", minAvailable=2)], 0, True),
        ([budget("b", "a", maxUnavailable=1)], 1, False),
        ([budget("b", "a", maxUnavailable=1), budget("c", "a", maxUnavailable=1)], None, True),
    ],
)
def test_a_budget_that_lets_nothing_go_blocks_and_so_do_two(tmp_path, budgets, allowed, blocked):
    found = laid_out(tmp_path, [node("m", 4), node("n", 4)], [workload("a", 2, 1), *budgets])
    (one,) = departure(found, ["m"], "node m").moves
    assert (one.drained.allowed, one.drained.blocked, one.group.total) == (allowed, blocked, 2)


def test_a_budget_blocks_if_more_pods_stay_pending_than_may_be_missing(tmp_path):
    pinned = {"nodeSelector": {"kubernetes.io/hostname": "n"}}
    found = laid_out(tmp_path, [node("n", 4)], [workload("a", 3, 1, **pinned), budget("b", "a", maxUnavailable=2)])
    (one,) = departure(found, ["n"], "node n").moves
    assert (one.drained.stranded, one.drained.allowed, one.drained.blocked) == (3, 2, True)


def test_single_nodes_and_zones_that_cannot_be_lost_are_told(tmp_path):
    cluster = [node("a1", 1), node("a2", 1), node("b1", 2, zone="b"), node("b2", 1, zone="b")]
    found = laid_out(tmp_path, cluster, [workload("x", 4, 1)])
    assert [(one.what, one.nodes, one.pending) for one in departures(found) if one.pending] == [
        ("node b1", ("b1",), 1),
        ("zone a", ("a1", "a2"), 1),
        ("zone b", ("b1", "b2"), 2),
    ]


def test_nodes_that_are_alike_are_told_once(tmp_path):
    found = laid_out(tmp_path, [node("n1", 1), node("n2", 1), node("n10", 1)], [workload("x", 3, 1)])
    assert [(one.nodes, one.pending) for one in departures(found) if one.pending] == [(("n1", "n2", "n10"), 1)]


def test_nothing_is_told_of_nodes_that_can_be_lost(tmp_path):
    found = laid_out(tmp_path, [node("m", 2), node("n", 2)], [workload("a", 2, 1)])
    assert [one.pending for one in departures(found)] == [0]


def test_a_drain_of_one_node_after_the_other_takes_what_came_from_the_nodes_before(tmp_path):
    """The pod of k goes to m, which then has two; with a budget somebody waits for one before the next."""
    cluster = [node("k", 2), node("m", 2), node("n", 2)]
    found = laid_out(tmp_path, cluster, [workload("a", 3, 0)])
    assert [(one.group.name, one.node, one.pods) for one in interruptions(found)] == [("Deployment team/a", "m", 2)]
    assert interruptions(laid_out(tmp_path, cluster, [workload("a", 3, 0), budget("b", "a", maxUnavailable=1)])) == ()
    assert interruptions(laid_out(tmp_path, cluster, [workload("a", 1, 0)])) == ()


def test_pods_that_find_no_other_node_come_back_to_their_own(tmp_path):
    found = laid_out(tmp_path, [node("m", 2), node("n", 2)], [workload("a", 4, 1)])
    assert [(one.node, one.pods) for one in interruptions(found)] == [("m", 2)]


def test_drains_of_very_many_pods_are_not_looked_at(tmp_path):
    found = laid_out(tmp_path, [node("m", 2), node("n", 2)], [workload("a", 4, 1)])
    assert (
        interruptions(replace(found, groups=tuple(replace(one, placed=("m",) * 10_001) for one in found.groups)))
        is None
    )


def test_one_preemption_makes_room_for_all_pods_that_fit_then(tmp_path):
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("high", 1000), ("low", 1))
    ]
    pods = [
        workload("high", 2, 2, priorityClassName="high", nodeSelector={"topology.kubernetes.io/zone": "a"}),
        workload("low", 1, 4, priorityClassName="low"),
    ]
    found = laid_out(tmp_path, [node("m", 4), node("n", 4)], [*classes, *pods])
    gone = departure(found, ["m"], "m")
    high, low = gone.moves
    assert (high.to, high.drained.stranded, low.preempted) == (("n", "n"), 0, ("n",))
    told = next(departure_text(gone, 80))
    assert told == "m: 2 pods must move, 1 pod elsewhere is preempted, and 1 finds no node."


def test_pods_that_find_no_node_preempt_and_those_that_they_drive_away_look_for_another(tmp_path):
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("high", 1000), ("low", 1))
    ]
    at = {"nodeSelector": {"topology.kubernetes.io/zone": "a"}}
    pods = [workload("high", 1, 2, priorityClassName="high", **at), workload("low", 2, 1, priorityClassName="low")]
    cluster = [node("m", 2), node("n", 2), node("o", 1, zone="b")]
    found = laid_out(tmp_path, cluster, [*classes, *pods])
    assert [one.placed for one in found.groups] == [("m",), ("o", "n")]
    gone = departure(found, ["m"], "node m")
    high, low = gone.moves
    assert (high.to, high.preempted, high.drained.stranded) == (("n",), (), 0)
    assert low.preempted == ("n",)
    assert (low.to, low.drained.pods, low.drained.budgets, gone.pending) == ((), 1, (), 1)
