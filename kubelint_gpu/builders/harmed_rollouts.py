"""The finding, at a change, that it stops the next rollouts of workloads that it leaves as they are."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.analysis.ended_jobs import EndedJobs, ended_jobs
from kubelint_gpu.analysis.harm import changing, harmed_rollouts
from kubelint_gpu.builders.rollout_end import End, end_of
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Related, WorkloadCheck, field_pointers
from kubelint_gpu.engine.remedies import no_surge_in
from kubelint_gpu.evidence.stakes import stakes, wait_of
from kubelint_gpu.groups import grouped
from kubelint_gpu.messages.kept_pods import keeping, numbers
from kubelint_gpu.messages.wait import every, story
from kubelint_gpu.messages.wording import some, workload_name
from kubelint_gpu.simulation.search.verdict import Verdict


def harmed(unit: ApplySet) -> Iterator[tuple[End, Diagnostic]]:
    """A finding for each change that stops others, with the end of the first of these; its code is open."""
    ends = [(one, end_of(harmed_rollouts(unit)[one.key])) for one in unit.subjects if one.key in harmed_rollouts(unit)]
    by_change = grouped((_change(unit, subject, end).object, (subject, end)) for subject, end in ends)
    manifests = {one.object: one for one in changing(unit)}
    for name, stopped in by_change.items():
        yield stopped[0][1], _told(unit, manifests[name], stopped)


def _change(unit: ApplySet, subject: WorkloadCheck, end: End) -> Manifest:
    """What stops a rollout: the quota that refuses its pod, else who holds what it waits for, else the first change."""
    refusal, meta = end.waiting.refusal, subject.workload.meta
    holders = {holder.owner for lack in every(end.waiting.lacks) for holder in lack.holders}
    objects = {f"ResourceQuota/{meta.namespace}/{refusal.quota}"} if refusal else set()
    objects |= {one.manifest.object for found in _ended(unit, subject, end) for one in found.jobs}
    return min(
        changing(unit),
        key=lambda one: one.object not in objects and (one.workload is None or one.workload.key not in holders),
    )


def _ended(unit: ApplySet, subject: WorkloadCheck, end: End) -> list[EndedJobs]:
    """The Jobs, one of them new, that leave behind what uses the quota up."""
    refusal, found = end.waiting.refusal, ended_jobs(unit).get(subject.workload.meta.namespace)
    return [found] if found is not None and found.new and refusal and refusal.quota == found.quota else []


def _told(unit: ApplySet, manifest: Manifest, stopped: list[tuple[WorkloadCheck, End]]) -> Diagnostic:
    (first, end), *_ = stopped
    names = some([workload_name(one.workload) for one, _ in stopped], "workload")
    may = all(one.judgement.verdict is Verdict.MAY_STICK for _, one in stopped)
    closed = not may and is_certain(unit, first, end.judgement)
    wait = wait_of(unit, first, end.waiting, named=True)
    why, keeps, _ = keeping(first.workload)
    ended = _ended(unit, first, end) if manifest.workload is not None else []
    after = f", {ended[0].first()}," if ended else ""
    rollouts = "the next rollout" if len(stopped) == 1 else "the next rollouts"
    ends = "may never end" if may else "never ends" if len(stopped) == 1 else "never end"
    return Diagnostic(
        "",
        manifest.place(("spec", "hard"), "key") if manifest.workload is None else manifest.place(("metadata", "name")),
        f"with this change{after} {rollouts} of {names} {ends}: {wait.clause}, and {why}",
        manifest,
        cause="next rollouts of others",
        severity="warning",
        certainty="certain" if closed else "possible",
        moment="later" if ended else "next",
        scheduler=end.waiting.scheduler or None,
        related=(
            *(
                Related(
                    one.manifest.place(field_pointers.strategy(one.manifest), "key"),
                    ": ".join(filter(None, (workload_name(one.workload), keeping(one.workload)[2]))),
                )
                for one, _ in stopped
            ),
            *stakes(unit, first, end.waiting),
            *(line for found in ended for line in found.lines),
        ),
        trace=story(end.trace, wait, keeps),
        run=end.trace,
        cycle=(*wait.sentences(), *numbers(first.workload)),
        proposals=no_surge_in([one for one, _ in stopped]),
    )
