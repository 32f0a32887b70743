"""Rollouts that wait for a GPU, CPU or memory held by their own old pods."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.builders.deadlocks import deadlocks
from kubelint_gpu.engine.api import ApplySet, Diagnostic, rule


@rule("KLG101")
def rollout_deadlock(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield rollouts whose new pod waits for resources of old pods, which stay until it is available."""
    yield from deadlocks(unit, "KLG101")
