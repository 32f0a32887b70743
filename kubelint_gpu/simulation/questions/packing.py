"""Whether several sets of pods can all run at once, as they must where a controller makes new ones beside the old."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import BUDGET, PLACEMENT
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.model.at_full_replicas import full_simulation
from kubelint_gpu.simulation.model.placing import most_placed
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.questions.asked_again import asked_once
from kubelint_gpu.simulation.search.placements import one_placement, placements
from kubelint_gpu.values import replace


def gathered(
    wanted: Sequence[tuple[Workload, int]], cluster: Cluster, *, budget: int = BUDGET.placements
) -> tuple[int, ...] | None:
    """How many pods of each workload run at most where all of them are wanted; None where all may.

    The pods of the cluster stay where they are, quotas are not looked at.
    Where `budget` partial placements do not tell, all may: nothing is proven against it.
    """
    sign = tuple([(one.key, number) for one, number in wanted])
    return asked_once(sign, (budget, tuple(wanted), cluster), lambda: _gathered(wanted, cluster, budget))


def _gathered(wanted: Sequence[tuple[Workload, int]], cluster: Cluster, budget: int) -> tuple[int, ...] | None:
    apart = [_wanted_at_once(one, index, number) for index, (one, number) in enumerate(wanted)]
    simulation = full_simulation(apart, replace(cluster, quotas=()))
    most = _capacities(simulation)
    if most is not None:
        if len(most) < 2 or sum(most) > PLACEMENT.packed_pods or all(number == 0 for number in most):
            return most
        # templates that take room from each other
        again = _gathered([(one, number) for (one, _), number in zip(wanted, most, strict=True)], cluster, budget)
        return most if again is None else again
    if one_placement(simulation) is not None:
        return None
    found = placements(simulation, budget)
    if found.full or not found.complete:
        return None
    return tuple(sum(found.placed[kind] for kind in kinds) for kinds in simulation.pod_types.members)


def gathered_beside(
    wanted: Sequence[Workload], others: Sequence[Workload], cluster: Cluster, *, budget: int = BUDGET.placements
) -> tuple[int, int] | None:
    """How many pods of some workloads run at most, in the worst and in the best placement of others that were first.

    The pods of the cluster stay where they are, quotas are not looked at.
    None where no placement has room for all the others, and where `budget` states do not tell.
    """
    apart = [_wanted_at_once(one, index, one.replicas) for index, one in enumerate(wanted)]
    simulation = full_simulation([*others, *apart], replace(cluster, quotas=()))
    kinds = {kind for members in simulation.pod_types.members[-len(apart) :] for kind in members}
    counts = list(enumerate(simulation.pod_types.wanted))
    first = tuple(0 if kind in kinds else count for kind, count in counts)
    waiting = tuple(count if kind in kinds else 0 for kind, count in counts)
    found = placements(replace(simulation, pod_types=replace(simulation.pod_types, wanted=first)), budget)
    if not found.full or not found.complete:
        return None
    most = []
    for state in found.full:
        rest = most_placed(simulation, state._replace(controls=(), waiting=waiting), kinds, budget)
        if not rest.decided:
            return None
        most.append(rest.pods)
    return min(most), max(most)


def _wanted_at_once(workload: Workload, index: int, replicas: int) -> Workload:
    """One of several that may be of one name, of whose pods none waits for the end of another."""
    meta = replace(workload.meta, name=f"{workload.meta.name}-{index}")
    spec = replace(workload.spec, restart_policy="Always")
    return replace(workload, replicas=replicas, strategy=None, meta=meta, spec=spec)


def _capacities(simulation: Simulation) -> tuple[int, ...] | None:
    """How many pods of each workload find places where no other is; None where all do, or it is not known."""
    if not simulation.local:
        return None
    wanted = simulation.pod_types.wanted
    fitting = [simulation.places.capacity(kind, number) for kind, number in enumerate(wanted)]
    if fitting == list(wanted):
        return None
    return tuple(sum(fitting[kind] for kind in kinds) for kinds in simulation.pod_types.members)
