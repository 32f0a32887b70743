"""DaemonSets that may stick because others fill a node: what fills it is counted, and one run shows it."""

from __future__ import annotations

from itertools import product

from core_objects import cores, of_cores
from hypothesis import given
from hypothesis import strategies as st
from left_out import without
from rollout_objects import cluster, same

from kubelint_gpu.simulation.bounds.filled_node import filled_by
from kubelint_gpu.simulation.questions.rollouts import judge_together
from kubelint_gpu.simulation.search.single_runs import SINGLE_RUNS
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.work import limited

PARTS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 3)), min_size=1, max_size=4)


@given(PARTS, st.integers(1, 30), st.integers(0, 5))
def test_things_are_found_that_come_to_a_sum_if_there_are_any(sizes, least, more):
    parts = [(f"w{number}", size, count) for number, (size, count) in enumerate(sizes)]
    found = filled_by(parts, least, least + more)
    counts = product(*(range(count + 1) for _, count in sizes))
    sums = [[size * number for (size, _), number in zip(sizes, one, strict=True)] for one in counts]
    possible = [one for one in sums if least <= sum(one) <= least + more]
    assert bool(found) == bool(possible)
    if found:
        size_of = {name: size for name, size, _ in parts}
        most = {name: count for name, _, count in parts}
        assert least <= sum(size_of[name] * number for name, number in found.items()) <= least + more
        assert all(0 < number <= most[name] for name, number in found.items())
        assert len(found) == min(sum(map(bool, one)) for one in possible)


def test_nothing_fills_what_has_no_room():
    assert filled_by([("w", 1, 3)], 0, 0) == {}
    assert filled_by([("w", 1, 3)], -4, -1) == {}


def together(*nodes):
    """What becomes of many rollouts, if neither single runs nor a search of all of them can tell."""
    webs = [cores("Deployment", f"web{number}", f"{1 + number % 3}", 6) for number in range(8)]
    with without(SINGLE_RUNS):
        return judge_together(same(*webs, cores("DaemonSet", "agent", "100m")), cluster(*of_cores(*nodes)), budget=300)[
            0
        ]


def test_pods_that_fill_a_node_to_the_brim_keep_a_daemon_pod_off_it():
    found = together(*[16] * 12)
    assert found.verdict is Verdict.MAY_STICK
    (waiting,) = found.runs.trace.waiting
    assert waiting.owner == "DaemonSet/d/agent"
    ((lack,),) = [waiting.lacks]
    assert lack.resource == "cpu"


def test_a_node_that_no_pods_fill_to_the_brim_keeps_room_for_a_daemon_pod():
    assert together(*["16.5"] * 12).verdict is not Verdict.MAY_STICK


def test_a_node_among_many_is_filled_within_the_work_of_a_few():
    with limited(30_000):
        found = together(*[16] * 400)
    assert found.verdict is Verdict.MAY_STICK
    assert [one.owner for one in found.runs.trace.waiting] == ["DaemonSet/d/agent"]
