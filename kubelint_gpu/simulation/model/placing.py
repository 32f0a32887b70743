"""Place pods one after the other: the single step, and the most pods that can be placed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kubelint_gpu.simulation.controllers.rollout_state import READY, State, canonical, more, on_node
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.values import Value


def placed_on(simulation: Simulation, kind: int, node: int, state: State, phase: int = READY) -> Iterator[State]:
    """Yield the states with a waiting pod of a kind on a node, one for each choice of its devices."""
    nodes = on_node(state.nodes, node, (kind, phase, 1))
    bindings = simulation.places.state_pods.bound(kind, node, state)
    for held in simulation.places.reserved(kind, node, state):
        yield State(state.controls, more(state.waiting, kind, -1), nodes, held, bindings)


def placed(simulation: Simulation, kind: int, state: State, among: Iterable[int] | None = None) -> Iterator[State]:
    """Yield the states with a waiting pod of a kind on a node that takes it, or on one in `among`; no two are equal."""
    fitting = simulation.places.fitting(kind, state) if among is None else sorted(among)
    for node in simulation.model.distinct(state, fitting):
        yield from placed_on(simulation, kind, node, state)


class MostPlaced(Value):
    """How many pods can be placed at best, whether that is exact, and how many states were looked at."""

    pods: int
    decided: bool
    states: int


def most_placed(
    simulation: Simulation,
    start: State,
    kinds: Collection[int],
    budget: int,
    *,
    closed: int = -1,
    any_order: bool = True,
) -> MostPlaced:
    """The most waiting pods of some kinds that can be placed beside all other waiting pods, in any order.

    The node `closed` takes none. Without `any_order`, one kind is placed after the other; that is enough for one kind
    if no node looks at another.
    """
    classes = [part for members in simulation.places.classes for part in _apart(members, closed)]
    wanted = sum(start.waiting[kind] for kind in kinds)
    seen, stack = {start}, [start]
    most = states = 0
    while stack and states < budget and most < wanted:
        state = stack.pop()
        states += 1
        most = max(most, wanted - sum(state.waiting[kind] for kind in kinds))
        for kind, count in enumerate(state.waiting):
            fitting = [node for node in simulation.places.fitting(kind, state) if node != closed] if count else []
            for after in placed(simulation, kind, state, fitting):
                found = simulation.places.canonical(after) if closed < 0 else canonical(after, classes)
                if found not in seen:
                    seen.add(found)
                    stack.append(found)
            if count and not any_order:
                break
    return MostPlaced(most, not stack or most == wanted, states)


def _apart(members: range, node: int) -> list[range]:
    """Split a class so that one of its nodes is by itself."""
    if node not in members:
        return [members]
    parts = (range(members.start, node), range(node, node + 1), range(node + 1, members.stop))
    return [part for part in parts if part]
