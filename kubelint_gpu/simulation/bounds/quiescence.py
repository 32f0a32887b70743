"""Rollouts that never come to rest before their end: whenever nothing moves any more, a pod that waits finds a node.

A rest is a state in which nothing terminates or starts and no controller has anything to do. While nobody evicts
anybody a rollout only goes forward, so that it ends if a pod of it that waits at a rest is refused at none.
What counts is what can be bound at a rest, wherever it is.
"""

from __future__ import annotations

from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.change_set import changing
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.prepare.workload_change import joined
from kubelint_gpu.simulation.search import placements
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace


def leaves_no_pod_pending(situation: Situation, search: GroupSearch, rolling: frozenset[int]) -> bool:
    """Whether some rollouts surely end: all pods find room before they begin, and they never come to rest before.

    False where it is not known, or where somebody may be evicted, or may end meanwhile.
    """
    from kubelint_gpu.simulation.bounds import never_rest

    rolling = joined(situation.participants, rolling)
    if search.outsiders or any(
        preconditions.may_evict(situation, place) or preconditions.is_crowded(situation, place) for place in rolling
    ):
        return False
    return (
        never_rest.never_rest(situation, rolling)
        and placements.one_placement(search.simulation(rolling, ())) is not None
    )


def decide(question: Question) -> Judgement | None:
    """It completes where no state in which nothing moves has a pending pod."""
    return _decided(question, frozenset())


def at_once(question: Question) -> Judgement | None:
    """The same where others are rolled out at the same moment, all of which end then."""
    others = changing(question.situation, question.position)
    return _decided(question, others) if others and question.participant.known else None


def _decided(question: Question, others: frozenset[int]) -> Judgement | None:
    situation, search, rolling = question.situation, question.search, others | {question.position}
    if not all(situation.participants[place].rolling for place in rolling):
        return None
    parts = (situation.participants, situation.fixed, situation.queued, situation.grown)
    name = f"quiescence of {sorted(rolling)}"
    if not situation.memo.of(name, parts, lambda: leaves_no_pod_pending(situation, search, rolling)):
        return None
    return replace(question.blank, verdict=Verdict.COMPLETES)
