"""The verdicts on the rollouts of a unit, with the rows of the table behind each."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.certainty import judged_beyond
from kubelint_gpu.analysis.rollout_facts import (
    judged_beside_removed,
    judged_together,
    judgements_in,
    next_rollouts,
    rolled_in,
)
from kubelint_gpu.findings.decided import Decided, Reason, rank
from kubelint_gpu.simulation.hypotheses import ALONE, BESIDE_REMOVED, MORE_NODES, NEXT_ROLLOUT, OTHERS_ROLL, SEARCH, Row
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict, answer_of, of_verdict, row_of
from kubelint_gpu.workspace.answers import known, once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey


def ask(unit: ApplySet) -> None:
    """Compute what rules ask about every unit, so that `decided_in` has it.

    Raises:
        UsedUp: there is no work left for it.
    """
    for question in (judgements_in, judged_together, next_rollouts):
        question(unit)


@once
def noted(unit: ApplySet) -> dict[WorkloadKey, dict[Row, None]]:  # noqa: ARG001 every unit begins with none
    """The rows about things that no simulation covers, by workload; whoever finds them adds them."""
    return {}


def decided_in(unit: ApplySet) -> tuple[Decided, ...]:
    """The verdict on each rollout, from answers that were already computed.

    A rollout without an answer is undecided.
    """
    judgements = known(judgements_in, unit, None)
    found = []
    for subject in unit.subjects:
        if judgements is None:
            judgement = Judgement.undecided(subject.workload) if subject.controller.rolls else None
        else:
            judgement = judgements.get(subject.key)
        if judgement is not None and (judgement.verdict is not None or judgement.room.is_short):
            found.append(_decided(unit, subject, judgement))
    return tuple(found)


def decided_of(unit: ApplySet, subject: WorkloadCheck) -> tuple[Decided, ...]:
    """The verdicts of one object: one for each of its templates."""
    name, place = subject.workload.object, subject.manifest.place(("metadata", "name"))
    return tuple(
        one
        for one in decided_in(unit)
        if (one.path, one.line) == (place.path, place.line) and one.object.partition(" (")[0] == name
    )


def _decided(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> Decided:
    """The table of one rollout; rows with equal answers and no further steps appear once."""
    rows = [*judgement.rows, *_beside(unit, subject, judgement)]
    if not rows:
        rows.append(row_of(judgement, ALONE))
    further = tuple(noted(unit).get(subject.key, ()))
    rows += further
    now = [one.answer for one in further if one.hypothesis != NEXT_ROLLOUT.name]
    verdict = min([answer_of(judgement), *now], key=rank)
    if judgement.verdict is Verdict.STUCK and any(one.hypothesis == MORE_NODES.name for one in rows):
        beyond = next(one.answer for one in rows if one.hypothesis == MORE_NODES.name)
        verdict = verdict if beyond == verdict else Verdict.MAY_STICK.value
    place = subject.manifest.place(("metadata", "name"))
    reasons = [Reason(*one) for one in dict.fromkeys(rows)]
    ranked = sorted(reasons, key=lambda one: rank(one.answer))
    return Decided(subject.workload.key, place.path, place.line, verdict, tuple(ranked))


def _beside(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> Iterator[Row]:
    """Yield the rows of further hypotheses: other nodes, other rollouts, removed objects, the next rollout."""
    key = subject.key
    again = known(judged_beyond, unit, {}).get(key)
    if again is not None and (judgement.waits or judgement.room.is_short):
        yield row_of(again, MORE_NODES)
    for group in known(judged_together, unit, ()):
        if group.verdict is not None and subject in rolled_in(unit, group):
            yield of_verdict(group.verdict, OTHERS_ROLL, SEARCH, group.runs.states)
    removed = known(judged_beside_removed, unit, {}).get(key)
    if removed is not None and answer_of(removed) != answer_of(judgement):
        yield row_of(removed, BESIDE_REMOVED)
    later = known(next_rollouts, unit, None)
    if later is not None and key in later.judgements:
        yield row_of(later.judgements[key], NEXT_ROLLOUT)
