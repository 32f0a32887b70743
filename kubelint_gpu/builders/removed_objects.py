"""Workloads that wait for what the manifests no longer have: nothing deletes it from the cluster by itself."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.rollout_facts import judged_beside_removed, judgements_in
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.evidence.exclusive_lines import exclusive_claims, scarce
from kubelint_gpu.evidence.node_lines import clues
from kubelint_gpu.messages.wait import Wait
from kubelint_gpu.messages.wording import counted, owner_name, some
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_WAITS = (Verdict.STUCK, Verdict.MAY_STICK)


def waiting_for_gone(unit: ApplySet) -> Iterator[Diagnostic]:
    """The workloads that run, or are rolled out, only when something is deleted that was among the objects before."""
    for subject in unit.subjects if unit.gone else ():
        now, later = judgements_in(unit).get(subject.key), judged_beside_removed(unit).get(subject.key)
        if now is None or later is None or subject.controller.runs_to_completion:
            continue
        if not subject.known_class or not _is_worse(later, now):
            continue
        waiting = later.waiting
        if later.verdict in _WAITS and later.trace is not None:
            waiting = next((one for one in later.trace.waiting if one.owner == subject.workload.key), None)
        names = _holders(unit, waiting)
        if waiting is not None and names:
            yield _draft(unit, subject, later, waiting, names)


def _is_worse(beside: Judgement, now: Judgement) -> bool:
    """Whether what is gone keeps replicas from running that find room without it, or a rollout from its end.

    A rollout that never ends anyway does not begin before all replicas run.
    """
    if now.placed < now.wanted or beside.placed < beside.wanted:
        return now.placed >= now.wanted
    ends = (None, Verdict.COMPLETES)
    return now.verdict in ends and beside.verdict not in ends


def _holders(unit: ApplySet, waiting: Waiting | None) -> list[str]:
    gone = {one.workload.key for one in unit.gone if one.workload is not None}
    found = {owner for lack in (waiting.lacks if waiting is not None else ()) for owner in lack.owners}
    return sorted(found & gone)


def _draft(unit: ApplySet, subject: WorkloadCheck, found: Judgement, waiting: Waiting, names: list[str]) -> Diagnostic:
    manifest, workload = subject.manifest, subject.workload
    rolls = found.verdict in _WAITS
    claims = tuple(f"{name} ({mode})" for name, mode in exclusive_claims(unit, subject).items())
    clause = Wait(workload, waiting, claims, standing=not rolls).clause
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
        related=clues(unit, subject, scarce(subject), sorted(found.eligible)),
        help=("kubectl apply deletes nothing without --prune: delete it first, or let what applies these prune it",),
    )
