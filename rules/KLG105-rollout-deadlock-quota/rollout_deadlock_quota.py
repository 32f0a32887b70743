"""Rollouts that wait for a quota used up by their own old pods."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.ended_jobs import ended_jobs
from kubelint_gpu.analysis.scenarios import beside_pods, now
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.builders.claim_quota import claims_not_created
from kubelint_gpu.builders.deadlocks import deadlocks, rollout_ends, strategy_fixes
from kubelint_gpu.builders.object_quota import full_histories, refused_objects
from kubelint_gpu.builders.revision_quota import refused_revisions
from kubelint_gpu.builders.rollout_end import End, Occasion, end_of, standstill
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, rule
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace


@rule("KLG105", of_workloads=True)
def rollout_deadlock_quota(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield rollouts whose new pod is not created because old pods use up a quota."""
    yield from deadlocks(unit, "KLG105")
    yield from refused_objects(unit)
    yield from claims_not_created(unit)
    yield from refused_revisions(unit)
    yield from full_histories(unit)
    for subject, end in _stopped_by_ended(unit):
        found, change = ended_jobs(unit)[subject.workload.meta.namespace], transitions_in(unit)[subject.key]
        at_once = found.new and change.known and change.rolls
        fixes, after = strategy_fixes(unit, subject, "KLG105"), found.first(at_once=at_once)
        occasion = Occasion(after, at_once=at_once, perhaps=at_once)
        draft = standstill(unit, subject, end, "KLG105", proposals=fixes, occasion=occasion)
        yield replace(draft, cause="ended jobs", related=(*draft.related, *found.lines))


def _stopped_by_ended(unit: ApplySet) -> Iterator[tuple[WorkloadCheck, End]]:
    """Yield rollouts that end, except together with finished Jobs' pods, which may come first with a new Job."""
    rolled = {key: one for key, one in transitions_in(unit).items() if job_of(one.new) is None}
    for space, ended in ended_jobs(unit).items():
        mine = [one for one in unit.subjects if one.key in rolled and one.workload.meta.namespace == space]
        only = [one.key for one in mine if one.controller.has_replica_sets and rollout_ends(unit, one)]
        scenario = beside_pods(replace(now(unit), transitions=rolled), ended.pods)
        found = scenario.judgements(only) if only else {}
        for subject in mine:
            if subject.key in found and found[subject.key].verdict is Verdict.STUCK:
                end = end_of(found[subject.key])
                if end.waiting.refusal:
                    yield subject, end
