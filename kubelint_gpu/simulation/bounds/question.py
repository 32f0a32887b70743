"""What a decider is asked: whether the rollout of one workload of a situation ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.prepare.demand import Demand, always_room
from kubelint_gpu.simulation.prepare.revisions import may_have_template
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import Value


class Question:
    """Whether the rollout of the workload at a position ends.

    Attributes:
        situation: the workloads that can compete with it, and what runs beside them.
        position: its position among them.
        search: what searches of this situation share.
        blank: the judgement of a workload that has all its pods and rolls nothing out.
        bounded: whether the room that all leave may decide it: not where a question is put anew for a wider one.
    """

    def __init__(self, situation: Situation, position: int, *, bounded: bool = True) -> None:
        self.situation = situation
        self.position = position
        self.bounded = bounded
        self.search = GroupSearch(situation)
        self._answers: dict[str, Judgement] = {}
        wanted = self.participant.replicas
        self.blank = Judgement(
            self.participant.new,
            None,
            wanted=wanted,
            placed=wanted,
            alone=wanted,
            eligible=situation.eligible[position],
        )

    @property
    def participant(self) -> WorkloadChange:
        """The workload that is asked about."""
        return self.situation.participants[self.position]

    @property
    def may_have_template(self) -> bool:
        """Whether its pods may have the new template already: that it gets stuck is possible only."""
        return may_have_template(self.participant)

    def answer(self, decider: Decider) -> Judgement | None:
        """Return what a decider says. A verdict is worked out once; with more work a decider may know more."""
        found = self._answers.get(decider.name) or decider.decide(self)
        if found is not None and found.verdict is not Verdict.UNDECIDED:
            self._answers[decider.name] = found
        return found

    @cached_property
    def demands(self) -> Sequence[Demand]:
        """What all want, and what those want that they drive away."""
        if not any(self.situation.driven):
            return self.situation.demands
        others = [one for place, gone in enumerate(self.situation.driven) if place != self.position for one in gone]
        return [*self.situation.demands, *(one.demand for one in others)] if others else self.situation.demands

    @cached_property
    def roomy(self) -> bool:
        """Whether its pods find a node however all others are placed, at any moment."""
        return self._has_room(at_rest=False)

    @cached_property
    def roomy_at_rest(self) -> bool:
        """Whether they do once nothing terminates any more."""
        return self.roomy or self._has_room(at_rest=True)

    def _has_room(self, *, at_rest: bool) -> bool:
        if not self.bounded or self.participant.daemons or self.participant.hindered:
            return False
        return always_room(self.position, self.demands, self.situation.residual, at_rest=at_rest)

    @cached_property
    def peaceful(self) -> bool:
        """Whether nobody in the situation could ever evict anybody."""
        return preconditions.is_peaceful(self.situation)


class Decider(Value):
    """One way to answer a question; None where it does not know the answer."""

    name: str
    decide: Callable[[Question], Judgement | None]
