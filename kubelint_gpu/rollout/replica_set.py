"""A ReplicaSet: it creates what is missing and deletes what is too much, one pod at a time.

Behaviour: pkg/controller/replicaset, 1.34.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kubelint_gpu.rollout.actor import Change, Control
from kubelint_gpu.rollout.state import Census


def keep(
    kind: int, wanted: int, control: Control, seen: Census, family: tuple[int, ...], name: str
) -> Iterator[Change]:
    """What a ReplicaSet with `spec.replicas` = `wanted` does about the pods of one kind."""
    active = seen.active(kind)
    if active < wanted:
        missing = wanted - active
        yield Change(control, f"creates {missing} pod{'s' if missing > 1 else ''} of {name}", create=(kind, missing))
    elif active > wanted:
        yield Change(control, f"deletes a pod of {name}", delete=kind, family=family)


@dataclass(frozen=True, slots=True)
class Steady:
    """A workload that is not rolled: it only replaces what it loses.

    ReplicaSets, ReplicationControllers, and everything else while another workload is rolled.
    """

    name: str
    kind: int
    replicas: int

    @property
    def kinds(self) -> tuple[int, ...]:
        """Its only kind."""
        return (self.kind,)

    def rest(self) -> Control:
        """It writes nothing."""
        return ()

    def begin(self) -> Control:
        """It writes nothing."""
        return ()

    def changes(self, control: Control, seen: Census) -> Iterator[Change]:
        """Pods that were evicted are created again."""
        return keep(self.kind, self.replicas, control, seen, (self.kind,), self.name)

    def done(self, _control: Control, _seen: Census) -> bool:
        """Nothing of it is rolled out, so nothing of it is waited for."""
        return True
