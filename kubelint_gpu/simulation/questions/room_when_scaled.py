"""Rollouts with other numbers of replicas, whatever all others do: exact bounds that need no search."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.memo import Memo
from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun
from kubelint_gpu.simulation.questions.deciders import ROOM, first_answer
from kubelint_gpu.simulation.questions.situations import Situations
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


class RoomWhenScaled:
    """All workloads of one run, prepared once for every number of replicas."""

    def __init__(self, transitions: Sequence[Transition], cluster: Cluster) -> None:
        self._run = PreparedRun(transitions, cluster)
        members = range(len(self._run.participants))
        self._situation = Situations(self._run, BUDGET.states, joins=False).of(members, self._run.rest, {})

    def surely_ends(self, number: int, replicas: int) -> bool:
        """Whether the rollout of a workload ends with so many replicas; False if it is not known."""
        run, situation = self._run, self._situation
        one = run.participants[number]
        if one.daemons or one.running or replicas > BUDGET.replicas:
            return False
        new = replace(one.new, replicas=replicas)
        scaled = replace(one, new=new, old=new if one.old is one.new else replace(one.old, replicas=replicas))
        demands = list(situation.demands)
        demands[number] = run.demand_of(number, scaled)
        participants = list(situation.participants)
        participants[number] = scaled
        scaled_situation = replace(situation, participants=tuple(participants), demands=tuple(demands), memo=Memo())
        return first_answer(Question(scaled_situation, number), ROOM) is not None
