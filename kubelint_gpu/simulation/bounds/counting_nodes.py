"""Places that are all alike: where each is as good as any other, counting them decides."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.demand import Demand, Residual, contended, takes
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod, joined
from kubelint_gpu.values import Value, replace

_REVISIONS = ("pod-template-hash", "controller-revision-hash")


class Slots(Value):
    """How many places there are, how many others hold, and how many a rollout needs to end."""

    total: int
    others: int
    needed: int


class Shares(Value):
    """Places that are all alike, while workloads change at the same moment.

    Attributes:
        total: how many there are.
        least: how many of them all others hold at any moment.
        most: more than they hold once nothing moves any more.
        last: how many they hold when all have changed.
        needed: how many a rollout needs to end; for one that is not rolled, its replicas.
    """

    total: int
    least: int
    most: int
    last: int
    needed: int


def group_slots(participants: Sequence[WorkloadChange], position: int, total: int | None) -> Slots | None:
    """The places of a group that has so many in `total` as `group_places` says; None where counting does not tell.

    Nobody in the group can evict anybody, and nobody outside it moves.
    """
    if any(found.before != found.replicas or not found.existing for found in participants):
        return None
    if total is None:
        return None
    others = sum(found.before for place, found in enumerate(participants) if place != position)
    if total < others + participants[position].before and any(found.running for found in participants):
        # who is there already is not the one who finds no room
        return None
    parts = [participants[place] for place in joined(participants, frozenset({position}))]
    return Slots(total, others, sum(_needed(one) - one.before for one in parts) + participants[position].before)


def group_shares(participants: Sequence[WorkloadChange], position: int, total: int | None) -> Shares | None:
    """The same while everything that is known to change in the group begins to change at the same moment."""
    if total is None:
        return None
    others = [found for place, found in enumerate(participants) if place != position]
    mine = participants[position]
    every = sum(found.sure for found in participants) <= total
    if not every and any(found.running for found in participants):
        # who is there already is not the one who finds no room
        return None
    return Shares(
        total,
        # any of them may be the one who has none from the first
        sum(map(held_at_least, others)) if every else 0,
        sum(map(held_at_rest, others)),
        sum(found.replicas if found.moves else found.before for found in others),
        needed_at_once(mine) if mine.rolling else mine.replicas,
    )


def held_at_least(participant: WorkloadChange) -> int:
    """How many pods of a workload have their places at any moment of its change, while nobody evicts any."""
    if participant.temporary:
        return 0
    if not participant.moves:
        return participant.before
    least = min(participant.sure, participant.replicas)
    if not participant.rolling:
        return least
    return max(0, min(least, participant.controller.keeps(participant.replicas)))


def held_at_rest(participant: WorkloadChange) -> int:
    """More pods of a workload than have places once nothing moves any more.

    A Deployment whose rollout waits has at most as many available pods as it must have. A StatefulSet that makes its
    pods one after the other deletes none of too many while one of them waits.
    """
    if not participant.moves:
        return participant.before
    if participant.controller.keeps_surplus:
        return max(participant.before, participant.replicas)
    return participant.replicas + participant.controller.surplus(participant.replicas)


def needed_at_once(participant: WorkloadChange) -> int:
    """How many places a rollout needs to end that may scale its workload, too.

    While an old pod is available, it goes when one more than must be is; where none is at first, none has to go.
    """
    return _needed(participant) if min(participant.sure, participant.replicas) else participant.replicas


def group_places(participants: Sequence[WorkloadChange], demands: Sequence[Demand], residual: Residual) -> int | None:
    """How many places there are in a group in which every pod takes as much of what is scarce as any other.

    None where one place is not as good as any other for each pod.
    """
    mine = demands[0]
    if any(one.temporary or one.daemons or one.kept or not one.counted for one in participants):
        return None
    if any(not demand.simple or demand.nodes != mine.nodes for demand in demands):
        return None
    pairs = contended(demands, residual)
    scarce = sorted({resource for found in pairs for _, resource in found})
    each = _takes_of(mine.each, scarce)
    for participant in participants:
        if any(_takes_of(takes(pod), scarce) != each for pod in participant.pods):
            return None
    if not scarce or not all(each):
        return None
    return sum(
        min(max(0, residual[node].get(name, 0)) // amount for name, amount in zip(scarce, each, strict=True))
        for node in mine.nodes
    )


def own_slots(participant: WorkloadChange, simulation: Simulation) -> Slots | None:
    """The places of a workload that nobody else competes with; None where old and new pods are not alike."""
    if participant.temporary or participant.daemons or participant.running or simulation.absent or not simulation.local:
        return None
    if not participant.counted:
        return None
    if participant.before != participant.replicas or participant.kept or simulation.places.is_charged(0):
        return None
    old, new = created_pod(participant.old, "old"), created_pod(participant.new, "old")
    if old != new or _looks_at_revision(created_pod(participant.new, "new"), old):
        return None
    needed = _needed(participant)
    enough = max(needed, participant.replicas)
    return Slots(simulation.places.capacity(0, enough), 0, needed)


def _takes_of(amounts: FrozenMap[str, int], names: Sequence[str]) -> tuple[int, ...]:
    return tuple(amounts.get(name, 0) for name in names)


def _looks_at_revision(new: Pod, old: Pod) -> bool:
    """Whether a term tells pods of the new template from pods of the old one."""
    if replace(new.spec) != old.spec:
        return True
    return any(
        term.selector is not None and term.selector.keys & set(_REVISIONS)
        for term in (*new.spec.pod_affinity, *new.spec.pod_anti_affinity)
    )


def _needed(participant: WorkloadChange) -> int:
    return participant.controller.places_needed(participant.replicas) if participant.rolling else 0
