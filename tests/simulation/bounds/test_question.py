"""What a question keeps of what deciders say of it."""

from __future__ import annotations

import pytest
from rollout_objects import deployment, judged, node

from kubelint_gpu.simulation.asked import arranged
from kubelint_gpu.simulation.bounds.question import Decider
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace


def question():
    """A question as deciders are asked it."""
    seen = []

    def spied(deciders):
        return [
            Decider(one.name, lambda asked, one=one: (seen.append(asked), one.decide(asked))[1]) for one in deciders
        ]

    with arranged(lambda ones: spied(ones) if isinstance(ones[0], Decider) else ones):
        judged(deployment("w", 1, 1), node("n", 1))
    return seen[0]


@pytest.mark.parametrize(
    ("verdicts", "times"),
    [
        ([Verdict.STUCK, Verdict.COMPLETES], 1),
        ([Verdict.UNDECIDED, Verdict.STUCK], 2),
        ([None, Verdict.STUCK], 2),
    ],
)
def test_a_verdict_is_worked_out_once_and_what_was_open_is_asked_again(verdicts, times):
    asked, said = question(), iter(verdicts)
    calls = []

    def decide(one):
        calls.append(one)
        verdict = next(said)
        return None if verdict is None else replace(one.blank, verdict=verdict)

    decider = Decider("some", decide)
    answers = [asked.answer(decider), asked.answer(decider)]
    assert len(calls) == times
    assert answers[1].verdict is Verdict.STUCK
