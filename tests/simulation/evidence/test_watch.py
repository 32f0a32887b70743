"""The debug flag changes no answer and no work that is counted; a verdict that is wrong ends the run."""

from __future__ import annotations

import pytest
from reference_program import growth_of, program_input
from rollout_reference import random_case

from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.evidence.checker import NotShown
from kubelint_gpu.simulation.evidence.watch import checked, tell
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace
from kubelint_gpu.work import limited


@pytest.mark.parametrize("seed", range(41_300, 41_312))
def test_answers_and_the_work_for_them_are_the_same_when_evidence_is_checked(seed):
    case = random_case(seed)
    transitions, cluster = program_input(case)

    def asked():
        with limited(10**9) as allowance:
            found = judge(transitions, cluster, budget=60_000, growth=growth_of(case), only=case.judged)
        return found, allowance.left

    plain = asked()
    with checked():
        assert asked() == plain


def test_a_decider_that_is_wrong_is_noticed():
    """Of a rollout that gets stuck it says that it ends."""
    claims = []
    for seed in range(41_000, 41_060):
        transitions, cluster = program_input(random_case(seed))
        with checked(lambda _, claim, __: claims.append(claim)):
            judge(transitions, cluster, budget=60_000)
    stuck = next(one for one in claims if one.verdict is Verdict.STUCK and not one.moving)
    question = Question(stuck.situation, stuck.positions[0])
    lie = replace(question.blank, verdict=Verdict.COMPLETES)
    tell(question, lie, "liar", frozenset())
    with checked(), pytest.raises(NotShown):
        tell(question, lie, "liar", frozenset())
