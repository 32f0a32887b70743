"""Rollouts that wait for a host port of their own old pods."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.builders.deadlocks import deadlocks
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.workspace.apply_set import ApplySet


@rule("KLG102")
def rollout_deadlock_port(unit: ApplySet) -> Iterator[Diagnostic]:
    """The same over a host port."""
    return deadlocks(unit, "KLG102")
