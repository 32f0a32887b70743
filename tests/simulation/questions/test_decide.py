"""Each decider by itself against brute force: it does not know, or it says the same; and their order changes nothing."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from reference_cases import FEATURES
from reference_program import growth_of, program_input
from rollout_reference import Reference, TooLarge, featured_case, random_case

from kubelint_gpu.simulation.questions import decide
from kubelint_gpu.simulation.questions.rollouts import judge

CASES = [random_case(seed) for seed in range(40_000, 40_150)]
CASES += [featured_case(seed)[1] for seed in range(50_000, 50_150)]
AT_ONCE = sorted(FEATURES).index("several at once, one judged")
CASES += [featured_case(AT_ONCE + number * len(FEATURES))[1] for number in range(900, 980)]
OF_CHANGES = "room-for-all-changes"  # the cases of test_change_set.py
NAMES = [one.name for one in (*decide.AT_ONCE, *decide.ALONE[:-1]) if one.name != OF_CHANGES]


def judged(case):
    transitions, cluster = program_input(case)
    found = judge(transitions, cluster, budget=60_000, growth=growth_of(case), only=case.judged)
    return found[case.judged[0]]


def outcome(found):
    """Whether it ends; of a workload that never has all its pods, how many it has."""
    return found.placed if found.placed < found.wanted else found.verdict


def brute_force(case):
    reference = Reference(case, 1_500)
    try:
        return reference.verdict()[0], reference.also()
    except TooLarge:
        return None


@pytest.fixture(scope="module")
def answers():
    """What brute force says of the cases in which one workload is judged and that are not too large."""
    told = [(case, brute_force(case)) for case in CASES if len(case.judged) == 1]
    return [(case, one) for case, one in told if one is not None]


@pytest.mark.parametrize("name", NAMES)
def test_a_decider_does_not_know_or_says_what_brute_force_says(name, answers, monkeypatch):
    monkeypatch.setattr(decide, "AT_ONCE", tuple(one for one in decide.AT_ONCE if one.name == name))
    alone = tuple(one for one in decide.ALONE if one.name == name)
    monkeypatch.setattr(decide, "ALONE", (*alone, decide.ALONE[-1]))
    wrong, answered = [], 0
    for case, (wanted, also) in answers:
        found = judged(case)
        if found.by != name:
            continue
        answered += 1
        said = found.verdict.value if found.verdict is not None else None
        if said != wanted and not (wanted is None and said == also):
            wrong.append((case, wanted, said))
    assert wrong == []
    assert answered > 0


@pytest.mark.parametrize("order", ["reversed", "shuffled"])
def test_any_order_of_the_deciders_gives_the_same_verdicts(order, monkeypatch):
    shuffled = random.Random(5)
    at_once, alone = list(decide.AT_ONCE), list(decide.ALONE[:-1])
    known = [judged(case) for case in CASES]
    for deciders in (at_once, alone):
        deciders.reverse() if order == "reversed" else shuffled.shuffle(deciders)
    monkeypatch.setattr(decide, "AT_ONCE", tuple(at_once))
    monkeypatch.setattr(decide, "ALONE", (*alone, decide.ALONE[-1]))
    again = [judged(case) for case in CASES]
    assert [outcome(one) for one in again] == [outcome(one) for one in known]
    assert len(Counter(one.by for one in known)) > len(NAMES) // 2
