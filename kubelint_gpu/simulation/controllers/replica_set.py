"""A ReplicaSet: it creates what is missing and deletes what is too much, one pod at a time.

Behaviour: pkg/controller/replicaset, 1.34.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubelint_gpu.simulation.controllers.controller import Action, Control
from kubelint_gpu.simulation.controllers.state import Census
from kubelint_gpu.values import dataclass


def keep(
    kind: int, wanted: int, control: Control, seen: Census, family: tuple[int, ...], name: str
) -> Iterator[Action]:
    """What a ReplicaSet with `spec.replicas` = `wanted` does about the pods of one kind."""
    active = seen.active(kind)
    if active < wanted:
        missing = wanted - active
        told = f"creates {missing} pod{'s' if missing > 1 else ''} of {name}"
        yield Action(control, told, create=(kind, missing), by="ReplicaSet")
    elif active > wanted:
        yield Action(control, f"deletes a pod of {name}", delete=kind, family=family, by="ReplicaSet")


@dataclass(frozen=True, slots=True)
class Rank:
    """What the deletion order of a ReplicaSet looks at in one pod.

    Attributes:
        assigned: it has a node.
        phase: `Pending`, `Unknown` or `Running`.
        ready: it is Ready.
        cost: its annotation `controller.kubernetes.io/pod-deletion-cost`.
        crowd: how many active pods of its owner's family are on its node.
        ready_seconds: for how long it has been Ready, None where it is not.
        restarts: the most restarts of its containers.
        age_seconds: how old it is.
    """

    assigned: bool = True
    phase: str = "Running"
    ready: bool = True
    cost: int = 0
    crowd: int = 1
    ready_seconds: int | None = None
    restarts: int = 0
    age_seconds: int | None = None


def deletion_key(rank: Rank) -> tuple[int, ...]:
    """Pods with the lowest key are deleted first; ages are compared by their power of two.

    Source: `ActivePodsWithRanks` of pkg/controller/controller_utils.go.
    """
    return (
        rank.assigned,
        ("Pending", "Unknown", "Running").index(rank.phase),
        rank.ready,
        rank.cost,
        -rank.crowd,
        (rank.ready_seconds or 0).bit_length(),
        -rank.restarts,
        (rank.age_seconds or 0).bit_length(),
    )


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

    @property
    def rolls(self) -> bool:
        """It rolls nothing out."""
        return False

    def begin(self) -> Control:
        """It writes nothing."""
        return ()

    def located(self, _positions: Mapping[str, int]) -> Steady:
        """It knows nothing of nodes."""
        return self

    def changes(self, control: Control, seen: Census) -> Iterator[Action]:
        """Pods that were evicted are created again."""
        return keep(self.kind, self.replicas, control, seen, (self.kind,), self.name)

    def done(self, _control: Control, _seen: Census) -> bool:
        """Nothing of it is rolled out, so nothing of it is waited for."""
        return True
