"""Rollouts that wait for a volume held by their own old pods."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.builders.deadlocks import deadlocks
from kubelint_gpu.engine.api import ApplySet, Diagnostic, rule


@rule("KLG104", of_workloads=True)
def rollout_deadlock_volume(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield rollouts whose new pod waits for a volume of old pods."""
    return deadlocks(unit, "KLG104")
