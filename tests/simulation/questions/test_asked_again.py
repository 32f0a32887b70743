"""What is equal is judged once, and costs the same steps each time."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node

from kubelint_gpu.simulation.questions.asked_again import asked_once
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.work import UsedUp, charge, limited, part


class Calls:
    """Those of one test: another test asks something else."""

    def __init__(self, calls):
        self.calls = calls

    def __eq__(self, other):
        return self.calls is other.calls

    def __hash__(self):
        return id(self.calls)


def asked(calls, *, steps=1000, gpus=1, more=0, cut=False):
    """What is answered about a deployment, and what is left; `calls` gets what is computed."""

    def compute():
        calls.append(gpus)
        charge(7)
        if cut:
            with pytest.raises(UsedUp), part(1, 2):
                charge(10**9)
        return (f"answer {len(calls)}",)

    with limited(steps) as allowance:
        found = asked_once("a sign", (cluster(node("n", gpus)), Calls(calls), more), compute)
    return found, allowance.left, allowance.cut


@pytest.mark.parametrize("cut", [False, True])
def test_equal_questions_have_one_answer_and_the_same_price(cut):
    calls = []
    first = asked(calls, cut=cut)
    assert first[1] < 1000
    assert bool(first[2]) is cut
    assert asked(calls, cut=cut) == first
    assert calls == [1]


@pytest.mark.parametrize("more", [{"steps": 999}, {"gpus": 2}, {"more": 1}])
def test_what_decides_an_answer_is_a_part_of_the_question(more):
    calls = []
    asked(calls)
    asked(calls, **more)
    assert len(calls) == 2


def test_without_an_allowance_nothing_is_remembered():
    calls = []
    for _ in range(2):
        asked_once("a sign", (cluster(node("n")),), lambda: calls.append(1) or ())
    assert len(calls) == 2


@pytest.mark.parametrize("steps", [5, 50, 100_000])
def test_a_judgement_is_the_one_that_was_worked_out(steps):
    told = []
    for _ in range(2):
        one = deployment()
        with limited(steps) as allowance:
            (found,) = judge([Transition(one, one)], cluster(node("n"), node("other", 0)))
        assert found.workload is one
        told.append((found.verdict, found.states, found.trace, allowance.left, allowance.cut))
    assert told[0] == told[1]
