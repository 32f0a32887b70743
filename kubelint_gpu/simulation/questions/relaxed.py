"""The most favourable run of a rollout: without all the workloads that can only take room from it.

Resources, ports, volumes, anti-affinity and taints are antitone: fewer other pods never make a place disappear. So a
rollout that never ends without the others never ends beside them.
"""

from __future__ import annotations

from contextlib import suppress

from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.change_set import changing, is_apart
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.hypotheses import WITHOUT_OTHERS
from kubelint_gpu.simulation.prepare.workload_change import joined
from kubelint_gpu.simulation.questions.deciders import decided_without
from kubelint_gpu.simulation.search.rows import row_of
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, part


def stuck_without_others(question: Question, *, runs: bool = False) -> Judgement | None:
    """Return that the rollout is stuck, if it is so without all other workloads; None if that is not known.

    `runs` says that its old pods run when it begins.
    """
    situation, position = question.situation, question.position
    everybody = frozenset(range(len(situation.participants)))
    others = everybody - joined(situation.participants, frozenset({position}))
    return _stuck_without(question, others, runs=runs and not any(situation.participants[one].moves for one in others))


def stuck_without_changes(question: Question) -> Judgement | None:
    """Return the same without the workloads that change at the same moment."""
    return _stuck_without(question, changing(question.situation, question.position), runs=False)


def _stuck_without(question: Question, others: frozenset[int], *, runs: bool) -> Judgement | None:
    situation, position, participant = question.situation, question.position, question.participant
    if not others or not participant.rolling or participant.daemons or not is_apart(situation, position, others):
        return None
    if any(preconditions.may_be_evicted(situation, position, place) for place in others):
        return None
    with suppress(UsedUp), part(1, 4):
        if not (runs or preconditions.all_run(question.search, position)):
            # others may have the places of its old pods when it begins, and leave them
            return None
        found = decided_without(situation, position, others)
        return replace(found, rows=(row_of(found, WITHOUT_OTHERS),)) if found.verdict is Verdict.STUCK else None
    return None
