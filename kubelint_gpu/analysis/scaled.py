"""Rollouts with the numbers of replicas that an autoscaler may set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.replica_room import room_for
from kubelint_gpu.analysis.scaling import autoscalers_of
from kubelint_gpu.analysis.scenarios import now, scaled, with_part_of_budget
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.budget import BUDGET, PARTS, TOLD
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.simulation.asked_again import Memo, asked_once
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun
from kubelint_gpu.simulation.questions.deciders import ROOM, first_answer
from kubelint_gpu.simulation.search.situation import Situations
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict, is_decided
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.autoscalers import Autoscaler
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey


class ScaledRollout(Value, eq=False):
    """A workload with another number of replicas, the judgement of its rollout then, and the autoscaler.

    `only` says that the autoscaler sets no other number.
    """

    subject: WorkloadCheck
    judgement: Judgement
    autoscaler: Autoscaler
    only: bool = False


def waiting_when_scaled(unit: ApplySet, subject: WorkloadCheck) -> ScaledRollout | None:
    """The smallest number of replicas that an autoscaler may set and with which the rollout may wait for ever.

    Meant for Deployments whose rollout ends with the replicas of the manifest: with other replicas, `maxUnavailable`
    may round differently, and less room is left. Tries the first few numbers, and the largest for which there is room.
    """
    if not subject.controller.has_replica_sets or not subject.workload.replicas:
        return None
    if subject.key not in transitions_in(unit):
        # its number of replicas is not what is unsure of it
        return None
    found = _found(unit)
    if subject.key not in found:
        found[subject.key] = _waiting(unit, subject)
    return found[subject.key]


@once
def _found(_unit: ApplySet) -> dict[WorkloadKey, ScaledRollout | None]:
    """A cache of computed results."""
    return {}


@once
def _room(unit: ApplySet) -> RoomWhenScaled:
    """All applied workloads, prepared once."""
    return RoomWhenScaled(tuple(now(unit).transitions.values()), unit.cluster)


def _waiting(unit: ApplySet, subject: WorkloadCheck) -> ScaledRollout | None:
    for one in autoscalers_of(unit, subject):
        for replicas in _numbers(unit, subject, one):
            found = _judged_at(unit, subject, replicas)
            if found.waits:
                found_at = replace(subject, workload=replace(subject.workload, replicas=replicas), scaled=None)
                found_at = found_at.marked("scaled")
                return ScaledRollout(found_at, found, one, only=one.bounds is not None and len({*one.bounds}) == 1)
    return None


def _numbers(unit: ApplySet, subject: WorkloadCheck, autoscaler: Autoscaler) -> Iterator[int]:
    if autoscaler.bounds is None or unit.may_outgrow(subject):
        return
    least, most = autoscaler.bounds
    room = room_for(unit, subject, min(most, TOLD.most_scaled))
    wanted = [number for number in range(max(1, least), room + 1) if number != subject.workload.replicas]
    yield from wanted[: TOLD.first_scaled]
    yield from wanted[max(TOLD.first_scaled, len(wanted) - 1) :]


@once
def _unrolled(unit: ApplySet) -> dict[WorkloadKey, Transition]:
    """All applied workloads, without their update strategies."""
    return {key: one.unrolled() for key, one in now(unit).transitions.items()}


def _judged_at(unit: ApplySet, subject: WorkloadCheck, replicas: int) -> Judgement:
    """Judge its rollout with this number of replicas, while all others stay as they are.

    The strategies of others do not matter, so a fix of one of them needs no new computation.
    """
    scenario, key = now(unit), subject.key
    others = tuple(one for other, one in _unrolled(unit).items() if other != key)
    decisive = (scenario.transitions[key], others, scenario.cluster, scenario.growth, scenario.budget)
    return asked_once(("scaled", key, replicas), decisive, lambda: _judged(unit, subject, replicas), is_decided)


def _judged(unit: ApplySet, subject: WorkloadCheck, replicas: int) -> Judgement:
    scenario, key = now(unit), subject.key
    if _room(unit).surely_ends(list(scenario.transitions).index(key), replicas):
        return Judgement(subject.workload, Verdict.COMPLETES)
    return with_part_of_budget(scaled(scenario, key, replicas), PARTS.scaled).judgements((key,))[key]


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
