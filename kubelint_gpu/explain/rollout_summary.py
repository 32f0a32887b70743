"""The verdict on a workload's rollout in one line; the rules explain it in detail."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.certainty import proviso
from kubelint_gpu.analysis.predecessors import is_made
from kubelint_gpu.analysis.rollout_facts import judged_together, judgements_in, next_rollouts, rolled_in
from kubelint_gpu.analysis.scaled import waiting_when_scaled
from kubelint_gpu.builders.pending_replicas import is_sure
from kubelint_gpu.builders.revision_quota import RefusedRevision, revisions_refused
from kubelint_gpu.builders.rollout_end import end_of, waits_later
from kubelint_gpu.builders.waiting_pods import unsure_claims
from kubelint_gpu.messages.wait import every
from kubelint_gpu.messages.wording import counted, listed, workload_names
from kubelint_gpu.simulation.search.verdict import Judgement, Together, Verdict
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_MORE = "; kubelint-gpu check says why"


def outlook(unit: ApplySet, subject: WorkloadCheck) -> str | None:
    """Return `comes to its end`, or the obstacle; None if nothing rolls out, or no node takes a pod."""
    judgement = judgements_in(unit).get(subject.key) if subject.controller.rolls else None
    if judgement is None:
        return None
    refused = _refused_replica_set(unit, subject)
    if refused is not None:
        return f"{refused.ends}{_MORE}"
    if judgement.verdict is None:
        if judgement.room.eligible and judgement.room.is_short:
            ends, only = ("cannot end", "only") if is_sure(unit, subject, judgement) else ("may not end", "as few as")
            beyond = _unless(unit, subject, judgement)
            replicas = f"{judgement.room.placed} of {counted(judgement.room.wanted, 'replica')}"
            return f"{ends}{beyond}: {only} {replicas} can run{_MORE}"
        return None
    if judgement.verdict is Verdict.UNDECIDED:
        return "was not decided"
    if judgement.waits:
        return _waiting(unit, subject, judgement)
    return f"comes to its end{''.join(_conditions(unit, subject, judgement))}"


def judged_rollout(unit: ApplySet, subject: WorkloadCheck) -> tuple[Judgement, Verdict] | None:
    """The judgement of a rollout, and its verdict: stuck if a quota refuses its template."""
    judgement = judgements_in(unit).get(subject.key) if subject.controller.rolls else None
    if judgement is None or judgement.verdict is None:
        return None
    return judgement, Verdict.STUCK if _refused_replica_set(unit, subject) is not None else judgement.verdict


def _refused_replica_set(unit: ApplySet, subject: WorkloadCheck) -> RefusedRevision | None:
    """The refusal of its template by a quota, which makes its rollout wait for ever; None if only a later one waits."""
    found = next((one for one in revisions_refused(unit) if one.subject is subject), None)
    return found if found is not None and (found.first or not is_made(unit, subject)) else None


def _waiting(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> str:
    unsure = unsure_claims(unit, subject.workload, end_of(judgement).waiting)
    approximate = subject.workload.approximate
    may = judgement.verdict is Verdict.MAY_STICK or unsure or approximate
    ends = "may wait for ever" if may else "never ends"
    alone = " by itself" if judgement.company else ""
    beyond = "" if approximate else _unless(unit, subject, judgement)
    return f"{ends}{alone}{_beside(unit, subject, judgement)}{beyond}{_MORE}"


def _unless(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> str:
    unless = proviso(unit, subject, judgement)
    return f" {unless}" if unless else ""


def _beside(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> str:
    """The other applied workloads that hold what its pod waits for."""
    lacks = every(end_of(judgement).waiting.lacks)
    holders = {holder.owner for lack in lacks for holder in lack.holders}
    others = [one.workload for one in unit.subjects if one is not subject and one.workload.key in holders]
    return f" beside {workload_names(others)}" if others else ""


def _conditions(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> Iterator[str]:
    pools = listed([found.name for found in unit.growing_for(subject)], "or") if judgement.runs.grows else ""
    if pools and judgement.runs.stalls:
        yield f" only if pool {pools} adds a node meanwhile"
    elif pools:
        yield f"; pool {pools} grows first"
    group = _blocked(unit, subject)
    if group is not None:
        others = [one for one in rolled_in(unit, group) if one is not subject]
        names = workload_names([one.workload for one in others])
        never = "never all end" if group.verdict is Verdict.STUCK else "may not all end"
        yield f" by itself; rolled out together with {names}, they {never}{_MORE}"
    elif waits_later(unit, subject):
        found = next_rollouts(unit).judgements[subject.key]
        yield f"; the next one {_waiting(unit, subject, found)}"
    else:
        scaled = waiting_when_scaled(unit, subject)
        if scaled is not None:
            sets = "sets" if scaled.only else "may set"
            replicas = counted(scaled.subject.workload.replicas, "replica")
            yield f"; not at {replicas}, which {scaled.autoscaler.name} {sets}{_MORE}"


def _blocked(unit: ApplySet, subject: WorkloadCheck) -> Together | None:
    """The rollouts that block each other if they start at the same moment as its own."""
    waiting = [group for group in judged_together(unit) if group.waits and subject in rolled_in(unit, group)]
    return waiting[0] if waiting else None
