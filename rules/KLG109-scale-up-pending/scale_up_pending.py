"""Pods that cannot all run at once, whatever is rolled out."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.beyond.any_cluster import short_anywhere
from kubelint_gpu.analysis.certainty import outgrown
from kubelint_gpu.analysis.devices.told_claims import wait_for_claims
from kubelint_gpu.analysis.rollout_facts import after_deletion, judged_beside_removed, judgements_in
from kubelint_gpu.analysis.transitions import is_changed
from kubelint_gpu.builders.claim_quota import refused_claims
from kubelint_gpu.builders.jobs.starving_jobs import waiting_jobs
from kubelint_gpu.builders.pending_daemon_pods import daemon_pods_pending
from kubelint_gpu.builders.pending_replicas import overcommitted, pending_replicas, refused_daemon_pods
from kubelint_gpu.builders.rollout_end import end_of
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, field_pointers, rule
from kubelint_gpu.engine.put_off import keeping, when_made
from kubelint_gpu.evidence.node_lines import clues, scarce
from kubelint_gpu.evidence.stakes import stakes, wait_of
from kubelint_gpu.messages.wording import counted, owner_name, some
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement


@rule("KLG109")
def scale_up_pending(unit: ApplySet) -> Iterator[Diagnostic]:
    """Not all replicas can run at once, whatever is rolled out."""
    yield from refused_claims(unit)
    yield from _waiting_for_gone(unit)
    for subject in unit.subjects:
        if subject.key in short_anywhere(unit):
            yield from pending_replicas(unit, subject, short_anywhere(unit)[subject.key])
        if subject.key in wait_for_claims(unit):
            # the rules about devices tell why
            continue
        yield from waiting_jobs(unit, subject)
        judgement = judgements_in(unit).get(subject.key)
        if judgement is None:
            continue
        if judgement.placed >= judgement.wanted or outgrown(unit, subject, judgement):
            yield from overcommitted(unit, subject, judgement)
            continue
        if subject.controller.node_bound and judgement.refusal is not None:
            yield from refused_daemon_pods(unit, subject, judgement)
        elif subject.controller.node_bound:
            yield from daemon_pods_pending(unit, subject, judgement)
        elif judgement.verdict is None:
            told = list(pending_replicas(unit, subject, judgement))
            yield from told or overcommitted(unit, subject, judgement)
    yield from _replaced_by_hand(unit)


def _replaced_by_hand(unit: ApplySet) -> Iterator[Diagnostic]:
    """What lacks room only when pods that run have been deleted by hand, or their partition is lowered."""
    for subject in unit.subjects if unit.before else ():
        found, now = after_deletion(unit).get(subject.key), judgements_in(unit).get(subject.key)
        if found is None or now is None or outgrown(unit, subject, found):
            continue
        if now.placed >= now.wanted and now.ends:
            yield from (when_made(subject, draft) for draft in _told_by_hand(unit, subject, found))


def _told_by_hand(unit: ApplySet, subject: WorkloadCheck, found: Judgement) -> Iterator[Diagnostic]:
    if found.placed < found.wanted:
        yield from _pending(unit, subject, found)
    elif found.waits and found.trace is not None:
        yield _waiting(unit, subject, end_of(found).waiting)


def _waiting(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> Diagnostic:
    manifest = subject.manifest
    return Diagnostic(
        "KLG109",
        manifest.place(keeping(subject)),
        f"a new pod may wait for ever: {wait_of(unit, subject, waiting).clause}",
        manifest,
        cause="new pods",
        certainty="certain" if unit.is_closed_to(subject) else "possible",
        scheduler=waiting.scheduler or None,
        related=stakes(unit, subject, waiting),
    )


def _pending(unit: ApplySet, subject: WorkloadCheck, found: Judgement) -> Iterator[Diagnostic]:
    if subject.controller.node_bound:
        yield from daemon_pods_pending(unit, subject, found)
    else:
        yield from pending_replicas(unit, subject, found, later=True)


def _waiting_for_gone(unit: ApplySet) -> Iterator[Diagnostic]:
    """The workloads that run, or are rolled out, only when something is deleted that was among the objects before."""
    for subject in unit.subjects if unit.gone else ():
        now, later = judgements_in(unit).get(subject.key), judged_beside_removed(unit).get(subject.key)
        if now is None or later is None or subject.controller.runs_to_completion:
            continue
        if not is_changed(unit, subject) or not subject.admitted or not _is_worse(later, now):
            continue
        waiting = later.waiting
        if later.waits and later.trace is not None:
            waiting = next((one for one in later.trace.waiting if one.owner == subject.workload.key), None)
        elif later.refusal is not None:
            waiting = Waiting(subject.key, subject.controller.rolls, later.wanted - later.placed, refusal=later.refusal)
        names = _holders(unit, subject, waiting)
        if waiting is not None and names:
            yield _until_removed(unit, subject, later, waiting, names)


def _is_worse(beside: Judgement, now: Judgement) -> bool:
    """Whether what is gone keeps replicas from running that find room without it, or a rollout from its end.

    A rollout that never ends anyway does not begin before all replicas run.
    """
    if now.placed < now.wanted or beside.placed < beside.wanted:
        return now.placed >= now.wanted
    return now.ends and not beside.ends


def _holders(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting | None) -> list[str]:
    gone = {one.workload.key: one.workload for one in unit.gone if one.workload is not None}
    if waiting is not None and waiting.refusal is not None:
        refusing = subject.workload.meta.namespace, waiting.refusal.quota
        quotas = [one for one in unit.cluster.quotas if (one.meta.namespace, one.meta.name) == refusing]
        return [key for key, one in sorted(gone.items()) if any(quota.covers(one.pod("old")) for quota in quotas)]
    found = {owner for lack in (waiting.lacks if waiting is not None else ()) for owner in lack.owners}
    return sorted(found & gone.keys())


def _until_removed(
    unit: ApplySet, subject: WorkloadCheck, found: Judgement, waiting: Waiting, names: list[str]
) -> Diagnostic:
    manifest = subject.manifest
    rolls = found.waits
    clause = wait_of(unit, subject, waiting, standing=not rolls).clause
    replicas = f"{found.placed} of {counted(found.wanted, 'replica')}"
    told = "the rollout does not end" if rolls else f"only {replicas} can run"
    left = some([owner_name(name) for name in names], "workload")
    return Diagnostic(
        "KLG109",
        manifest.place(field_pointers.strategy(manifest), "key") if rolls else subject.replicas_place,
        f"until {left} is deleted, which the manifests no longer have, {told}: {clause}",
        manifest,
        cause="beside what is gone",
        certainty="possible",
        severity="warning",
        scheduler=waiting.scheduler or None,
        related=stakes(unit, subject, waiting)
        if waiting.refusal is not None
        else clues(unit, subject, scarce(subject), sorted(found.eligible)),
        help=("kubectl apply deletes nothing without --prune: delete it first, or let what applies these prune it",),
    )
