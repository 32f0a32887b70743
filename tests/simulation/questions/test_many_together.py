"""Many workloads that have room together: none is compared with each of the others."""

from __future__ import annotations

import sys

import pytest
from core_objects import cores, of_cores
from rollout_objects import cluster

from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


def transitions(count, *priorities):
    found = [cores("Deployment", f"w{number}", "1") for number in range(count)]
    return [
        Transition(one, one)
        for number, own in enumerate(found)
        for one in [replace(own, spec=replace(own.spec, priority=priorities[number % len(priorities)]))]
    ]


def calls(question, *asked):
    """How many calls of functions a question takes."""
    count = 0

    def one(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(one)
    try:
        found = question(*asked)
    finally:
        sys.setprofile(before)
    assert {one.verdict for one in found} == {Verdict.COMPLETES}
    return count


@pytest.mark.parametrize("question", [judge, judge_together])
def test_twice_as_many_take_twice_the_work(question):
    found = []
    for count in (40, 40, 80, 160):
        # all have room at rest, and not at every moment
        place = cluster(*of_cores(*[5] * (count // 2)))
        found.append(calls(question, transitions(count, 1), place))
    _, one, two, four = found
    assert (four - two) / (two - one) < 2.3


@pytest.mark.thorough
def test_whoever_may_be_evicted_is_in_nobodys_way():
    place = cluster(*of_cores(3, 3))
    (found,) = judge_together(transitions(4, 1, 5), place)
    assert found.verdict is Verdict.COMPLETES
    (found,) = judge_together(transitions(6, 1, 5), place)
    assert found.verdict is not Verdict.COMPLETES
