"""The question that a decider answers: does the rollout of one workload of a situation end?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.prepare.demand import Demand, always_room
from kubelint_gpu.simulation.prepare.revisions import may_have_template
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, PodRoom, Verdict
from kubelint_gpu.values import Value


class Question:
    """Does the rollout of the workload at a position end?

    Attributes:
        situation: the workloads that can compete with it, and what runs beside them.
        position: its position among them.
        search: what searches of this situation share.
        blank: the judgement of a workload that has all its pods and rolls nothing out.
        bounded: whether upper bounds of all demands may decide it; False if a question is repeated for a wider
            situation.
    """

    def __init__(self, situation: Situation, position: int, *, bounded: bool = True) -> None:
        self.situation = situation
        self.position = position
        self.bounded = bounded
        self.search = GroupSearch(situation)
        self._answers: dict[str, Judgement] = {}
        wanted = self.participant.replicas
        room = PodRoom(wanted, wanted, alone=wanted, eligible=situation.eligible[position])
        self.blank = Judgement(self.participant.new, None, room=room)

    @property
    def participant(self) -> WorkloadChange:
        """The workload of the question."""
        return self.situation.participants[self.position]

    @property
    def may_have_template(self) -> bool:
        """Whether its pods may already have the new template. If so, a stuck rollout is only possible, not certain."""
        return may_have_template(self.participant)

    def answer(self, decider: Decider) -> Judgement | None:
        """Return a decider's answer. A verdict is computed once; with more work a decider may know more."""
        found = self._answers.get(decider.name) or decider.decide(self)
        if found is not None and found.verdict is not Verdict.UNDECIDED:
            self._answers[decider.name] = found
        return found

    @cached_property
    def demands(self) -> Sequence[Demand]:
        """The demands of all participants, and of pods that other participants preempt."""
        if not any(self.situation.driven):
            return self.situation.demands
        others = [one for place, gone in enumerate(self.situation.driven) if place != self.position for one in gone]
        return [*self.situation.demands, *(one.demand for one in others)] if others else self.situation.demands

    @cached_property
    def roomy(self) -> bool:
        """Whether its pods find a node at any moment, however all others are placed."""
        return self._has_room(at_rest=False)

    @cached_property
    def roomy_at_rest(self) -> bool:
        """Whether its pods find a node once nothing terminates any more, however all others are placed."""
        return self.roomy or self._has_room(at_rest=True)

    def _has_room(self, *, at_rest: bool) -> bool:
        if not self.bounded or self.participant.daemons or self.participant.hindered:
            return False
        return always_room(self.position, self.demands, self.situation.residual, at_rest=at_rest)

    @cached_property
    def peaceful(self) -> bool:
        """Whether no pod in the situation can ever preempt another."""
        return preconditions.is_peaceful(self.situation)


class Decider(Value):
    """A named function that answers a question, or returns None if it cannot."""

    name: str
    decide: Callable[[Question], Judgement | None]
