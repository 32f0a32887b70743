"""The checker holds evidence of verdicts of every decider to be right, and evidence of their contraries to be wrong."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from reference_program import program_input

from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict
from verdict_evidence.checker import NotShown, check
from verdict_evidence.kinds import Infeasible, KeptPods

sys.path.insert(0, str(Path(__file__).parents[3]))
from evidence_cases import CASES, judged, seen_of

from benchmarks.rollouts import fleet


def said(claim):
    return "short" if claim.short else claim.verdict.value if claim.verdict is not None else "placed"


@pytest.mark.parametrize("kind", CASES)
def test_verdicts_of_deciders_are_shown(kind, pinned):
    """How many are shown, and how many are not, by what is claimed: whatever is found wrong raises."""
    found = [one for case in CASES[kind] for one in judged(case)]
    assert {name for name, *_ in found} > {"room-at-rest", "shortage-alone", "search"}
    shown_by = Counter(type(evidence).__name__ for _, _, evidence in found if evidence is not None)
    open_still = Counter(said(claim) for _, claim, evidence in found if evidence is None)
    pinned(shown=dict(sorted(shown_by.items())), not_shown=dict(sorted(open_still.items())))


@pytest.mark.parametrize("packed", [False, True])
def test_verdicts_of_a_fleet_that_brute_force_does_not_reach_are_shown(packed):
    transitions, cluster = fleet(40, 200, packed=packed)
    found = seen_of(lambda: judge(transitions, cluster))
    # of those that nothing tells apart one is asked about
    assert len(found) >= len({(one.new.replicas, one.new.spec, one.new.strategy) for one in transitions})
    assert [name for name, _, evidence in found if evidence is None] == []
    assert {type(evidence) for _, claim, evidence in found if claim.verdict is Verdict.STUCK} == {KeptPods}
    assert Infeasible in {type(evidence) for *_, evidence in found}


def test_verdicts_of_rollouts_that_begin_together_are_shown(pinned):
    found = []
    for case in CASES["random"]:
        transitions, cluster = program_input(case)
        found += seen_of(lambda given=(transitions, cluster): judge_together(*given, budget=60_000))
    shown_by = Counter(type(evidence).__name__ for *_, evidence in found)
    pinned(**dict(sorted(shown_by.items())))


def test_a_count_that_is_too_low_shows_nothing():
    transitions, cluster = fleet(40, 200)
    evidence, claim = next(
        (evidence, claim)
        for _, claim, evidence in seen_of(lambda: judge(transitions, cluster))
        if isinstance(evidence, Infeasible) and any(any(one.values()) for one in evidence.refusing.values())
    )
    fewer = {
        place: {name: max(0, count - 1) for name, count in one.items()} for place, one in evidence.refusing.items()
    }
    with pytest.raises(NotShown, match="more nodes can lack"):
        check(claim, Infeasible(fewer))
