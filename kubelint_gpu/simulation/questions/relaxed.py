"""Rollouts beside which others do not stand still: without all that only take room, or with rollouts that give room.

Resources, ports, volumes, anti-affinity and taints are antitone: fewer other pods never remove a place. So a rollout
that never ends without the others never ends beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from kubelint_gpu.budget import BUDGET, SIMULATION
from kubelint_gpu.groups import Groups
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.always_ends import has_its_places
from kubelint_gpu.simulation.bounds.change_set import changing, is_apart, without
from kubelint_gpu.simulation.bounds.counting import slots_of
from kubelint_gpu.simulation.bounds.preconditions import gives_way
from kubelint_gpu.simulation.bounds.question import Decider, Question
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.prepare.demand import contended, join_contenders
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, joined
from kubelint_gpu.simulation.questions.deciders import stuck_without
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.explorer import explore
from kubelint_gpu.simulation.search.placements import placements
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, part


def without_others(question: Question) -> Judgement | None:
    """Stuck if the rollout is stuck without all other workloads; None if that is not known."""
    return _stuck_without(question, _others(question), runs=False)


def while_others_wait(question: Question) -> Judgement | None:
    """Stuck if the rollout sticks even without the others, whose pods wait while its own run; else None."""
    others = _others(question)
    moves = any(question.situation.participants[place].moves for place in others)
    return _stuck_without(question, others, runs=not moves)


def without_changes(question: Question) -> Judgement | None:
    """Stuck if the rollout sticks even without the workloads that change at the same moment; else None."""
    return _stuck_without(question, changing(question.situation, question.position), runs=False)


def without_weaker(question: Question) -> Judgement | None:
    """Stuck if the rollout sticks even without the workloads that it can preempt; else None.

    All others on its nodes must be able to preempt these workloads, too. The others have their places before the
    rollout. None for a workload that also gets more pods: the search finds the pods that these preempt.
    """
    situation, position, mine = question.situation, question.position, question.participant
    if not mine.existing or mine.before < mine.replicas:
        return None
    participants, demands = situation.participants, situation.demands
    weaker = frozenset(place for place in _others(question) if _give_way(participants[place], question.participant))
    stay = [place for place in range(len(participants)) if place not in weaker]
    near = [participants[place] for place in stay if not demands[place].nodes.isdisjoint(demands[position].nodes)]
    if not weaker or not all(_give_way(participants[place], one) for place in weaker for one in near):
        return None
    groups = Groups(len(stay))
    join_contenders(groups, contended([demands[place] for place in stay], situation.residual))
    group = groups.root(stay.index(position))
    rivals = joined(participants, frozenset(one for place, one in enumerate(stay) if groups.root(place) == group))
    others = frozenset(range(len(participants))) - rivals
    left = position - sum(place < position for place in others)
    with suppress(UsedUp), part(1, 4):
        runs = preconditions.all_run(GroupSearch(without(situation, others)), left)
        return _stuck_without(question, others, runs=runs)
    return None


def _give_way(weak: WorkloadChange, strong: WorkloadChange) -> bool:
    return all(gives_way(one.spec, other.spec) for one in weak.pods for other in strong.pods)


WITHOUT_OTHERS: tuple[Decider, ...] = (Decider("without-others", without_others),)
"""Asked of every workload before any search starts."""
WITHOUT_WEAKER: tuple[Decider, ...] = (Decider("without-weaker", without_weaker),)
"""Asked next."""
WHILE_OTHERS_WAIT: tuple[Decider, ...] = (Decider("while-others-wait", while_others_wait),)
"""Asked if a workload has all its pods and others do not."""
WITHOUT_CHANGES: tuple[Decider, ...] = (Decider("without-changes", without_changes),)
"""Asked if the search takes more than a little work."""


def _others(question: Question) -> frozenset[int]:
    participants = question.situation.participants
    return frozenset(range(len(participants))) - joined(participants, frozenset({question.position}))


def _stuck_without(question: Question, others: frozenset[int], *, runs: bool) -> Judgement | None:
    """The judgement without the others if it is stuck; `runs` says that its old pods run at the start."""
    situation, position, participant = question.situation, question.position, question.participant
    if not others or not participant.rolling or participant.daemons or not is_apart(situation, position, others):
        return None
    if not _all_stay(question, others) and any(
        preconditions.may_be_evicted(situation, position, place) for place in others
    ):
        return None
    with suppress(UsedUp), part(1, 4):
        # if its old pods do not run, others may have their places when it begins, and leave them
        if runs or has_its_places(situation, position) or preconditions.all_run(question.search, position):
            found = stuck_without(situation, position, others)
            return found and replace(found, rows=())
    return None


def _all_stay(question: Question, others: frozenset[int]) -> bool:
    """Whether the others keep all their pods during this rollout, so that they preempt nothing.

    A pod that is preempted by this workload has a lower priority, and can itself only preempt still lower ones.
    """
    situation = question.situation
    if any(situation.participants[place].moves for place in others) or any(situation.driven):
        return False
    if any(one.known for one in situation.participants):
        return False
    with suppress(UsedUp), part(1, 4):
        return preconditions.every_one_runs(question.search)
    return False


def helped_by(situation: Situation, search: GroupSearch, position: int) -> tuple[int, ...]:
    """The positions of rollouts that, at the same moment, may let this one end; empty if none can.

    If all places are equal and taken, only a rollout can help that deletes a pod before its successor runs. Few
    workloads on few nodes are searched; of more, all are returned.
    """
    alike = not situation.participants[position].daemons and slots_of(situation, search, position) is not None
    others = tuple(place for place, one in enumerate(situation.participants) if place != position and one.rolling)
    if not others or (alike and all(keeps(situation.participants[place]) for place in (*others, position))):
        return ()
    rolling = frozenset((*others, position))
    if len(rolling) > SIMULATION.helpers or len(search.simulation(rolling, ()).places.names) > SIMULATION.helped_nodes:
        return others
    return () if _is_stuck(search, rolling, position, situation.participants) else others


def keeps(participant: WorkloadChange) -> bool:
    """Whether no old pod is deleted before a new one is available."""
    return participant.controller.paused or participant.controller.keeps_until_ready(participant.replicas)


def _is_stuck(
    search: GroupSearch, rolling: frozenset[int], position: int, participants: Sequence[WorkloadChange]
) -> bool:
    """Whether the rollout ends in no order of events, for all placements at the start."""
    simulation = search.simulation(rolling, ())
    done = partial(simulation.model.done, name=participants[position].new.key)
    try:
        starts = placements(simulation, BUDGET.company)
        if not starts.complete or not starts.full:
            return False
        return explore(starts.full, simulation.model.successors, done, BUDGET.company).stuck
    except UnmodelledVictim:
        return False
