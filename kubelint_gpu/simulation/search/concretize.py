"""Assigns pods to concrete nodes among equal ones: to those of the inventory, otherwise to the first by name."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.simulation.controllers.rollout_state import ABSENT, BROKEN, READY, Content, State, count_on
from kubelint_gpu.simulation.model.simulation import Simulation


def arranged(simulation: Simulation, state: State) -> State:
    """The same moment with known pods on their nodes of the inventory."""
    names = simulation.places.names
    known: dict[str, dict[int, int]] = {}
    for kind, name in simulation.pod_types.homes:
        here = known.setdefault(name, {})
        here[kind] = here.get(kind, 0) + 1
    order: list[int] = []
    for members in simulation.places.classes:
        places = sorted(members, key=lambda place: (_is_last(state.nodes[place]), state.nodes[place]))
        wanted = [known.get(name, {}) for name in names[members.start : members.stop]]
        order += [places[place] for place in _matched(wanted, [state.nodes[place] for place in places])]
    held = state.held
    if held is not None:
        held = held._replace(on_nodes=tuple([held.on_nodes[place] for place in order]))
    return State(state.controls, state.waiting, tuple([state.nodes[place] for place in order]), held, state.bindings)


def _is_last(content: Content) -> int:
    """A sort key: empty nodes come last, and after them nodes that have not joined yet."""
    return 2 if content == ABSENT else 0 if content else 1


def _matched(wanted: Sequence[dict[int, int]], contents: Sequence[Content]) -> list[int]:
    """For each node, the position of a content with all its known pods; among equals, the first one."""
    holder: list[int] = [-1] * len(contents)

    def assign(node: int, tried: set[int]) -> bool:
        for place, content in enumerate(contents):
            if place in tried or any(
                count_on(content, kind, READY, BROKEN) < count for kind, count in wanted[node].items()
            ):
                continue
            tried.add(place)
            if holder[place] < 0 or assign(holder[place], tried):
                holder[place] = node
                return True
        return False

    particular = [node for node, pods in enumerate(wanted) if pods]
    if not all(assign(node, set()) for node in particular):
        return list(range(len(contents)))
    found = {node: place for place, node in enumerate(holder) if node >= 0}
    left = iter([place for place in range(len(contents)) if holder[place] < 0])
    return [found[node] if node in found else next(left) for node in range(len(wanted))]
