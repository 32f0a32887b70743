"""Rollouts that end whatever the order of changes, because their pods always find room."""

from __future__ import annotations

from collections.abc import Hashable

from kubelint_gpu.simulation.bounds import per_node
from kubelint_gpu.simulation.bounds.counting import held_at_rest
from kubelint_gpu.simulation.bounds.preconditions import gives_way, is_crowded, may_evict
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.prepare.demand import Demand, always_room
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace


def always_ends(situation: Situation, position: int) -> bool:
    """Whether each new pod of the workload finds a node at rest, however the pods of others are placed.

    Pods that it can preempt are not counted.
    """
    participant = situation.participants[position]
    if not participant.rolling or participant.resumes or is_crowded(situation, position):
        return False
    if participant.daemons and per_node.always_ends(situation, position):
        return True
    parts = (situation.participants, situation.demands)
    beside = situation.memo.of("at rest", parts, lambda: _AtRest(situation))
    demands, place = beside.nobody_gives_way(position)
    return always_room(place, demands, situation.residual, at_rest=True)


def has_its_places(situation: Situation, position: int) -> bool:
    """Whether all pods of a workload run before any rollout, even if pods of other workloads stay Pending.

    False if this is not known.
    """
    participant = situation.participants[position]
    old, new = participant.old.spec, participant.new.spec
    if old.priority != new.priority or participant.daemons or participant.resumes or is_crowded(situation, position):
        return False
    parts = (situation.participants, situation.demands)
    demands = situation.memo.of("at rest", parts, lambda: _AtRest(situation)).demands
    mine = replace(demands[position], whole=participant.before, rest=max(0, participant.before - 1))
    return always_room(
        position, [*demands[:position], mine, *demands[position + 1 :]], situation.residual, at_rest=True
    )


def room(question: Question) -> Judgement | None:
    """Completes if there is room at any moment."""
    return _completes(question) if question.roomy else None


def room_at_rest(question: Question) -> Judgement | None:
    """Completes if no pod is preempted and there is room once nothing terminates any more.

    Every step brings such a rollout nearer to its end, so it stops nowhere before.
    """
    if not question.roomy_at_rest or may_evict(question.situation, question.position):
        return None
    return _completes(question)


def _completes(question: Question) -> Judgement:
    return replace(question.blank, verdict=Verdict.COMPLETES if question.participant.rolling else None)


class _AtRest:
    """The demands of all workloads at rest, without pods that a given workload can preempt."""

    def __init__(self, situation: Situation) -> None:
        participants = situation.participants
        self.demands = [_at_rest(*one) for one in zip(situation.demands, participants, strict=True)]
        self._specs = [one.new.spec for one in participants]
        self._highest = [
            max((pod.spec for pod in one.pods), key=lambda spec: spec.priority or 0) for one in participants
        ]
        self._found: dict[Hashable, tuple[list[Demand], dict[int, int]]] = {}

    def nobody_gives_way(self, position: int) -> tuple[list[Demand], int]:
        """The demands of workloads that do not give way to this one, itself included, and its index among them."""
        mine = self._specs[position]
        key = (mine.priority, mine.preemption_policy)
        if key not in self._found:
            left = [place for place, spec in enumerate(self._highest) if not gives_way(spec, mine)]
            self._found[key] = [self.demands[place] for place in left], {place: at for at, place in enumerate(left)}
        demands, places = self._found[key]
        return demands, places[position]


def _at_rest(demand: Demand, participant: WorkloadChange) -> Demand:
    if participant.temporary or participant.daemons:
        return demand
    whole = held_at_rest(participant)
    lacking = int(not participant.controller.keeps_until_ready(participant.replicas))
    return replace(demand, whole=whole, rest=max(0, whole - lacking))
