"""Which pods a controller deletes if it has too many.

A ReplicaSet ranks its pods once, and then deletes all surplus pods: unassigned pods first, then those that are not
ready, then those on the nodes with the most pods of its family. Behaviour: pkg/controller/replicaset
(`getPodsToDelete`) and pkg/controller/controller_utils.go (`ActivePodsWithRanks`), 1.34.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import accumulate

from kubelint_gpu.groups import grouped
from kubelint_gpu.simulation.controllers.reconciler import Action
from kubelint_gpu.simulation.controllers.rollout_state import (
    GOING,
    LEAVING,
    READY,
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
    """Yield every choice of pods that an action can delete; among equal nodes, only the first ones.

    `classes` has the class number of each node. With `ranked`, any bound pod can be the first to go.
    """
    kind, count = change.delete or (-1, 0)
    tiers: dict[tuple[int, int], list[Slot]] = {}
    if change.node < 0 and state.waiting[kind]:
        tiers[0, 0] = [(-1, UNBOUND[0], state.waiting[kind])]
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
    """The state after pods of a kind are deleted: running ones are terminating."""
    waiting, nodes = state.waiting, state.nodes
    for node, phase, count in deleted:
        if node < 0:
            waiting = more(waiting, kind, -count)
        else:
            leaving = () if phase in UNBOUND else ((kind, LEAVING, count),)
            nodes = on_node(nodes, node, (kind, phase, -count), *leaving)
    return State(state.controls, waiting, nodes, state.held, state.bindings)


def _family(content: Content, family: tuple[int, ...]) -> int:
    return sum([count for kind, phase, count in content if kind in family and phase not in (*UNBOUND, *GOING)])


def _by_equality(tier: Sequence[Slot], state: State, classes: Sequence[int]) -> list[tuple[Hashable, Slot]]:
    """The slots with a key that only equal slots share; equal slots are adjacent."""
    slots = Counter(node for node, _, _ in tier)

    def key(node: int, phase: int) -> Hashable:
        if node < 0 or slots[node] > 1:
            return node, phase
        return classes[node], state.nodes[node], state.held and state.held.on_nodes[node]

    alike = grouped((key(slot[0], slot[1]), slot) for slot in tier)
    return [(same, slot) for same, members in alike.items() for slot in members]


def _choices(slots: Sequence[tuple[Hashable, Slot]], count: int) -> Iterator[tuple[Slot, ...]]:
    """Yield every way to take `count` pods from the slots; no slot gives more than an equal slot before it."""
    room = [*accumulate((there for _, (_, _, there) in reversed(slots)), initial=0)][::-1]
    # for each slot where those end that are equal to it
    ends = [*range(1, len(slots) + 1)]
    for place in range(len(slots) - 2, -1, -1):
        ends[place] = ends[place + 1] if slots[place][0] == slots[place + 1][0] else place + 1
    taken: list[int] = []
    left = count
    while True:
        while left:
            charge(1)
            same, (_, _, there) = slots[len(taken)]
            equal = bool(taken) and same == slots[len(taken) - 1][0]
            taken.append(min(left, taken[-1] if equal else there))
            left -= taken[-1]
        chosen = zip(slots, taken, strict=False)
        yield tuple([(node, phase, number) for (_, (node, phase, _)), number in chosen if number])
        # the last slot of which one less may be taken, as those after it have enough
        while taken:
            fewer = taken.pop() - 1
            left += fewer + 1
            end = ends[len(taken)]
            if fewer >= 0 and left <= fewer * (end - len(taken)) + room[end]:
                break
        else:
            return
        taken.append(fewer)
        left -= fewer
