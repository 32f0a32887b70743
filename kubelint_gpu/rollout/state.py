"""A moment of a rollout, in a form in which equal moments are equal values.

Pods of one kind are interchangeable, and so are nodes of one class: contents of a class's nodes are sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NOMINATED, STARTING, READY, LEAVING = 0, 1, 2, 3

Content = tuple[tuple[int, int, int], ...]
"""What is on a node: (kind, phase, count), sorted; a nominated pod is not on the node yet but waits for it."""

Controls = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class State:
    """What the controllers have written, how many pods of each kind wait for a node, and what is on each node."""

    controls: Controls
    waiting: tuple[int, ...]
    nodes: tuple[Content, ...]


def changed(content: Content, kind: int, phase: int, by: int) -> Content:
    """A node's content with `by` more pods of a kind in a phase."""
    counts = {(found, at): count for found, at, count in content}
    counts[kind, phase] = counts.get((kind, phase), 0) + by
    return tuple(sorted((found, at, count) for (found, at), count in counts.items() if count))


def on_node(nodes: tuple[Content, ...], index: int, *changes: tuple[int, int, int]) -> tuple[Content, ...]:
    """The nodes after changes (kind, phase, by) on one of them."""
    content = nodes[index]
    for kind, phase, by in changes:
        content = changed(content, kind, phase, by)
    return (*nodes[:index], content, *nodes[index + 1 :])


def more(counts: tuple[int, ...], kind: int, by: int) -> tuple[int, ...]:
    """Counts per kind with one of them changed."""
    return (*counts[:kind], counts[kind] + by, *counts[kind + 1 :])


def canonical(state: State, classes: Sequence[range]) -> State:
    """The same moment with the contents of equal nodes in sorted order."""
    nodes = state.nodes
    ordered: list[Content] = []
    for members in classes:
        if len(members) == 1:
            ordered.append(nodes[members.start])
        else:
            ordered.extend(sorted(nodes[members.start : members.stop]))
    return State(state.controls, state.waiting, tuple(ordered))


@dataclass(frozen=True, slots=True)
class Census:
    """How many pods of each kind there are in each phase, over all nodes."""

    waiting: tuple[int, ...]
    phases: tuple[tuple[int, int, int, int], ...]

    def active(self, kind: int) -> int:
        """Pods that a controller counts: everything that is not terminating."""
        nominated, starting, ready, _ = self.phases[kind]
        return self.waiting[kind] + nominated + starting + ready

    def ready(self, kind: int) -> int:
        """Available pods."""
        return self.phases[kind][READY]

    def remaining(self, kind: int) -> int:
        """Pods that are not gone yet, terminating ones included."""
        return self.waiting[kind] + sum(self.phases[kind])


def census(state: State) -> Census:
    """Count the pods of a state."""
    counts = [[0, 0, 0, 0] for _ in state.waiting]
    for content in state.nodes:
        for kind, phase, count in content:
            counts[kind][phase] += count
    return Census(state.waiting, tuple((a, b, c, d) for a, b, c, d in counts))
