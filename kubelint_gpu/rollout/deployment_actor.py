"""A Deployment that is being rolled, with its two ReplicaSets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kubelint_gpu.kube.rolling import DeploymentStrategy
from kubelint_gpu.rollout.actor import Change, Control
from kubelint_gpu.rollout.deployment import Availability, ReplicaSets, is_complete, sync
from kubelint_gpu.rollout.replica_set import keep
from kubelint_gpu.rollout.state import Census

_ABSENT = -1


@dataclass(frozen=True, slots=True)
class DeploymentActor:
    """Control is `spec.replicas` of the old ReplicaSet and of the new one (-1: not created yet)."""

    name: str
    strategy: DeploymentStrategy
    replicas: int
    old_replicas: int
    old: int
    new: int

    @property
    def kinds(self) -> tuple[int, ...]:
        """Pods of the old template and of the new one."""
        return (self.old, self.new)

    def rest(self) -> Control:
        """All replicas are old."""
        return (self.old_replicas, _ABSENT)

    def begin(self) -> Control:
        """The template has changed and the controller has not looked yet."""
        return self.rest()

    def changes(self, control: Control, seen: Census) -> Iterator[Change]:
        """The Deployment's sync, and what each ReplicaSet does about its pods."""
        now = _sets(control)
        after = sync(self.strategy, self.replicas, now, self._availability(seen))
        if after != now:
            yield Change(_control(after), _told(now, after))
        yield from keep(self.old, now.old[0], control, seen, self.kinds, "the old ReplicaSet")
        if now.new is not None:
            yield from keep(self.new, now.new, control, seen, self.kinds, "the new ReplicaSet")

    def done(self, control: Control, seen: Census) -> bool:
        """Every replica is new and available, no old pod is kept; a paused Deployment rolls nothing out."""
        if self.strategy.paused:
            return True
        return is_complete(self.replicas, _sets(control), self._availability(seen), seen.active(self.old))

    def _availability(self, seen: Census) -> Availability:
        return Availability((seen.ready(self.old),), seen.ready(self.new), seen.remaining(self.old))


def _sets(control: Control) -> ReplicaSets:
    old, new = control
    return ReplicaSets((old,), None if new == _ABSENT else new)


def _control(sets: ReplicaSets) -> Control:
    return (sets.old[0], _ABSENT if sets.new is None else sets.new)


def _told(before: ReplicaSets, after: ReplicaSets) -> str:
    parts = []
    if before.new is None and after.new is not None:
        parts.append(f"creates the new ReplicaSet with replicas {after.new}")
    elif before.new != after.new:
        parts.append(f"scales the new ReplicaSet from {before.new} to {after.new}")
    if before.old != after.old:
        parts.append(f"scales the old ReplicaSet from {before.old[0]} to {after.old[0]}")
    return " and ".join(parts)
