"""How many pods of a workload can run at once, independent of rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers import rollout_state
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import pods_of_others
from kubelint_gpu.simulation.questions.served_resources import with_claims_for_resources
from kubelint_gpu.simulation.search import placements, placing_pods
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


class Placed(NamedTuple):
    """How many pods of a workload have places in one state, and how many of each workload beside it."""

    pods: int
    beside: tuple[int, ...]


def placeable(
    workload: Workload, cluster: Cluster, most: int, *, beside: Sequence[Workload] = (), budget: int = BUDGET.placements
) -> int | None:
    """The largest number of its pods, up to `most`, that find places; None if `budget` does not suffice."""
    found = placed_beside(workload, cluster, most, beside=beside, budget=budget)
    return None if found is None else found.pods


def placed_beside(
    workload: Workload, cluster: Cluster, most: int, *, beside: Sequence[Workload] = (), budget: int = BUDGET.placements
) -> Placed | None:
    """The state with the most of its pods, up to `most`, that find places beside the running pods of others.

    Its own running pods are placed anew; pods beyond its replicas come after all others. The pods of workloads `beside`
    it are placed in the best way for it; if they do not all find room, as many as possible are placed. None if `budget`
    partial placements do not suffice.
    """
    from kubelint_gpu.simulation.model import at_full_replicas

    cluster = with_bound_claims(cluster, (workload, *beside))
    others = pods_of_others([workload], cluster.pods)
    scaled = Transition(replace(workload, replicas=most), replace(workload, replicas=min(workload.replicas, most)))
    changes = [*(Transition(one, one) for one in beside), scaled]
    simulation = at_full_replicas.full_simulation(
        *with_claims_for_resources(changes, replace(cluster, pods=others))[:2]
    )
    *others_kinds, (kind,) = simulation.pod_types.members

    def running(state: rollout_state.State, *kinds: int) -> int:
        ready = rollout_state.READY
        return sum(rollout_state.count_on(content, one, ready) for content in state.nodes for one in kinds)

    def placed(state: rollout_state.State) -> Placed:
        return Placed(running(state, kind), tuple(running(state, *kinds) for kinds in others_kinds))

    if simulation.local and not simulation.places.is_charged(kind) and len(simulation.pod_types.kinds) == 1:
        return Placed(simulation.places.capacity(kind, most), ())
    state = placements.one_placement(simulation)
    # pods that a quota refuses are not even made, and those of Jobs may wait
    if state is not None and running(state, kind) == most:
        return placed(state)
    found = placements.placements(simulation, budget)
    ends = [*found.full, *found.partial]
    whole = [state for state in ends if all(other == kind for other, _ in placing_pods.missing(state))]
    best = max(map(placed, whole or ends), key=lambda one: one.pods, default=Placed(0, (0,) * len(beside)))
    return best if found.complete or best.pods == most else None


def find_no_room_together(workloads: Sequence[Workload], cluster: Cluster, *, budget: int = BUDGET.placements) -> bool:
    """Whether the pods of some workloads cannot all run at once, even on an otherwise empty cluster.

    False if `budget` partial placements do not suffice, or if pods must be near others.
    """
    from kubelint_gpu.simulation.model import at_full_replicas

    if any(one.spec.pod_affinity for one in workloads):
        return False
    empty = with_bound_claims(replace(cluster, pods=()), workloads)
    changes = [Transition(one, one) for one in workloads]
    found = placements.placements(
        at_full_replicas.full_simulation(*with_claims_for_resources(changes, empty)[:2]), budget
    )
    return found.complete and all(placing_pods.missing(state) for state in found.full)
