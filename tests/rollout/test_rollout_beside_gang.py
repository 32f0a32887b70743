"""Rollouts beside Jobs whose pods wait for each other: a part of them holds what it holds for ever."""

from __future__ import annotations

import random

import pytest
from rollout_objects import cluster, deployment, job, node
from rollout_reference import Case, Node, Reference, Template, TooLarge, Work, program_verdict

from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition

KEEPS = {"surge": 1, "unavailable": 0}


def beside(gpus, *pods, whole=True, **strategy):
    one = deployment("x", **(strategy or KEEPS))
    jobs = [job(f"j{number}", count) for number, count in enumerate(pods)]
    transitions = [Transition(one, one), *(Transition(found, found, whole=whole) for found in jobs)]
    return judge(transitions, cluster(node("n", gpus)))[0]


@pytest.mark.parametrize(
    ("gpus", "pods", "verdict"),
    [
        (5, (4,), Verdict.COMPLETES),
        (4, (4,), Verdict.MAY_STICK),
        (5, (3, 3), Verdict.MAY_STICK),
        (6, (3, 3), Verdict.COMPLETES),
    ],
)
def test_a_rollout_waits_for_ever_for_what_a_part_of_a_job_may_hold(gpus, pods, verdict):
    found = beside(gpus, *pods)
    assert found.verdict is verdict
    assert beside(gpus, *pods, whole=False).verdict is Verdict.COMPLETES
    if verdict is Verdict.MAY_STICK:
        owners = {owner for lack in found.runs.trace.waiting[0].lacks for owner in lack.owners}
        assert {f"Job/d/j{number}" for number in range(len(pods))} <= owners


def random_gang_case(seed):
    rng = random.Random(seed)
    gpus = rng.choice([1, 2, 3])
    nodes = tuple(Node(f"n{number}", "a", gpus, 8, 8) for number in range(rng.choice([1, 2, 2])))
    surge, unavailable = rng.choice([(1, 0), (1, 0), (0, 1), (1, 1)])
    one = Work("Deployment", "w0", rng.choice([1, 1, 2]), Template(), Template(), surge, unavailable)
    jobs = []
    for number in range(1, rng.choice([2, 3, 3])):
        template = Template(gpu=rng.choice([1, 1, 1, 2]))
        jobs.append(Work("Job", f"w{number}", rng.choice([2, 2, 3]), template, template, whole=rng.random() < 0.8))
    return Case(nodes, (one, *jobs))


@pytest.mark.thorough
def test_random_rollouts_beside_such_jobs_are_judged_as_brute_force_judges_them():
    wrong, seen = [], set()
    for seed in range(150):
        case = random_gang_case(seed)
        try:
            wanted, _ = Reference(case, most=3_000).judged()
        except TooLarge:
            continue
        found = program_verdict(case)[0]
        said = found.value if found is not None else None
        seen.add(said)
        # where a Job has its pods before or after the rollout is not known
        if said != wanted and (wanted, said) != ("stuck", "may-stick"):
            wrong.append((seed, wanted, said))
    assert not wrong
    assert {"completes", "may-stick"} <= seen


def test_a_rollout_that_is_stuck_without_any_job_stays_certain():
    found = beside(1, 4)
    assert found.verdict is Verdict.STUCK
    assert found.room.placed == 1
