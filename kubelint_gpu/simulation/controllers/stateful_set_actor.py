"""A StatefulSet that is being rolled: each ordinal is a kind of its own, old and new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubelint_gpu.kube.objects.rolling import StatefulSetStrategy
from kubelint_gpu.simulation.controllers.controller import Action, Control
from kubelint_gpu.simulation.controllers.state import Census
from kubelint_gpu.simulation.controllers.stateful_set import PodAction, Replica, is_complete, sync
from kubelint_gpu.values import dataclass


@dataclass(frozen=True, slots=True)
class StatefulSetActor:
    """It writes nothing: which template a pod is of, the pod itself says.

    `old` and `new` are the kinds of the ordinals, from the first on; `gate` is whether it looks at maxUnavailable.
    """

    name: str
    strategy: StatefulSetStrategy
    replicas: int
    old: tuple[int, ...]
    new: tuple[int, ...]
    gate: bool

    @property
    def kinds(self) -> tuple[int, ...]:
        """Pods of every ordinal, old and new."""
        return (*self.old, *self.new)

    @property
    def rolls(self) -> bool:
        """With OnDelete it waits for somebody else to delete its pods."""
        return not self.strategy.on_delete

    def begin(self) -> Control:
        """It writes nothing."""
        return ()

    def located(self, _positions: Mapping[str, int]) -> StatefulSetActor:
        """It knows nothing of nodes."""
        return self

    def changes(self, control: Control, seen: Census) -> Iterator[Action]:
        """What the next sync does, each by itself."""
        for action in sync(self.strategy, self.replicas, self._pods(seen), gate=self.gate):
            yield self._change(control, action, seen)

    def done(self, _control: Control, seen: Census) -> bool:
        """Every ordinal that shall be updated is, and is available."""
        return not self.rolls or is_complete(self.strategy, self.replicas, self._pods(seen))

    def _change(self, control: Control, action: PodAction, seen: Census) -> Action:
        place = action.ordinal - self.strategy.first_ordinal
        if action.act == "create":
            kind = (self.new if action.current else self.old)[place]
            return Action(control, f"creates pod {action.ordinal}", create=(kind, 1))
        kind = self.old[place] if seen.active(self.old[place]) else self.new[place]
        return Action(control, f"deletes pod {action.ordinal}", delete=kind, family=(kind,))

    def _pods(self, seen: Census) -> list[Replica]:
        found = []
        first = self.strategy.first_ordinal
        for kinds, current in ((self.old, False), (self.new, True)):
            for place, kind in enumerate(kinds):
                if seen.remaining(kind):
                    leaving = seen.leaving(kind) > 0
                    found.append(Replica(first + place, current, seen.ready(kind) > 0, leaving))
        return found
