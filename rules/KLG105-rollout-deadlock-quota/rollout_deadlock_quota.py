"""Rollouts that wait for a quota that their own old pods use up."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.builders.deadlocks import deadlocks, strategy_fixes
from kubelint_gpu.builders.ended_jobs import kept_pods, stopped_by_ended
from kubelint_gpu.builders.object_quota import full_histories, refused_objects
from kubelint_gpu.builders.replica_set_quota import refused_replica_sets
from kubelint_gpu.builders.stuck_rollout import (
    standstill,
)
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.messages.wording import listed, workload_name
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_set import ApplySet


@rule("KLG105")
def rollout_deadlock_quota(unit: ApplySet) -> Iterator[Diagnostic]:
    """The same over a quota: the new pod is not even created."""
    yield from deadlocks(unit, "KLG105")
    yield from refused_objects(unit)
    yield from refused_replica_sets(unit)
    yield from full_histories(unit)
    for subject, end, jobs in stopped_by_ended(unit):
        draft = standstill(unit, subject, end, "KLG105", proposals=strategy_fixes(unit, subject, "KLG105"))
        have = "has" if len(jobs) == 1 else "have"
        told = f"once {listed([workload_name(one.workload) for one in jobs])} {have} ended, {draft.message}"
        yield replace(draft, message=told, cause="ended jobs", related=(*draft.related, *kept_pods(jobs)))
