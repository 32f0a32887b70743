"""Workloads whose pods somebody has to delete before a new template reaches them: updateStrategy OnDelete."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks.daemon_pods import daemon_pods_pending
from kubelint_gpu.checks.draft import Draft
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.further import outgrown
from kubelint_gpu.checks.pending import pending_replicas
from kubelint_gpu.checks.routes import UPDATE_STRATEGY
from kubelint_gpu.checks.stakes import exclusive_claims, stakes
from kubelint_gpu.checks.standstill import end_of
from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.wait import Wait
from kubelint_gpu.kube.rolling import DaemonSetStrategy
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.judgement import Judgement
from kubelint_gpu.rollout.trace import Waiting
from kubelint_gpu.values import replace

_KEEPS = "OnDelete: a pod keeps its template until somebody deletes it, and comes back with the new one"


def replaced_by_hand(unit: Unit) -> Iterator[Draft]:
    """What lacks room only when pods that run have been deleted by hand, and come back with the new template."""
    for subject in unit.subjects if unit.before else ():
        found, now = unit.by_hand.get(id(subject)), unit.judgements.get(id(subject))
        if found is None or now is None or outgrown(unit, subject, found):
            continue
        if now.placed >= now.wanted:
            yield from (_later(subject, draft) for draft in _told(unit, subject, found))


def _told(unit: Unit, subject: Subject, found: Judgement) -> Iterator[Draft]:
    if found.placed < found.wanted:
        yield from _pending(unit, subject, found)
    elif found.verdict in (Verdict.STUCK, Verdict.MAY_STICK) and found.trace is not None:
        yield _waiting(unit, subject, end_of(found).waiting)


def _waiting(unit: Unit, subject: Subject, waiting: Waiting) -> Draft:
    manifest = subject.manifest
    claims = tuple(f"{name} ({mode})" for name, mode in exclusive_claims(unit, subject).items())
    return Draft(
        "KLG109",
        manifest.place((*UPDATE_STRATEGY, "type")),
        f"a new pod may wait for ever: {Wait(subject.workload, waiting, claims).clause}",
        manifest,
        cause="new pods",
        certainty="certain" if unit.is_closed_to(subject) else "possible",
        scheduler=waiting.scheduler or None,
        related=stakes(unit, subject, waiting),
    )


def _pending(unit: Unit, subject: Subject, found: Judgement) -> Iterator[Draft]:
    if isinstance(subject.workload.strategy, DaemonSetStrategy):
        yield from daemon_pods_pending(unit, subject, found)
    elif found.eligible:
        yield from pending_replicas(unit, subject, found)


def _later(subject: Subject, draft: Draft) -> Draft:
    keeps = Related(subject.manifest.place((*UPDATE_STRATEGY, "type")), _KEEPS)
    return replace(
        draft,
        message=f"once its old pods are deleted by hand (OnDelete), {draft.message}",
        cause=f"{draft.cause} by hand",
        severity="warning",
        related=(keeps, *draft.related),
    )
