"""A rollout that never ends by itself: can rollouts of others at the same moment let it end?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kubelint_gpu.budget import BUDGET, SIMULATION
from kubelint_gpu.simulation.bounds.counting import slots_of
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.explorer import explore
from kubelint_gpu.simulation.search.placements import placements
from kubelint_gpu.simulation.search.situation import Situation


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
