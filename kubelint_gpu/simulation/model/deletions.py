"""Which pods a controller deletes where it has too many.

A ReplicaSet ranks its pods once, and then deletes all that are too many: unassigned pods first, then those that are not
ready, then those on the nodes with the most pods of its family. Behaviour: pkg/controller/replicaset
(`getPodsToDelete`) and pkg/controller/controller_utils.go (`ActivePodsWithRanks`), 1.34.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.simulation.controllers.reconciler import Action
from kubelint_gpu.simulation.controllers.state import (
    AWAITED,
    BROKEN,
    GOING,
    LEAVING,
    READY,
    STARTING,
    UNBOUND,
    Content,
    State,
    more,
    on_node,
)
from kubelint_gpu.work import charge

Slot = tuple[int, int, int]
"""Pods of one kind: (node, phase, count); the node is -1 for those that wait for any."""


def deletions(state: State, change: Action, classes: Sequence[int], *, ranked: bool) -> Iterator[tuple[Slot, ...]]:
    """Every choice of the pods that an action deletes; of equal nodes the first ones.

    `classes` has for each node the number of its class. Of pods that are `ranked` any one that is bound may be first.
    """
    kind, count = change.delete or (-1, 0)
    tiers: dict[tuple[int, int], list[Slot]] = {}
    if change.node < 0 and state.waiting[kind]:
        tiers[0, 0] = [(-1, AWAITED, state.waiting[kind])]
    for node in range(len(state.nodes)) if change.node < 0 else (change.node,):
        content = state.nodes[node]
        for found, phase, there in content:
            if found == kind and phase not in GOING:
                level = 0 if phase in UNBOUND else 1 if ranked or phase != READY else 2
                rank = level, -_family(content, change.family) * (level > 1)
                tiers.setdefault(rank, []).append((node, phase, there))
    sure: tuple[Slot, ...] = ()
    for _, tier in sorted(tiers.items()):
        there = sum([slot[2] for slot in tier])
        if there > count:
            for chosen in _choices(_by_equality(tier, state, classes), count):
                yield (*sure, *chosen)
            return
        sure, count = (*sure, *tier), count - there
    yield sure


def without(state: State, kind: int, deleted: tuple[Slot, ...]) -> State:
    """The state after pods of a kind are deleted: those that run are terminating."""
    waiting, nodes = state.waiting, state.nodes
    for node, phase, count in deleted:
        if node < 0:
            waiting = more(waiting, kind, -count)
        else:
            leaving = () if phase in UNBOUND else ((kind, LEAVING, count),)
            nodes = on_node(nodes, node, (kind, phase, -count), *leaving)
    return State(state.controls, waiting, nodes, state.held, state.bindings)


def _family(content: Content, family: tuple[int, ...]) -> int:
    return sum([count for kind, phase, count in content if kind in family and phase in (STARTING, READY, BROKEN)])


def _by_equality(tier: Sequence[Slot], state: State, classes: Sequence[int]) -> list[tuple[Hashable, Slot]]:
    """The slots with what only equal ones have in common, which follow one another."""
    slots = Counter(node for node, _, _ in tier)

    def key(node: int, phase: int) -> Hashable:
        if node < 0 or slots[node] > 1:
            return node, phase
        return classes[node], state.nodes[node], state.held and state.held.on_nodes[node]

    alike = grouped((key(slot[0], slot[1]), slot) for slot in tier)
    return [(same, slot) for same, members in alike.items() for slot in members]


def _choices(
    slots: Sequence[tuple[Hashable, Slot]], count: int, before: Hashable = None, given: int = 0
) -> Iterator[tuple[Slot, ...]]:
    """Every way to take so many pods; of equal slots none gives more than what the one before it has `given`."""
    charge(1)
    if not count:
        yield ()
    elif slots:
        (same, (node, phase, there)), *rest = slots
        most = min(there, count, given if same == before else there)
        for taken in range(most, max(-1, count - sum([slot[2] for _, slot in rest]) - 1), -1):
            for chosen in _choices(rest, count - taken, same, taken):
                yield ((node, phase, taken), *chosen) if taken else chosen
