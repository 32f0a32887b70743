"""Where all runs of a group come to rest, and the runs in which pods are preempted."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.search.ends import RunEnds, ends_of_runs
from kubelint_gpu.simulation.search.engine import GroupSearch, worth
from kubelint_gpu.simulation.search.placements import placements
from kubelint_gpu.simulation.search.replay import ReplayMismatch
from kubelint_gpu.simulation.search.single_runs import at_rest
from kubelint_gpu.simulation.search.trace import Trace
from kubelint_gpu.values import replace


def group_ends(
    search: GroupSearch, rolling: frozenset[int], scaling: frozenset[int], part: int, *, lasting: bool = False
) -> RunEnds | None:
    """Where all runs come to rest, from every maximal placement; None if the budget does not suffice.

    The budget is divided by `part`. With `lasting`, pods of other workloads do not end by themselves.
    """
    mine = {one.new.key for one in search.situation.participants}

    def found(extra: Sequence[Pod]) -> RunEnds:
        simulation = search.simulation(rolling, extra, scaling)
        if lasting:
            kinds = tuple(
                kind if kind.owner in mine else replace(kind, temporary=False) for kind in simulation.pod_types.kinds
            )
            model = replace(simulation.model, kinds=kinds)
            simulation = replace(simulation, pod_types=replace(simulation.pod_types, kinds=kinds), model=model)
        budget = worth(search.situation.budget // part, simulation)
        starts = placements(simulation, budget // 2)
        states = starts.full or (at_rest(simulation, starts.partial) if starts.complete else ())
        if not starts.complete:
            states = states[: BUDGET.starts]
        return ends_of_runs(simulation, states, budget - starts.looked_at, every_start=starts.complete)

    return search.playing(found)


def eviction_of(search: GroupSearch, ends: RunEnds, owner: str) -> Trace | None:
    """The shortest run that preempts pods of an owner; None if the scheduler core does not confirm it."""
    simulation, path = ends.simulation, ends.evictions[owner]
    for step, after in simulation.model.steps(path[-1]):
        if owner in simulation.model.evicted(step):
            try:
                return search.replayed(simulation, (*path, simulation.places.canonical(after)), ends=False)
            except ReplayMismatch:
                return None
    return None
