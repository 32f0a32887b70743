"""Workloads whose pods a new template does not reach before somebody does something: OnDelete, and a partition."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.certainty import outgrown
from kubelint_gpu.analysis.rollout_facts import after_deletion, judgements_in
from kubelint_gpu.builders.pending_daemon_pods import daemon_pods_pending
from kubelint_gpu.builders.pending_replicas import pending_replicas
from kubelint_gpu.builders.stuck_rollout import end_of
from kubelint_gpu.documents import Pointer
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.evidence.exclusive_lines import exclusive_claims, stakes
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.messages.wait import Wait
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.field_pointers import UPDATE_STRATEGY
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_KEEPS = "OnDelete: a pod keeps its template until somebody deletes it, and comes back with the new one"


def replaced_by_hand(unit: ApplySet) -> Iterator[Diagnostic]:
    """What lacks room only when pods that run have been deleted by hand, or their partition is lowered."""
    for subject in unit.subjects if unit.before else ():
        found, now = after_deletion(unit).get(subject.key), judgements_in(unit).get(subject.key)
        if found is None or now is None or outgrown(unit, subject, found):
            continue
        if now.placed >= now.wanted and now.verdict in (None, Verdict.COMPLETES):
            yield from (_later(subject, draft) for draft in _told(unit, subject, found))


def _kept_by(subject: WorkloadCheck) -> Pointer:
    """The field that keeps the template from pods that run."""
    return (
        (*UPDATE_STRATEGY, "type") if subject.controller.on_delete else (*UPDATE_STRATEGY, "rollingUpdate", "partition")
    )


def _why_kept(subject: WorkloadCheck) -> str:
    if subject.controller.on_delete:
        return _KEEPS
    below = subject.controller.first_ordinal + subject.controller.partition
    return f"partition: ordinals below {below} keep their template, and come back with it, until it is lowered"


def _told(unit: ApplySet, subject: WorkloadCheck, found: Judgement) -> Iterator[Diagnostic]:
    if found.placed < found.wanted:
        yield from _pending(unit, subject, found)
    elif found.verdict in (Verdict.STUCK, Verdict.MAY_STICK) and found.trace is not None:
        yield _waiting(unit, subject, end_of(found).waiting)


def _waiting(unit: ApplySet, subject: WorkloadCheck, waiting: Waiting) -> Diagnostic:
    manifest = subject.manifest
    claims = tuple(f"{name} ({mode})" for name, mode in exclusive_claims(unit, subject).items())
    return Diagnostic(
        "KLG109",
        manifest.place(_kept_by(subject)),
        f"a new pod may wait for ever: {Wait(subject.workload, waiting, claims).clause}",
        manifest,
        cause="new pods",
        certainty="certain" if unit.is_closed_to(subject) else "possible",
        scheduler=waiting.scheduler or None,
        related=stakes(unit, subject, waiting),
    )


def _pending(unit: ApplySet, subject: WorkloadCheck, found: Judgement) -> Iterator[Diagnostic]:
    if subject.controller.node_bound:
        yield from daemon_pods_pending(unit, subject, found)
    elif found.eligible:
        yield from pending_replicas(unit, subject, found, later=True)


def _later(subject: WorkloadCheck, draft: Diagnostic) -> Diagnostic:
    keeps = Related(subject.manifest.place(_kept_by(subject)), _why_kept(subject))
    by_hand = (
        "its old pods are deleted by hand (OnDelete)"
        if subject.controller.on_delete
        else "its partition is lowered to 0"
    )
    return replace(
        draft,
        message=f"once {by_hand}, {draft.message}",
        cause=f"{draft.cause} by hand",
        severity="warning",
        related=(keeps, *draft.related),
    )
