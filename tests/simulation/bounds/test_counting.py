"""Rollouts among places that are all alike: counting them says what the search says."""

from __future__ import annotations

from left_out import without
from rollout_changes import change_case
from rollout_objects import cluster, deployment, node
from rollout_reference import program_input

from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.transition import Transition

SEEDS = range(30_000, 30_120)
MAY, STUCK, DONE, OPEN = Verdict.MAY_STICK, Verdict.STUCK, Verdict.COMPLETES, Verdict.UNDECIDED


def test_counting_alike_places_agrees_with_the_search(pinned):
    cases = [program_input(change_case(seed)) for seed in SEEDS if change_case(seed).works[0].new.port == 0]
    counted = [judge(transitions, nodes)[0] for transitions, nodes in cases]
    compared = 0
    for (transitions, nodes), found in zip(cases, counted, strict=True):
        if found.by_bound and found.verdict in (STUCK, MAY):
            with without("counting-shares", "room-for-all-changes"):
                searched = judge(transitions, nodes)[0]
            compared += not searched.by_bound
            assert searched.verdict in (found.verdict, OPEN)
    assert compared
    pinned(drawn=len(cases), compared=compared)


def change(name, before, after, gpus=1, *, rolls=True, surge=1, unavailable=0, **spec):
    """A Deployment of so many pods before and after, its template changed, too, where it `rolls`."""
    old, new = (deployment(name, count, gpus, surge, unavailable, **spec) for count in (before, after))
    return Transition(new, old, rolls=rolls, known=True)


def nodes(count, gpus=1):
    return cluster(*[node(f"n{number:02}", gpus) for number in range(count)])


def test_many_rollouts_of_unequal_replicas_all_end_by_counting():
    changes = [change(f"o{number}", 3 + number % 2, 4 - number % 2, unavailable=1) for number in range(8)]
    (together,) = judge_together(changes, nodes(28))
    assert (together.verdict, together.by_bound, together.states) == (DONE, True, 0)


def new(one):
    return Transition(one, one, existing=False)
