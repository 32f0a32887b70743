"""Rollouts that never come to rest before their end: whenever nothing moves any more, a pod that waits finds a node.

A rest is a state in which nothing terminates or starts and no controller has anything to do. While nobody evicts
anybody a rollout only goes forward, so that it ends if a pod of it that waits at a rest is refused at none.
What counts is what can be bound at a rest, wherever it is.
"""

from __future__ import annotations

from kubelint_gpu.simulation.bounds import never_rest, preconditions
from kubelint_gpu.simulation.bounds.change_set import changing
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.prepare.workload_change import joined
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace


def leaves_no_pod_pending(
    situation: Situation, search: GroupSearch, rolling: frozenset[int], beside: frozenset[int] = frozenset()
) -> bool:
    """Return whether some rollouts surely end: their old pods find room, and they never come to rest before the end.

    Those `beside` are rolled out at the same moment. False if it is not known.
    """
    rolling = joined(situation.participants, rolling)
    if search.outsiders or any(preconditions.is_crowded(situation, place) for place in rolling):
        return False
    evicts = any(preconditions.may_evict(situation, place) for place in rolling)
    if not never_rest.never_rest(situation, rolling, beside, moment=evicts):
        return False
    return all(preconditions.all_run(search, place) for place in rolling if situation.participants[place].known)


def decide(question: Question) -> Judgement | None:
    """It completes where no state in which nothing moves has a pending pod."""
    if not question.participant.rolling:
        return None
    situation, position = question.situation, question.position
    beside = frozenset(place for place in changing(situation, position) if situation.participants[place].rolling)
    if not leaves_no_pod_pending(situation, question.search, frozenset({position}), beside):
        return None
    return replace(question.blank, verdict=Verdict.COMPLETES)
