"""Situations of one run: what they share."""

from __future__ import annotations

from rollout_objects import GPU, cluster, deployment, node

from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun
from kubelint_gpu.simulation.search.situation import Situations
from kubelint_gpu.simulation.transition import Transition


def situations(budget):
    found = [deployment("a"), deployment("b")]
    prepared = PreparedRun([Transition(one, one) for one in found], cluster(node("n", 2)), ())
    return Situations(prepared, budget, joins=True)


def test_the_same_workloads_beside_the_same_pods_share_what_was_worked_out():
    found = situations(1000)
    first, again, other = (found.of(members, (), {}) for members in ((0, 1), (0, 1), (0,)))
    assert first.memo is again.memo
    assert first.memo is not other.memo
    assert first.residual is other.residual
    assert first.residual["n"][GPU] == 2
