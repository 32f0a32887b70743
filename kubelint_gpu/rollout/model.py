"""A rollout as states and steps: what controllers, scheduler and kubelets may do next, in every order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from kubelint_gpu.rollout.actor import Actor, Change, Kind
from kubelint_gpu.rollout.state import (
    LEAVING,
    NOMINATED,
    READY,
    STARTING,
    Census,
    Content,
    State,
    canonical,
    census,
    more,
    on_node,
)


@dataclass(frozen=True, slots=True)
class Eviction:
    """A node that preemption may choose for a pod, and the pods it evicts there, as (kind, phase)."""

    node: int
    victims: tuple[tuple[int, int], ...]


class Places(Protocol):
    """Where pods can go, as the scheduler answers it."""

    @property
    def classes(self) -> Sequence[range]:
        """Positions of nodes that no pod in play can tell apart."""
        ...

    def fitting(self, kind: int, state: State, nominated: int | None = None) -> Sequence[int]:
        """The nodes on which a waiting pod of a kind fits; `nominated` is the node it is nominated to."""
        ...

    def evictions(self, kind: int, state: State) -> Sequence[Eviction]:
        """What preemption may do for a waiting pod that fits nowhere."""
        ...

    def may_create(self, kind: int, state: State) -> bool:
        """Whether one more pod of a kind passes admission (ResourceQuota)."""
        ...

    def starts(self, kind: int, node: int, state: State) -> bool:
        """Whether a bound pod can become ready: its volumes are not attached elsewhere."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """One event.

    `act` is `control`, `create`, `delete`, `bind`, `preempt`, `ready`, `gone` or `finish`.
    `node` is a position in the state before the step, -1 where none is meant.
    """

    act: str
    actor: int = -1
    kind: int = -1
    node: int = -1
    count: int = 0
    what: str = ""
    phase: int = -1
    victims: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that takes part in one exploration."""

    kinds: tuple[Kind, ...]
    actors: tuple[Actor, ...]
    places: Places

    def successors(self, state: State) -> Iterator[State]:
        """The states one event away, in canonical form, each once."""
        seen = set()
        for _, following in self.steps(state):
            found = canonical(following, self.places.classes)
            if found not in seen and found != state:
                seen.add(found)
                yield found

    def done(self, state: State) -> bool:
        """Whether every rollout is complete."""
        seen = census(state)
        return all(actor.done(control, seen) for actor, control in zip(self.actors, state.controls, strict=True))

    def steps(self, state: State) -> Iterator[tuple[Step, State]]:
        """Every event that can happen next; of equal nodes only the first is tried."""
        seen = census(state)
        for number, actor in enumerate(self.actors):
            for change in actor.changes(state.controls[number], seen):
                yield from self._controlled(state, number, change)
        yield from self._scheduled(state)
        yield from self._kubelets(state)

    def distinct(self, nodes: tuple[Content, ...], among: Sequence[int] | None = None) -> Iterator[int]:
        """One node of each class and content."""
        for members in self.places.classes:
            tried = set()
            for index in members:
                if (among is None or index in among) and nodes[index] not in tried:
                    tried.add(nodes[index])
                    yield index

    def _controlled(self, state: State, number: int, change: Change) -> Iterator[tuple[Step, State]]:
        controls = (*state.controls[:number], change.control, *state.controls[number + 1 :])
        after = State(controls, state.waiting, state.nodes)
        if change.create is not None:
            kind, wanted = change.create
            created = 0
            while created < wanted and self.places.may_create(kind, after):
                after = State(controls, more(after.waiting, kind, 1), after.nodes)
                created += 1
            if created:
                yield Step("create", number, kind, count=created, what=change.what), after
        elif change.delete is not None:
            yield from self._deleted(after, number, change, change.delete)
        else:
            yield Step("control", number, what=change.what), after

    def _deleted(self, state: State, number: int, change: Change, kind: int) -> Iterator[tuple[Step, State]]:
        """Deletion order of a ReplicaSet: unassigned pods, then not ready ones, then where most of its family are."""
        if state.waiting[kind]:
            step = Step("delete", number, kind, phase=-1, what=change.what)
            yield step, State(state.controls, more(state.waiting, kind, -1), state.nodes)
            return
        for phase in (NOMINATED, STARTING, READY):
            holders = [index for index, content in enumerate(state.nodes) if _count(content, kind, phase)]
            if not holders:
                continue
            crowd = {index: _family(state.nodes[index], change.family) for index in holders}
            most = max(crowd.values())
            crowded = [index for index in holders if crowd[index] == most]
            for index in self.distinct(state.nodes, crowded):
                leaving = () if phase == NOMINATED else ((kind, LEAVING, 1),)
                nodes = on_node(state.nodes, index, (kind, phase, -1), *leaving)
                step = Step("delete", number, kind, index, phase=phase, what=change.what)
                yield step, State(state.controls, state.waiting, nodes)
            return

    def _scheduled(self, state: State) -> Iterator[tuple[Step, State]]:
        """The scheduler acts for a waiting pod of the highest priority for which it can do anything."""
        pending = [(kind, -1) for kind, count in enumerate(state.waiting) if count]
        pending += [
            (kind, index)
            for index in self.distinct(state.nodes)
            for kind, phase, _ in state.nodes[index]
            if phase == NOMINATED
        ]
        pending.sort(key=lambda found: -self.kinds[found[0]].priority)
        acted_at: int | None = None
        for kind, home in pending:
            priority = self.kinds[kind].priority
            if acted_at is not None and priority < acted_at:
                return
            for found in self._attempt(state, kind, home):
                acted_at = priority
                yield found

    def _attempt(self, state: State, kind: int, home: int) -> Iterator[tuple[Step, State]]:
        fitting = self.places.fitting(kind, state, home if home >= 0 else None)
        if home >= 0 and home in fitting:
            fitting = (home,)
        if home >= 0:
            out = State(state.controls, state.waiting, on_node(state.nodes, home, (kind, NOMINATED, -1)))
        else:
            out = State(state.controls, more(state.waiting, kind, -1), state.nodes)
        if fitting:
            for index in self.distinct(state.nodes, fitting) if home < 0 else fitting:
                nodes = on_node(out.nodes, index, (kind, STARTING, 1))
                yield Step("bind", kind=kind, node=index), State(out.controls, out.waiting, nodes)
            return
        if home >= 0 and any(phase == LEAVING for _, phase, _ in state.nodes[home]):
            return
        for eviction in self.places.evictions(kind, state):
            nodes, waiting = out.nodes, out.waiting
            for victim, phase in eviction.victims:
                if phase == LEAVING:
                    continue
                nodes = on_node(nodes, eviction.node, (victim, phase, -1), (victim, LEAVING, 1))
            # a pod of lower priority that was nominated there is tried anew
            for other, phase, count in nodes[eviction.node]:
                if phase == NOMINATED and self.kinds[other].priority < self.kinds[kind].priority:
                    nodes = on_node(nodes, eviction.node, (other, NOMINATED, -count))
                    waiting = more(waiting, other, count)
            nodes = on_node(nodes, eviction.node, (kind, NOMINATED, 1))
            step = Step("preempt", kind=kind, node=eviction.node, victims=eviction.victims)
            yield step, State(out.controls, waiting, nodes)

    def _kubelets(self, state: State) -> Iterator[tuple[Step, State]]:
        for index in self.distinct(state.nodes):
            for kind, phase, _ in state.nodes[index]:
                if phase == STARTING and self.places.starts(kind, index, state):
                    nodes = on_node(state.nodes, index, (kind, STARTING, -1), (kind, READY, 1))
                    yield Step("ready", kind=kind, node=index), State(state.controls, state.waiting, nodes)
                elif phase == LEAVING:
                    nodes = on_node(state.nodes, index, (kind, LEAVING, -1))
                    yield Step("gone", kind=kind, node=index), State(state.controls, state.waiting, nodes)
                elif phase == READY and self.kinds[kind].temporary:
                    nodes = on_node(state.nodes, index, (kind, READY, -1))
                    yield Step("finish", kind=kind, node=index), State(state.controls, state.waiting, nodes)


def _count(content: Content, kind: int, phase: int) -> int:
    return sum(count for found, at, count in content if found == kind and at == phase)


def _family(content: Content, family: tuple[int, ...]) -> int:
    return sum(count for kind, phase, count in content if kind in family and phase in (STARTING, READY))


def settled(seen: Census) -> bool:
    """Whether nothing is starting, terminating or waiting."""
    return not any(seen.waiting) and not any(a or b or d for a, b, _, d in seen.phases)
