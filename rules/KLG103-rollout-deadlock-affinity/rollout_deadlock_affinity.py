"""Rollouts that wait for a place held by their own old pods, under anti-affinity or topology spread."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.builders.deadlocks import deadlocks
from kubelint_gpu.engine.api import ApplySet, Diagnostic, rule


@rule("KLG103", of_workloads=True)
def rollout_deadlock_affinity(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield rollouts whose new pod waits for a place that old pods hold under anti-affinity or topology spread."""
    return deadlocks(unit, "KLG103")
