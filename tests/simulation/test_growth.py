"""Pools that an autoscaler enlarges while something is rolled."""

from __future__ import annotations

from rollout_objects import (
    deployment,
    judged,
    node,
)

from kubelint_gpu.scheduler import read_node
from kubelint_gpu.simulation.growth import Growth
from kubelint_gpu.simulation.search.verdict import Verdict

STUCK, MAY, DONE = Verdict.STUCK, Verdict.MAY_STICK, Verdict.COMPLETES


def test_a_pool_that_grows_saves_the_rollout_and_the_judgement_says_so():
    template = read_node(node("pool", 1))
    found = judged(deployment(), node("n"), growth=(Growth("pool", template, 1, 1),))
    assert (found.verdict, found.runs.grows) == (DONE, True)
    full = judged(deployment(), node("n"), growth=(Growth("pool", template, 2, 0),))
    assert (full.verdict, full.runs.grows) == (STUCK, False)
    enough = judged(deployment(), node("n", 2), growth=(Growth("pool", template, 1, 1),))
    assert (enough.verdict, enough.runs.grows) == (DONE, False)


def test_replicas_that_only_a_growing_pool_can_hold():
    template = read_node(node("pool", 1))
    found = judged(deployment(replicas=2), node("n"), growth=(Growth("pool", template, 1, 2),))
    assert (found.verdict, found.runs.grows, found.room.placed) == (DONE, True, 2)
    short = judged(deployment(replicas=2), node("n"), growth=(Growth("pool", template, 1, 1),))
    assert (short.verdict, short.runs.grows) == (STUCK, True)
