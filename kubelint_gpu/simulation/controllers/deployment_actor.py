"""A Deployment that is being rolled, with its ReplicaSets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubelint_gpu.kube.objects.rolling import DeploymentStrategy
from kubelint_gpu.simulation.controllers.controller import Action, Control
from kubelint_gpu.simulation.controllers.deployment import (
    Availability,
    ReplicaSets,
    ScaledReplicaSets,
    is_complete,
    proportionally,
    sync,
)
from kubelint_gpu.simulation.controllers.replica_set import keep
from kubelint_gpu.simulation.controllers.state import Census
from kubelint_gpu.values import dataclass

_ABSENT = -1


@dataclass(frozen=True, slots=True)
class DeploymentActor:
    """Control is `spec.replicas` of each old ReplicaSet, of the new one (-1: not created yet), and whether it is
    scaled to the replicas that are asked for now.

    `old_replicas` and `old` are of the old ReplicaSets, oldest first.
    """

    name: str
    strategy: DeploymentStrategy
    replicas: int
    old_replicas: tuple[int, ...]
    old: tuple[int, ...]
    new: int
    rescaled: bool = False

    @property
    def kinds(self) -> tuple[int, ...]:
        """Pods of the old templates and of the new one."""
        return (*self.old, self.new)

    @property
    def rolls(self) -> bool:
        """A paused Deployment rolls nothing out."""
        return not self.strategy.paused

    def begin(self) -> Control:
        """All replicas are old, and the controller has not looked yet."""
        return (*self.old_replicas, _ABSENT, 0 if self.rescaled and any(self.old_replicas) else 1)

    def located(self, _positions: Mapping[str, int]) -> DeploymentActor:
        """It knows nothing of nodes."""
        return self

    def changes(self, control: Control, seen: Census) -> Iterator[Action]:
        """The Deployment's sync, and what each ReplicaSet does about its pods."""
        now = ReplicaSets(control[:-2], None if control[-2] == _ABSENT else control[-2])
        if control[-1]:
            after = sync(self.strategy, self.replicas, now, self._availability(seen))
            if after != now:
                yield Action(_control(after), _told(now, after))
        else:
            scaled, _ = proportionally(
                self.strategy, self.replicas, tuple(ScaledReplicaSets(count) for count in now.old), ScaledReplicaSets(0)
            )
            after = ReplicaSets(scaled, now.new)
            yield Action(_control(after), _told(now, after) or "writes the wanted replicas down")
        single = len(self.old) == 1
        for number, kind in enumerate(self.old):
            which = "the old ReplicaSet" if single else f"old ReplicaSet {number + 1}"
            yield from keep(kind, now.old[number], control, seen, self.kinds, which)
        if now.new is not None:
            yield from keep(self.new, now.new, control, seen, self.kinds, "the new ReplicaSet")

    def done(self, control: Control, seen: Census) -> bool:
        """Every replica is new and available, no old pod is kept; a paused Deployment rolls nothing out."""
        if self.strategy.paused:
            return True
        now = ReplicaSets(control[:-2], None if control[-2] == _ABSENT else control[-2])
        active = sum(seen.active(kind) for kind in self.old)
        return bool(control[-1]) and is_complete(self.replicas, now, self._availability(seen), active)

    def _availability(self, seen: Census) -> Availability:
        ready = tuple(seen.ready(kind) for kind in self.old)
        return Availability(ready, seen.ready(self.new), sum(seen.remaining(kind) for kind in self.old))


def _control(sets: ReplicaSets) -> Control:
    return (*sets.old, _ABSENT if sets.new is None else sets.new, 1)


def _told(before: ReplicaSets, after: ReplicaSets) -> str:
    parts = []
    if before.new is None and after.new is not None:
        parts.append(f"creates the new ReplicaSet with replicas {after.new}")
    elif before.new != after.new:
        parts.append(f"scales the new ReplicaSet from {before.new} to {after.new}")
    single = len(before.old) == 1
    for number, (was, now) in enumerate(zip(before.old, after.old, strict=True)):
        if was != now:
            which = "the old ReplicaSet" if single else f"old ReplicaSet {number + 1}"
            parts.append(f"scales {which} from {was} to {now}")
    return " and ".join(parts)
