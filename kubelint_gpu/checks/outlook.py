"""What becomes of a workload's rollout, in one line: what the rules say of it at length."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks.rollouts import rolled_in
from kubelint_gpu.checks.scaled import waiting_when_scaled
from kubelint_gpu.checks.standstill import end_of, unsure_claims, waits_later
from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.wording import counted, listed, workload_names
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.judgement import Judgement, Together

_MORE = "; kubelint-gpu check says why"
_WAITS = (Verdict.STUCK, Verdict.MAY_STICK)


def outlook(unit: Unit, subject: Subject) -> str | None:
    """`comes to its end`, or what keeps it from that; None where nothing is rolled out, or no node takes a pod."""
    judgement = unit.judgements.get(id(subject)) if subject.workload.rolls else None
    if judgement is None:
        return None
    if judgement.verdict is None:
        if judgement.eligible and judgement.placed < judgement.wanted:
            return f"cannot end: only {judgement.placed} of {counted(judgement.wanted, 'replica')} can run{_MORE}"
        return None
    if judgement.verdict is Verdict.UNDECIDED:
        return "was not decided"
    if judgement.verdict in _WAITS:
        return _waiting(unit, subject, judgement)
    return f"comes to its end{''.join(_conditions(unit, subject, judgement))}"


def _waiting(unit: Unit, subject: Subject, judgement: Judgement) -> str:
    unsure = unsure_claims(unit, subject.workload, end_of(judgement).waiting)
    ends = "may wait for ever" if judgement.verdict is Verdict.MAY_STICK or unsure else "never ends"
    return f"{ends}{' by itself' if judgement.company else ''}{_MORE}"


def _conditions(unit: Unit, subject: Subject, judgement: Judgement) -> Iterator[str]:
    pools = listed([found.name for found in unit.growing_for(subject)], "or") if judgement.grows else ""
    if pools and judgement.stalls:
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
        found = unit.later.judgements[id(subject)]
        yield f"; the next one {_waiting(unit, subject, found)}"
    else:
        scaled = waiting_when_scaled(unit, subject)
        if scaled is not None:
            sets = "sets" if scaled.only else "may set"
            replicas = counted(scaled.subject.workload.replicas, "replica")
            yield f"; not at {replicas}, which HorizontalPodAutoscaler {scaled.autoscaler.name} {sets}{_MORE}"


def _blocked(unit: Unit, subject: Subject) -> Together | None:
    """The rollouts that hold each other up when they start at the same moment as its own."""
    waiting = [group for group in unit.together if group.verdict in _WAITS and subject in rolled_in(unit, group)]
    return waiting[0] if waiting else None
