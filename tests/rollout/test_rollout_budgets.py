"""What is said with less work is no more than what is said with all of it: a certain verdict rests on no cut."""

from __future__ import annotations

from contextlib import suppress

import pytest
from reference_cases import featured_case, random_case
from reference_program import growth_of, program_input
from rollout_objects import apart, cluster, node, pod, workload

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.work import UsedUp, limited

STEPS = (100, 200, 400, 700, 1_200, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000)
# Cases in which something was said of a search that had been cut off, and some others.
FEATURED = (150, 1070, 1322, 1486)
RANDOM = (5, 1044)


def said_with(case, steps):
    transitions, cluster = program_input(case)
    with limited(steps):
        try:
            return judge(transitions, cluster, growth=growth_of(case))
        except UsedUp:
            return ()


def most(one):
    return max(one.room.placed, one.room.at_best or 0)


def compare(case):
    whole = said_with(case, 3_000_000)
    assert whole
    for steps in STEPS:
        for less, more in zip(said_with(case, steps), whole, strict=False):
            if more.verdict is Verdict.UNDECIDED:
                continue
            # what is stuck without the others may begin otherwise beside them
            assert less.verdict is not Verdict.STUCK or more.waits, (steps, less, more)
            # what workloads do to each other is told of all of them where all is known
            told = less.verdict is not Verdict.MAY_STICK or less.company
            assert told or more.verdict is not Verdict.COMPLETES, (steps, less, more)
            assert less.verdict is not Verdict.COMPLETES or more.verdict is Verdict.COMPLETES, (steps, less, more)
            if less.verdict is None and most(less) < less.room.wanted:
                assert most(more) < more.room.wanted, (steps, less, more)


@pytest.mark.parametrize(
    ("cases", "seed"), [*((featured_case, seed) for seed in FEATURED), *((random_case, seed) for seed in RANDOM)]
)
def test_less_work_says_no_more(cases, seed):
    compare(case_of(cases, seed))


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_less_work_says_no_more_of_many_cases(first):
    for seed in range(first, first + 20):
        for cases in (random_case, featured_case):
            compare(case_of(cases, seed))


def case_of(cases, seed):
    found = cases(seed)
    return found if cases is random_case else found[1]


def told(changes, *nodes):
    """The verdicts on the first workload with more and more work; above 1,200 steps little is cut."""
    found = set()
    for steps in (*range(0, 1_200, 20), *range(1_200, 3_000, 100)):
        with limited(steps), suppress(UsedUp):
            first = judge(changes, cluster(*nodes))[0]
            found.add((first.verdict, most(first)))
    return found


def templates(kind, name, **more):
    return [
        workload(kind, name, priority=9, preemptionPolicy="Never", **more, **one) for one in ({}, {"subdomain": "x"})
    ]


def test_what_a_daemon_set_that_leaves_a_node_makes_room_for_is_short_of_it_for_certain_with_no_work():
    whole, leaving = (
        workload("DaemonSet", "b"),
        workload("DaemonSet", "b", nodeSelector={"kubernetes.io/hostname": "n2"}),
    )
    old, new = templates("StatefulSet", "a")
    found = told([Transition(new, old, known=True), Transition(leaving, whole, known=True)], node("n1"), node("n2"))
    assert (None, 0) not in found
    assert len(found) > 1


def test_what_may_come_to_the_place_of_a_daemon_set_that_is_rolled_too_is_stuck_for_certain_with_no_work():
    changes = [Transition(new, old, known=True) for old, new in map(templates, ("Deployment", "DaemonSet"), "ab")]
    found = told(changes, node("n1"))
    assert (Verdict.MAY_STICK, 1) in found
    assert found.isdisjoint([(None, 0), (Verdict.STUCK, 1)])


def test_what_finds_its_company_before_that_leaves_is_short_of_room_for_certain_with_no_work():
    near = {"podAffinity": apart("b")["podAntiAffinity"]}
    old, new = workload("Deployment", "a"), workload("Deployment", "a", affinity=near)
    there, moved = (
        workload("Deployment", "b", 1, 0, nodeSelector={"kubernetes.io/hostname": on}) for on in ("n1", "n2")
    )
    changes = [Transition(new, old, known=True), Transition(moved, there, known=True)]
    found = told(changes, node("n1", 2), node("n2", 0))
    assert (None, 0) not in found
    assert len(found) > 1


def test_what_may_evict_others_is_short_of_room_for_certain_with_no_work():
    high, none = (workload("Deployment", "w", count, priority=9) for count in (1, 0))
    low = [Transition(one, one) for one in (workload("Deployment", name) for name in ("b", "c"))]
    running = [pod(name, "n1", owner=("ReplicaSet", f"{name}-1")) for name in ("b", "c")]
    found = told([Transition(high, none, known=True, rolls=False), *low], node("n1", 2), *running)
    assert (None, 0) not in found
    assert (None, 1) in found
