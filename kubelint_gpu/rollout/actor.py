"""What acts in a rollout besides the scheduler and the kubelets: one actor per workload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.rollout.state import Census


@dataclass(frozen=True, slots=True)
class Kind:
    """Pods that are interchangeable: same owner, same template.

    Attributes:
        pod: a pod of this kind, with its priority resolved.
        actor: the position of the actor that owns it; -1 for a pod that nobody replaces.
        new: whether it is of the template that is being rolled out.
        temporary: whether such a pod ends by itself some day, as a Job's does.
    """

    pod: Pod
    actor: int
    new: bool = False
    temporary: bool = False

    @property
    def priority(self) -> int:
        """The priority that admission gave it."""
        return self.pod.spec.priority or 0


Control = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a controller does.

    Attributes:
        control: what it has written after it.
        what: the sentence that says so.
        create: pods of one kind that it creates, as (kind, count).
        delete: a kind of which it deletes one pod; `family` are the kinds that count as its owner's.
    """

    control: Control
    what: str
    create: tuple[int, int] | None = None
    delete: int | None = None
    family: tuple[int, ...] = ()


class Actor(Protocol):
    """A controller and the one workload it looks after.

    `rest` is what it has written while nothing is rolled out, `begin` what it starts a rollout from.
    """

    @property
    def name(self) -> str:
        """`kind/namespace/name` of the workload."""
        ...

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of its pods."""
        ...

    def rest(self) -> Control:
        """What is written at full replicas of the old template."""
        ...

    def begin(self) -> Control:
        """What is written at the moment the template changes."""
        ...

    def changes(self, control: Control, seen: Census) -> Iterator[Change]:
        """All that it would do next, each by itself."""
        ...

    def done(self, control: Control, seen: Census) -> bool:
        """Whether its rollout is complete; for a workload that is not rolled, whether it has all its pods."""
        ...
