"""What the explorer promises of any graph of states."""

from __future__ import annotations

import pytest

from kubelint_gpu.simulation.search.explorer import explore
from kubelint_gpu.simulation.search.verdict import Verdict

GRAPHS = {
    "ends": ({0: [1], 1: [2], 2: []}, {2}, Verdict.COMPLETES, ()),
    "stuck": ({0: [1], 1: []}, {9}, Verdict.STUCK, (0, 1)),
    "circle": ({0: [1], 1: [0]}, {9}, Verdict.STUCK, (0,)),
    "either": ({0: [1, 2], 1: [], 2: []}, {2}, Verdict.MAY_STICK, (0, 1)),
    "a circle that can be left": ({0: [1], 1: [0, 2], 2: []}, {2}, Verdict.COMPLETES, ()),
    "shortest": ({0: [1, 3], 1: [2], 2: [], 3: [], 4: []}, {4}, Verdict.STUCK, (0, 3)),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_verdicts_of_small_graphs(name):
    edges, ends, verdict, path = GRAPHS[name]
    found = explore([0], edges.__getitem__, ends.__contains__, 100)
    assert (found.verdict, found.path) == (verdict, path)


def test_a_search_that_is_cut_off_says_only_what_its_closed_part_proves():
    line = {number: [number + 1] for number in range(50)}
    assert explore([0], line.__getitem__, lambda _: False, 10).verdict is Verdict.UNDECIDED
    forked = {0: [100, 1], 100: [], **{number: [number + 1] for number in range(1, 50)}}
    cut = explore([0], forked.__getitem__, lambda _: False, 10)
    assert (cut.verdict, cut.path) == (Verdict.MAY_STICK, (0, 100))
    assert explore([], line.__getitem__, lambda _: False, 10).verdict is Verdict.UNDECIDED


def test_one_dead_start_among_two_is_may_stick():
    edges = {0: [], 1: [2], 2: []}
    found = explore([0, 1], edges.__getitem__, {2}.__contains__, 10)
    assert (found.verdict, found.path) == (Verdict.MAY_STICK, (0,))
    assert found.path_to(2) == (1, 2)


def test_circles_are_found_by_the_edges_in_them_whether_they_are_left_or_not():
    graph = {0: [1], 1: [2, 3], 2: [0], 3: [4], 4: [3], 5: []}
    reached = explore([0], graph.__getitem__, lambda _: False, 100).reached
    edges = [(one, other) for one, others in enumerate(reached.edges) for other in others]
    states = [{reached.states[place] for place in circle} for circle in reached.circles(edges)]
    assert states == [{0, 1, 2}, {3, 4}]
    assert reached.circles([(reached.number[1], reached.number[3])]) == []
