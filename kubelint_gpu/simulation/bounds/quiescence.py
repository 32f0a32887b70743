"""Rollouts that never rest before their end: whenever nothing moves, a waiting pod finds a node.

At a rest, nothing terminates or starts and no controller has an action. If no pod is preempted, a rollout only goes
forward. So it ends if at every rest some node takes its waiting pod, wherever the bound pods are.
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
    """Whether some rollouts surely end: their old pods find room, and they never rest before the end.

    Those at `beside` are rolled out at the same moment. With `evicts` they may preempt other pods; otherwise it is
    known that they do not. False if this is not known.
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
    """Completes if no state at rest has a pending pod."""
    return replace(question.blank, verdict=Verdict.COMPLETES) if never_rests(question) else None


def never_rests(question: Question, *, evicts: bool = False) -> bool:
    """Whether the rollout surely ends beside all other changes; `evicts` as in `leaves_no_pod_pending`."""
    if not question.participant.rolling:
        return False
    situation, position = question.situation, question.position
    beside = frozenset(place for place in changing(situation, position) if situation.participants[place].rolling)
    return leaves_no_pod_pending(situation, question.search, frozenset({position}), beside, evicts=evicts)
