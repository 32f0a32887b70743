"""Each decider by itself against brute force: it does not know, or it says the same; and their order changes nothing."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import nullcontext

import pytest
from reference_cases import FEATURES, batched_case
from reference_program import growth_of, program_input
from rollout_reference import Reference, TooLarge, featured_case, random_case

from kubelint_gpu.simulation.asked import arranged
from kubelint_gpu.simulation.bounds.question import Decider
from kubelint_gpu.simulation.questions import deciders
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp

CASES = [random_case(seed) for seed in range(40_000, 40_150)]
CASES += [featured_case(seed)[1] for seed in range(50_000, 50_150)]
AT_ONCE = sorted(FEATURES).index("several at once, one judged")
CASES += [featured_case(AT_ONCE + number * len(FEATURES))[1] for number in range(900, 980)]
PARTS = 4
SAMPLED = "some-runs"
NAMES = [one.name for one in (*deciders.AT_ONCE, *deciders.ALONE[:-1])]


def judged(case):
    transitions, cluster = program_input(case)
    found = judge(transitions, cluster, budget=60_000, growth=growth_of(case), only=case.judged)
    return found[case.judged[0]]


def outcome(found):
    """Whether it ends; of a workload that never has all its pods, how many it has."""
    return found.room.placed if found.room.placed < found.room.wanted else found.verdict


def brute_force(case):
    reference = Reference(case, 1_500)
    try:
        return reference.verdict()[0], reference.also()
    except TooLarge:
        return None


def by_itself(chosen):
    """Within, one decider is asked; nobody searches where it does not know."""
    silent = Decider("search", lambda question: replace(question.blank, verdict=Verdict.UNDECIDED))

    def arrange(ones):
        named = {name: one for one in ones if (name := getattr(one, "name", "")) in (chosen, "search")}
        return [silent if one.name == "search" else one for one in named.values()]

    return arranged(arrange)


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=pytest.mark.thorough) if part != PARTS - 2 else part for part in range(PARTS)]
)
def test_a_decider_does_not_know_or_says_what_brute_force_says(part, pinned):
    told = [(case, brute_force(case)) for case in CASES[part::PARTS] if len(case.judged) == 1]
    wrong, answered = [], Counter()
    for name in NAMES:
        with by_itself(name):
            found = [(case, judged(case), *answer) for case, answer in told if answer is not None]
        for case, one, wanted, also in found:
            if one.by == name:
                answered[name] += 1
                said = one.verdict.value if one.verdict is not None else None
                if said != wanted and not (wanted is None and said == also):
                    wrong.append((name, case, wanted, said))
    with by_itself(SAMPLED):
        sampled = [(case, judged(case), answer[0]) for case, answer in told if answer is not None]
    for case, one, wanted in sampled:
        if one.by == SAMPLED:
            answered[SAMPLED] += 1
            if (one.verdict is Verdict.COMPLETES) != (wanted == "completes"):
                wrong.append((SAMPLED, case, wanted, one.verdict))
    assert wrong == []
    pinned(**{name: answered[name] for name in (*NAMES, SAMPLED)})


@pytest.mark.thorough
def test_templates_that_are_replaced_together_are_judged_as_brute_force_judges_them(pinned):
    counted, wrong = Counter(), []
    for case in filter(None, map(batched_case, range(60_000, 60_400))):
        try:
            truth = Reference(case, 3_000).judged()[0]
        except TooLarge:
            continue
        transitions, cluster = program_input(case)
        for name in ("", *NAMES):
            with by_itself(name) if name else nullcontext():
                found = judge(transitions, cluster, budget=60_000)[case.judged[0]]
            counted[name or f"{len(case.judged)} {truth}"] += not name or found.by == name
            said = found.verdict.value if found.verdict is not None else None
            # by itself a decider may not know of the other template
            if truth is not None and said not in {truth, "undecided"}:
                wrong.append((name or found.by, case, truth, said))
    assert wrong == []
    pinned(**counted)


def in_another_order(order):
    """Within, the deciders are asked in another order, the search last."""

    def arrange(ones):
        if not hasattr(ones[0], "decide"):
            return ones
        *first, last = ones if ones[-1].name == "search" else (*ones, None)
        first.reverse() if order == "reversed" else random.Random(5).shuffle(first)
        return [*first, last] if last is not None else first

    return arranged(arrange)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_any_order_of_the_deciders_gives_the_same_verdicts(part):
    deciders = set()
    for number, order in enumerate(("reversed", "shuffled")):
        cases = CASES[part::PARTS][number::4]
        known = [judged(case) for case in cases]
        with in_another_order(order):
            again = [judged(case) for case in cases]
        assert [outcome(one) for one in again] == [outcome(one) for one in known]
        deciders |= {one.by for one in known}
    assert len(deciders) > len(NAMES) // 2


def used_up(_question):
    raise UsedUp


def test_a_search_that_uses_everything_up_keeps_nobody_from_what_some_runs_tell():
    left_out = ("stuck-by-itself", "stuck-beside-what-stays")

    def without_search(*names):
        endless = Decider("search", used_up)
        return arranged(
            lambda ones: [
                endless if getattr(one, "name", one) == "search" else one
                for one in ones
                if getattr(one, "name", one) not in names
            ]
        )

    told = Counter()
    for case in CASES[-30:-20]:
        with without_search():
            found = judged(case)
        with without_search(*left_out):
            assert outcome(found) == outcome(judged(case))
        told[found.by] += 1
    assert told[SAMPLED]
