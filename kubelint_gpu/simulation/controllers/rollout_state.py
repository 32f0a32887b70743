"""A moment of a rollout as a value. Equal moments are equal values.

Pods of one kind are interchangeable, and so are nodes of one class: contents of a class's nodes are sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kubelint_gpu.values import Value

NOMINATED, STARTING, READY, LEAVING, EVICTED, AWAITED, BROKEN = range(7)
"""Phases of a pod: it has evicted others and waits for their node; bound; available; being deleted; being deleted
because the scheduler preempted it; waiting for this very node and no other, as a daemon pod does; bound, and never
ready."""

UNBOUND = (NOMINATED, AWAITED)
GOING = (LEAVING, EVICTED)

Content = tuple[tuple[int, int, int], ...]
"""What is on a node or waits for it: (kind, phase, count), sorted."""

ABSENT: Content = ((-1, -1, 1),)
"""The content of a node that does not exist yet: an autoscaler may add it. It is no pod of any kind in any phase."""

Controls = tuple[tuple[int, ...], ...]


class HeldDevices(NamedTuple):
    """The devices allocated to the claims of the pods in play.

    Attributes:
        on_nodes: for each node its pods with allocations of their own: (kind, number of the allocations, count).
        shared: for each claim that pods name, the number of its allocation; 0 if it has none.
    """

    on_nodes: tuple[Content, ...]
    shared: tuple[int, ...]


HeldHere = tuple[Content, tuple[int, ...]]
"""What is held on one node, and the allocations of the claims that pods name."""


class State(NamedTuple):
    """The values written by controllers, the waiting pods of each kind, and the pods on each node.

    `held` has the allocations of resource claims; None if no pod in play has claims.
    `bindings` are the volumes of the claims that were unbound at the start; empty if there were none.
    """

    controls: Controls
    waiting: tuple[int, ...]
    nodes: tuple[Content, ...]
    held: HeldDevices | None = None
    bindings: tuple[str, ...] = ()

    def bound(self, bindings: tuple[str, ...]) -> State:
        """The state with other volumes bound."""
        return self if bindings is self.bindings else self._replace(bindings=bindings)


def changed(content: Content, kind: int, phase: int, by: int) -> Content:
    """A node's content with `by` more pods of a kind in a phase."""
    counts = {(found, at): count for found, at, count in content}
    counts[kind, phase] = counts.get((kind, phase), 0) + by
    return tuple(sorted([(found, at, count) for (found, at), count in counts.items() if count]))


def on_node(nodes: tuple[Content, ...], index: int, *changes: tuple[int, int, int]) -> tuple[Content, ...]:
    """The nodes after changes (kind, phase, by) on one of them."""
    content = nodes[index]
    for kind, phase, by in changes:
        content = changed(content, kind, phase, by)
    return (*nodes[:index], content, *nodes[index + 1 :])


def more(counts: tuple[int, ...], kind: int, by: int) -> tuple[int, ...]:
    """Counts per kind, one of them changed by `by`."""
    return (*counts[:kind], counts[kind] + by, *counts[kind + 1 :])


def canonical(state: State, classes: Sequence[range]) -> State:
    """The same moment with the contents of equal nodes in sorted order."""
    nodes = state.nodes
    if state.held is not None:
        return _canonical(state, state.held, classes)
    ordered: list[Content] = []
    for members in classes:
        if len(members) == 1:
            ordered.append(nodes[members.start])
        else:
            ordered.extend(sorted(nodes[members.start : members.stop]))
    return State(state.controls, state.waiting, tuple(ordered), None, state.bindings)


def _canonical(state: State, held: HeldDevices, classes: Sequence[range]) -> State:
    """The same for nodes that also differ in the allocations of their pods."""
    pairs = list(zip(state.nodes, held.on_nodes, strict=True))
    for members in classes:
        if len(members) > 1:
            pairs[members.start : members.stop] = sorted(pairs[members.start : members.stop])
    nodes = tuple([content for content, _ in pairs])
    here = HeldDevices(tuple([found for _, found in pairs]), held.shared)
    return State(state.controls, state.waiting, nodes, here, state.bindings)


def count_on(content: Content, kind: int, *phases: int) -> int:
    """How many pods of a kind in these phases are in a node's content."""
    return sum([count for found, at, count in content if found == kind and at in phases])


class Census(Value):
    """How many pods of each kind there are in each phase, over all nodes."""

    waiting: tuple[int, ...]
    phases: Sequence[Sequence[int]]
    nodes: tuple[Content, ...] = ()

    def active(self, kind: int) -> int:
        """The number of pods that a controller counts: those that do not terminate."""
        at = self.phases[kind]
        return self.waiting[kind] + at[NOMINATED] + at[STARTING] + at[READY] + at[AWAITED] + at[BROKEN]

    def ready(self, kind: int) -> int:
        """The number of available pods."""
        return self.phases[kind][READY]

    def leaving(self, kind: int) -> int:
        """The number of terminating pods."""
        return self.phases[kind][LEAVING] + self.phases[kind][EVICTED]

    def remaining(self, kind: int) -> int:
        """The number of existing pods, terminating ones included."""
        return self.waiting[kind] + sum(self.phases[kind])


def census(state: State) -> Census:
    """Count the pods of a state."""
    counts = [[0] * (BROKEN + 1) for _ in state.waiting]
    for content in state.nodes:
        for kind, phase, count in content:
            if kind >= 0:
                counts[kind][phase] += count
    return Census(state.waiting, counts, state.nodes)
