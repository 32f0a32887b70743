"""Pods that cannot all run at once, independent of any rollout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubelint_gpu.analysis.affinity.exclusive_topology import FewDomains, few_domains
from kubelint_gpu.analysis.beyond.any_cluster import short_anywhere
from kubelint_gpu.analysis.certainty import outgrown
from kubelint_gpu.analysis.devices.told_claims import wait_for_claims
from kubelint_gpu.analysis.harm import BesideGone, waiting_for_gone
from kubelint_gpu.analysis.rollout_facts import after_deletion, judgements_in
from kubelint_gpu.analysis.room.known_room import room_in
from kubelint_gpu.builders.claim_quota import refused_claims
from kubelint_gpu.builders.jobs.starving_jobs import waiting_jobs
from kubelint_gpu.builders.pending_daemon_pods import daemon_pods_pending
from kubelint_gpu.builders.pending_replicas import overcommitted, pending_replicas, refused_daemon_pods
from kubelint_gpu.builders.rollout_end import End, end_of
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, field_pointers, rule
from kubelint_gpu.engine.put_off import keeping, when_made
from kubelint_gpu.evidence.node_lines import clues, scarce
from kubelint_gpu.evidence.stakes import stakes, wait_of
from kubelint_gpu.messages.wording import can_run, counted, listed, owner_name, some


@rule("KLG109")
def scale_up_pending(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield workloads whose replicas cannot all run at once, independent of any rollout."""
    yield from refused_claims(unit)
    yield from (_until_removed(unit, one) for one in waiting_for_gone(unit))
    for subject in unit.subjects:
        if subject.key in short_anywhere(unit):
            yield from pending_replicas(unit, subject, short_anywhere(unit)[subject.key])
        if subject.key in wait_for_claims(unit):
            # the rules about devices tell why
            continue
        yield from waiting_jobs(unit, subject)
        domains = few_domains(unit, subject)
        if domains is not None:
            yield _in_few_domains(unit, subject, domains)
            continue
        judgement = room_in(unit, subject)
        if judgement is None:
            continue
        if not judgement.room.is_short or outgrown(unit, subject, judgement):
            yield from overcommitted(unit, subject, judgement)
            continue
        if subject.controller.node_bound and judgement.room.refusal is not None:
            yield from refused_daemon_pods(unit, subject, judgement)
        elif subject.controller.node_bound:
            yield from daemon_pods_pending(unit, subject, judgement)
        elif judgement.verdict is None:
            told = list(pending_replicas(unit, subject, judgement))
            yield from told or overcommitted(unit, subject, judgement)
    yield from _replaced_by_hand(unit)


def _in_few_domains(unit: ApplySet, subject: WorkloadCheck, found: FewDomains) -> Diagnostic:
    fit = len(found.roomy)
    can = f"only {fit} of {counted(found.groups, 'group')} can run" if fit else "no group can run"
    has = f"{listed(found.roomy)} {'have' if fit > 1 else 'has'}" if fit else "none has"
    less = f", or run {counted(fit, 'group')}" if fit else ""
    return Diagnostic(
        "KLG109",
        subject.replicas_place,
        f"{can}: each needs a topology domain ({found.key}) of its own with room for {counted(found.size, 'pod')}, "
        f"which {has}",
        subject.manifest,
        cause="exclusive topology",
        certainty="certain" if unit.is_closed_to(subject) else "possible",
        related=clues(unit, subject, scarce(subject), ()),
        help=(f"add nodes with another value of {found.key}{less}",),
    )


def _replaced_by_hand(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield workloads that lack room only after running pods are deleted by hand, or the partition is lowered."""
    for subject in unit.subjects if unit.before else ():
        found, now = after_deletion(unit).get(subject.key), judgements_in(unit).get(subject.key)
        if found is None or now is None or outgrown(unit, subject, found):
            continue
        if now.room.is_short or not now.ends:
            continue
        told: Iterable[Diagnostic] = ()
        if not found.room.is_short:
            told = (_waiting(unit, subject, end_of(found)),) if found.waits and found.runs.trace is not None else ()
        elif subject.controller.node_bound:
            told = daemon_pods_pending(unit, subject, found)
        else:
            told = pending_replicas(unit, subject, found, later=True)
        yield from (when_made(subject, draft) for draft in told)


def _waiting(unit: ApplySet, subject: WorkloadCheck, end: End) -> Diagnostic:
    manifest, waiting = subject.manifest, end.waiting
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


def _until_removed(unit: ApplySet, one: BesideGone) -> Diagnostic:
    subject, found, waiting, manifest = one.subject, one.judgement, one.waiting, one.subject.manifest
    rolls = found.waits
    clause = wait_of(unit, subject, waiting, standing=not rolls).clause
    told = (
        "the rollout does not end"
        if rolls
        else can_run(found.room.placed, found.room.wanted, group=subject.pods_of_replica)
    )
    left = some([owner_name(name) for name in one.holders], "workload")
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
        else clues(unit, subject, scarce(subject), sorted(found.room.eligible), holders=True),
        help=("kubectl apply deletes nothing without --prune: delete it first, or let what applies these prune it",),
    )
