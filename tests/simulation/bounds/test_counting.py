"""Rollouts among places that are all alike: counting them says what the search says."""

from __future__ import annotations

from left_out import without
from rollout_changes import change_case
from rollout_reference import program_input

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict

SEEDS = range(30_000, 30_120)
MAY, STUCK, OPEN = Verdict.MAY_STICK, Verdict.STUCK, Verdict.UNDECIDED


def test_counting_alike_places_agrees_with_the_search(pinned):
    cases = [program_input(change_case(seed)) for seed in SEEDS if change_case(seed).works[0].new.port == 0]
    counted = [judge(transitions, nodes)[0] for transitions, nodes in cases]
    compared = 0
    for (transitions, nodes), found in zip(cases, counted, strict=True):
        if found.by_bound and found.verdict in (STUCK, MAY):
            with without("counting-shares"):
                searched = judge(transitions, nodes)[0]
            compared += not searched.by_bound
            assert searched.verdict in (found.verdict, OPEN)
    assert compared
    pinned(drawn=len(cases), compared=compared)
