"""Rollouts of unequal replicas among nodes that are alike, by counting."""

from __future__ import annotations

from rollout_objects import cluster, deployment, node

from kubelint_gpu.simulation.questions.rollouts import judge_together
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition


def change(name, before, after, gpus=1, *, rolls=True, surge=1, unavailable=0, **spec):
    """A Deployment of so many pods before and after, its template changed, too, where it `rolls`."""
    old, new = (deployment(name, count, gpus, surge, unavailable, **spec) for count in (before, after))
    return Transition(new, old, rolls=rolls, known=True)


def nodes(count, gpus=1):
    return cluster(*[node(f"n{number:02}", gpus) for number in range(count)])


def test_many_rollouts_of_unequal_replicas_all_end_by_counting():
    changes = [change(f"o{number}", 3 + number % 2, 4 - number % 2, unavailable=1) for number in range(8)]
    (together,) = judge_together(changes, nodes(28))
    assert (together.verdict, together.by_bound, together.states) == (Verdict.COMPLETES, True, 0)
