"""Rollouts with too many orders of events to look at: single runs find those that get stuck, and claim nothing else."""

from __future__ import annotations

from core_objects import cores, of_cores
from left_out import without
from rollout_objects import cluster, node, same, workload
from rollout_reference import program_verdict, random_case

from kubelint_gpu.simulation.questions.rollouts import judge_together
from kubelint_gpu.simulation.search import engine, single_runs
from kubelint_gpu.simulation.search.verdict import Verdict

STATES = 5_000
"""A quarter of what a search may visit: there are far more states than either."""


def together():
    web, agent = cores("Deployment", "web", "1", 8), cores("DaemonSet", "agent", "100m")
    return judge_together(same(web, agent), cluster(*of_cores(4, 4, 4, 4)), budget=STATES)[0]


def test_a_node_that_others_fill_while_its_daemon_pod_is_away_is_found_and_told():
    found = together()
    assert found.verdict is Verdict.MAY_STICK
    [waiting] = found.runs.trace.waiting
    assert waiting.owner == "DaemonSet/d/agent"
    assert [lack.resource for lack in waiting.lacks] == ["cpu"]
    assert together() == found


def test_the_place_that_a_larger_pod_left_goes_to_a_smaller_one():
    workloads = [workload("StatefulSet", "s1", 5, 1), workload("StatefulSet", "s2", 3, 2)]
    found = judge_together(same(*workloads), cluster(*(node(f"n{i}", 4) for i in range(3))))[0]
    assert found.verdict is Verdict.MAY_STICK
    assert {one.owner for one in found.runs.trace.waiting} == {"StatefulSet/d/s2"}


def test_single_runs_and_a_filled_node_are_two_ways_to_find_it():
    with without(single_runs.SINGLE_RUNS):
        assert together().verdict is Verdict.MAY_STICK
    with without(single_runs.SINGLE_RUNS, "filled-node"):
        assert together().verdict is Verdict.UNDECIDED


def test_single_runs_contradict_no_search_of_all_of_them(monkeypatch, pinned):
    cases = [random_case(seed) for seed in range(23_000, 23_080)]
    explore = engine.explore

    def cut_off(starts, successors, done, _budget, halts=None):
        return explore(starts, successors, done, 4, halts)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "explore", cut_off)
        single = [program_verdict(case, 6_000) for case in cases]
    found = [case for case, told in zip(cases, single, strict=True) if told == (Verdict.MAY_STICK, False)]
    # a run that sticks does not tell whether all do
    assert {program_verdict(case) for case in found} <= {(Verdict.MAY_STICK, False), (Verdict.STUCK, False)}
    pinned(drawn=len(cases), found_by_single_runs=len(found))
