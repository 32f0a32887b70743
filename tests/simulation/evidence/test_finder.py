"""No evidence is found for the contrary of a verdict."""

from __future__ import annotations

import pytest
from reference_program import growth_of, program_input
from rollout_changes import change_case
from rollout_reference import featured_case, random_case

from kubelint_gpu.simulation.evidence.checker import NotShown, check
from kubelint_gpu.simulation.evidence.finder import shown
from kubelint_gpu.simulation.evidence.watch import checked
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.explorer import Verdict

CASES = {
    "random": [random_case(seed) for seed in range(41_000, 41_060)],
    "featured": [featured_case(seed)[1] for seed in range(53_000, 53_090)],
    "changed at once": [change_case(seed) for seed in range(31_000, 31_040)],
}
CONTRARY = {
    Verdict.COMPLETES: (Verdict.STUCK, Verdict.MAY_STICK),
    Verdict.STUCK: (Verdict.COMPLETES, Verdict.MAY_STICK),
    Verdict.MAY_STICK: (Verdict.COMPLETES, Verdict.STUCK),
}


def seen_of(ask):
    """What the deciders claim while something is asked, with the evidence for it."""
    found = []
    with checked(lambda name, claim, evidence: found.append((name, claim, evidence))):
        ask()
    return found


def judged(case):
    transitions, cluster = program_input(case)
    return seen_of(lambda: judge(transitions, cluster, budget=60_000, growth=growth_of(case), only=case.judged))


@pytest.mark.parametrize("kind", CASES)
def test_the_contrary_of_a_verdict_is_never_shown(kind):
    contradicted = 0
    for case in CASES[kind][::3]:
        for _, claim, evidence in judged(case):
            if evidence is None or claim.short:
                continue
            for verdict in CONTRARY.get(claim.verdict, ()):
                false = claim._replace(verdict=verdict)
                with pytest.raises(NotShown):
                    check(false, evidence)
                try:
                    assert shown(false, claim.situation.participants[claim.positions[0]].new.key) is None
                except NotShown:
                    contradicted += 1
    assert contradicted
