"""What is equal is judged once for a unit."""

from __future__ import annotations

import pytest
from rollout_objects import cluster, deployment, node

from kubelint_gpu.simulation.asked_again import asked_once, settle
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.work import UsedUp, charge, limited, of_group, part


class Calls:
    """Those of one test: another test asks something else."""

    def __init__(self, calls):
        self.calls = calls

    def __eq__(self, other):
        return self.calls is other.calls

    def __hash__(self):
        return id(self.calls)


def asked(calls, *, gpus=1, more=0, left=None, charged=7):
    """What is answered about a deployment, with so many steps left; `calls` gets what is computed."""

    def compute():
        calls.append(gpus)
        charge(charged)
        return (f"answer {len(calls)}",)

    with part(1, 1) if left is None else of_group(left, 1000):
        return asked_once("a sign", (cluster(node("n", gpus)), Calls(calls), more), compute)


def test_equal_questions_of_one_unit_have_one_answer():
    calls = []
    with limited(1000) as allowance:
        first = asked(calls)
        assert allowance.left == 993
        assert asked(calls) == first
        assert allowance.left == 993
    assert calls == [1]
    with limited(1000):
        asked(calls)
    assert calls == [1, 1]


@pytest.mark.parametrize("more", [{"gpus": 2}, {"more": 1}])
def test_what_decides_an_answer_is_a_part_of_the_question(more):
    calls = []
    with limited(1000):
        asked(calls)
        asked(calls, **more)
    assert len(calls) == 2


def test_what_was_cut_off_is_asked_again_only_with_twice_the_steps():
    calls = []
    with limited(100_000, group=1000):
        for left, asked_so_far in ((10, 1), (19, 1), (20, 2)):
            with pytest.raises(UsedUp):
                asked(calls, left=left, charged=500)
            assert len(calls) == asked_so_far
        asked(calls, left=600, charged=500)
        asked(calls, left=5, charged=500)
    assert len(calls) == 3


def test_an_answer_that_is_not_decided_is_looked_for_again_with_twice_the_steps():
    calls = []

    def answer(steps):
        with of_group(steps, 1000):
            return asked_once("a sign", ("equal",), lambda: calls.append(1) or len(calls), lambda told: told > 1)

    with limited(100_000, group=1000):
        assert [answer(steps) for steps in (10, 19, 20, 21, 900)] == [1, 1, 2, 2, 2]


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
        told.append((found.verdict, found.runs.states, found.runs.trace, allowance.left, allowance.cut))
    assert told[0] == told[1]


def test_a_settled_question_stays_open_with_more_steps():
    calls = []
    with limited(100_000, group=1000):
        with pytest.raises(UsedUp):
            asked(calls, left=10, charged=500)
        settle()
        with pytest.raises(UsedUp):
            asked(calls, left=900, charged=500)
        assert len(calls) == 1
        asked(calls, more=1, left=900, charged=500)
        assert len(calls) == 2
