"""A DaemonSet that is being rolled, or that only replaces what it loses: one pod for each of its nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubelint_gpu.kube.objects.rolling import DaemonSetStrategy
from kubelint_gpu.simulation.controllers.controller import Action, Control
from kubelint_gpu.simulation.controllers.daemon_set import OnNode, resolve, sync
from kubelint_gpu.simulation.controllers.state import GOING, READY, Census, Content
from kubelint_gpu.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class DaemonSetActor:
    """It writes nothing; `new` is -1 for one that is not rolled.

    `left` are nodes that it shall have no pod on any more; on those that `stay` it makes none, and an old pod goes
    when its turn comes. `on`, `off` and `aside` are the positions of the three kinds of nodes.
    """

    name: str
    strategy: DaemonSetStrategy
    nodes: tuple[str, ...]
    old: int
    new: int = -1
    left: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    on: tuple[int, ...] = ()
    off: tuple[int, ...] = ()
    aside: tuple[int, ...] = ()

    @property
    def kinds(self) -> tuple[int, ...]:
        """Pods of the old template and, where it is rolled, of the new one."""
        return (self.old,) if self.new < 0 else (self.old, self.new)

    @property
    def rolls(self) -> bool:
        """Whether there is a new template."""
        return self.new >= 0

    def begin(self) -> Control:
        """It writes nothing."""
        return ()

    def located(self, positions: Mapping[str, int]) -> DaemonSetActor:
        """The same with the positions of its nodes."""
        on, off, aside = (
            tuple(sorted(positions[name] for name in names if name in positions))
            for names in (self.nodes, self.left, self.stays)
        )
        return replace(self, on=on, off=off, aside=aside)

    def changes(self, control: Control, seen: Census) -> Iterator[Action]:
        """Pods that are missing are made, old ones replaced within the bounds."""
        if self.new < 0:
            told = Action(control, "creates a pod in place of one that is gone", create=(self.old, 1))
            yield from self._each(told, self._empty(seen))
            return
        # a node that gets no pod any more counts as long as there is one
        at = [*self.on, *(index for index in self.aside if self._on(seen.nodes[index]) != OnNode())]
        found = sync(resolve(self.strategy, len(self.on)), [self._on(seen.nodes[index]) for index in at])
        creates = Action(control, "creates a new pod", create=(self.new, 1))
        deletes = Action(control, "deletes the old pod", delete=self.old)
        yield from self._each(deletes, [index for index in self.off if self._on(seen.nodes[index]).old is not None])
        yield from self._each(creates, [at[place] for place in found.create])
        yield from self._each(deletes, [at[place] for place in found.delete])
        yield from self._each(deletes, [at[place] for place in found.delete_one_of])
        yield from self._each(creates, [at[place] for place in found.create_one_of])

    def done(self, _control: Control, seen: Census) -> bool:
        """Every node has an available new pod, and no old one is kept but where no new one is made."""
        if self.new < 0:
            return True
        aside = sum(self._on(seen.nodes[index]).old is not None for index in self.aside)
        return seen.active(self.old) == aside and seen.ready(self.new) >= len(self.on)

    def _each(self, change: Action, nodes: list[int]) -> Iterator[Action]:
        return (replace(change, node=index) for index in nodes)

    def _empty(self, seen: Census) -> list[int]:
        return [index for index in self.on if not any(kind == self.old for kind, _, _ in seen.nodes[index])]

    def _on(self, content: Content) -> OnNode:
        old: bool | None = None
        new: bool | None = None
        leaving = False
        for kind, phase, _ in content:
            if kind not in self.kinds:
                continue
            if phase in GOING:
                leaving = True
            elif kind == self.old:
                old = phase == READY
            else:
                new = phase == READY
        return OnNode(old, new, leaving)
