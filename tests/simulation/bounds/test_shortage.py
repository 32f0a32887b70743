"""Workloads that together ask for more than there is."""

from __future__ import annotations

from core_objects import cores, of_cores
from left_out import without
from rollout_objects import cluster

from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.transition import Transition


def alive(*workloads):
    return [Transition(one, one) for one in workloads]


def new(*workloads):
    return [Transition(one, one, existing=False, known=True) for one in workloads]


def told(found):
    return [(one.verdict, one.room.placed, one.room.at_best, one.room.wanted) for one in found]


def several(*sizes):
    return [cores("Deployment", f"w{number}", size) for number, size in enumerate(sizes)]


def test_what_is_added_up_is_what_the_search_finds():
    for transitions in (alive(*several("1", "2", "1")), new(*several("1", "2", "1"))):
        asked = transitions, cluster(*of_cores(3))
        by_sum = judge(*asked)
        assert [one.by for one in by_sum] == ["shortage-by-sum"] * 3
        with without("shortage-by-sum"):
            assert told(judge(*asked)) == told(by_sum) == [(None, 0, 1, 1)] * 3


def test_many_of_different_sizes_are_decided_without_a_search():
    sizes = ("1", "2", "1", "3", "1", "2") * 6
    found = judge(alive(*several(*sizes)), cluster(*of_cores(8, 8, 8, 8)))
    assert {one.by for one in found} == {"shortage-by-sum"}
    assert set(told(found)) == {(None, 0, 1, 1)}
    (together,) = judge_together(alive(*several(*sizes)), cluster(*of_cores(8, 8, 8, 8)))
    assert (together.verdict, together.runs.searched) == (None, False)


def test_what_is_scaled_down_at_the_same_moment_is_counted_as_few():
    before, after = cores("Deployment", "w0", "1", 3), cores("Deployment", "w0", "1", 1)
    moved = [Transition(after, before, known=True), *new(cores("Deployment", "w1", "2"))]
    assert "shortage-by-sum" not in {one.by for one in judge(moved, cluster(*of_cores(3)))}


def test_room_for_all_of_them_is_no_shortage():
    found = judge(alive(*several("1", "2", "1")), cluster(*of_cores(4)))
    assert "shortage-by-sum" not in {one.by for one in found}
    assert all(one.room.placed == one.room.wanted for one in found)


def test_one_that_always_finds_room_is_left_to_the_others():
    small = cores("Deployment", "small", "1")
    found = judge(alive(*several("2", "2"), small), cluster(*of_cores(3)))
    assert found[2].by != "shortage-by-sum"
    assert (found[2].room.placed, found[2].room.wanted) == (1, 1)
