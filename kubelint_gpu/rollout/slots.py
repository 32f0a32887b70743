"""Places that are all alike: where each is as good as any other, counting them decides."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.frozen import FrozenMap
from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.rolling import DeploymentStrategy
from kubelint_gpu.rollout.deployment import slots_needed
from kubelint_gpu.rollout.participant import Participant, created_pod
from kubelint_gpu.rollout.room import Demand, Residual, contended, takes
from kubelint_gpu.rollout.scene import Scene
from kubelint_gpu.values import dataclass, replace

_REVISIONS = ("pod-template-hash", "controller-revision-hash")


@dataclass(frozen=True, slots=True)
class Slots:
    """How many places there are, how many others hold, and how many a rollout needs to end."""

    total: int
    others: int
    needed: int


def group_slots(
    participants: Sequence[Participant], demands: Sequence[Demand], position: int, residual: Residual
) -> Slots | None:
    """The places of a group in which every pod takes as much of what is scarce as any other; None where it is not so.

    Nobody in the group can evict anybody, and nobody outside it moves.
    """
    mine = demands[position]
    if any(found.temporary or found.daemons for found in participants):
        return None
    if any(not demand.simple or demand.nodes != mine.nodes for demand in demands):
        return None
    if any(found.before != found.replicas or not found.existing or found.kept for found in participants):
        return None
    mine_before = participants[position].before
    pairs = contended(demands, residual)
    scarce = sorted({resource for found in pairs for _, resource in found})
    each = _takes_of(mine.each, scarce)
    for participant in participants:
        pods = [created_pod(participant.old, "old"), created_pod(participant.new, "new"), *participant.running]
        if any(_takes_of(takes(pod), scarce) != each for pod in pods):
            return None
    if not scarce or not all(each):
        return None
    total = sum(
        min(max(0, residual[node].get(name, 0)) // amount for name, amount in zip(scarce, each, strict=True))
        for node in mine.nodes
    )
    others = sum(found.before for place, found in enumerate(participants) if place != position)
    if total < others + mine_before and any(found.running for found in participants):
        # who is there already is not the one who finds no room
        return None
    return Slots(total, others, _needed(participants[position]))


def own_slots(participant: Participant, scene: Scene) -> Slots | None:
    """The places of a workload that nobody else competes with; None where old and new pods are not alike."""
    if participant.temporary or participant.daemons or participant.running or scene.absent or not scene.local:
        return None
    if participant.before != participant.replicas or participant.kept or scene.places.is_charged(0):
        return None
    old, new = created_pod(participant.old, "old"), created_pod(participant.new, "old")
    if old != new or _looks_at_revision(created_pod(participant.new, "new"), old):
        return None
    needed = _needed(participant)
    enough = max(needed, participant.replicas)
    return Slots(scene.places.capacity(0, enough), 0, needed)


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


def _needed(participant: Participant) -> int:
    strategy = participant.new.strategy
    if not participant.rolling:
        return 0
    if isinstance(strategy, DeploymentStrategy):
        return 0 if strategy.paused else slots_needed(strategy, participant.replicas)
    return participant.replicas
