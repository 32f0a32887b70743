"""To check evidence changes no answer and no work that is counted; a verdict that is wrong ends the run."""

from __future__ import annotations

import pytest
from command_line import ROOT
from reference_program import growth_of, program_input
from rollout_reference import random_case

from kubelint_gpu.cli.main import invoke
from kubelint_gpu.simulation.asked import answered
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace
from kubelint_gpu.work import limited
from verdict_evidence.checker import NotShown
from verdict_evidence.watch import checked


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
    answered(question, lie, "liar", frozenset())
    with checked(), pytest.raises(NotShown):
        answered(question, lie, "liar", frozenset())


@pytest.mark.parametrize("example", ["tracker", "two-deployments", "evicted-neighbour", "stateful-set-trap"])
def test_the_findings_of_an_example_are_the_same_when_their_evidence_is_checked(example, capsys):
    folder = ROOT / "examples" / example
    arguments = ["check", str(folder), "-i", str(folder / "inventory.yaml"), "--isolated", "--no-cache"]
    seen = []
    codes = [invoke(arguments)]
    plain = capsys.readouterr().out
    with checked(lambda *answer: seen.append(answer)):
        codes.append(invoke(arguments))
    assert (codes, capsys.readouterr().out) == ([1, 1], plain)
    assert seen
