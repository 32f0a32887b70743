"""What deciders say of a rollout beside others that wait for ever."""

from __future__ import annotations

import pytest
from reference_program import growth_of, program_input
from rollout_objects import node, workload
from rollout_reference import featured_case, random_case

from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.simulation.questions.deciders import ENDS_ANYHOW
from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


@pytest.mark.thorough
def test_a_rollout_that_ends_whatever_others_do_ends_beside_one_that_waits():
    asked = 0
    for seed in range(60_000, 60_300):
        case = random_case(seed) if seed % 2 else featured_case(seed)[1]
        if growth_of(case):
            continue
        transitions, cluster = program_input(case)
        transitions = [replace(one, known=False) if one.existing else one for one in transitions]
        found = judge(transitions, cluster)
        waiting = [place for place, one in enumerate(found) if one.waits or one.room.placed < one.room.wanted]
        for place, one in enumerate(found):
            ends = one.verdict is Verdict.COMPLETES and one.by in ENDS_ANYHOW
            for other in waiting if ends and transitions[place].existing and transitions[place].rolls else ():
                pair = [
                    each if number in (place, other) else replace(each, rolls=False)
                    for number, each in enumerate(transitions)
                ]
                together = judge_together(pair, cluster, ends=one.workload.key)
                assert not any(told.waits and told.runs.trace is not None for told in together), seed
                asked += 1
    assert asked >= 12


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ({"type": "Recreate"}, Verdict.COMPLETES),
        ({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}, Verdict.STUCK),
    ],
)
def test_old_pods_that_find_no_place_are_replaced_like_others(update, expected):
    # one of three old pods has its two GPUs; three new ones that want one each have room when it is gone
    old, new = (workload("Deployment", "w", 3, gpus, update=update) for gpus in (2, 1))
    (found,) = judge([Transition(new, old)], read_cluster([node("n", 3)]))
    assert (found.verdict, found.room.placed) == (expected, 3)
