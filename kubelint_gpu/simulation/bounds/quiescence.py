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
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace


def leaves_no_pod_pending(
    situation: Situation,
    search: GroupSearch,
    rolling: frozenset[int],
    beside: frozenset[int] = frozenset(),
    *,
    evicts: bool = False,
) -> bool:
    """Return whether some rollouts surely end: their old pods find room, and they never come to rest before the end.

    Those `beside` are rolled out at the same moment. Unless they may evict others, it is known that they do not.
    False if it is not known.
    """
    from kubelint_gpu.simulation.bounds import never_rest

    rolling = joined(situation.participants, rolling)
    if search.outsiders or any(preconditions.is_crowded(situation, place) for place in rolling):
        return False
    moment = not evicts and any(preconditions.may_evict(situation, place) for place in rolling)
    if not never_rest.never_rest(situation, rolling, beside, moment=moment, evicts=evicts):
        return False
    return all(preconditions.all_run(search, place) for place in rolling if situation.participants[place].known)


def decide(question: Question) -> Judgement | None:
    """It completes where no state in which nothing moves has a pending pod."""
    return replace(question.blank, verdict=Verdict.COMPLETES) if never_rests(question) else None


def never_rests(question: Question, *, evicts: bool = False) -> bool:
    """Return whether the rollout surely ends beside all that changes; `evicts` as in `leaves_no_pod_pending`."""
    if not question.participant.rolling:
        return False
    situation, position = question.situation, question.position
    beside = frozenset(place for place in changing(situation, position) if situation.participants[place].rolling)
    return leaves_no_pod_pending(situation, question.search, frozenset({position}), beside, evicts=evicts)
