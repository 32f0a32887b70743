"""Where the pods may run before anything is rolled out: every placement that the scheduler could have produced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubelint_gpu.rollout.model import Model
from kubelint_gpu.rollout.participant import Cast
from kubelint_gpu.rollout.places import Places
from kubelint_gpu.rollout.state import READY, State, canonical, more, on_node


@dataclass(frozen=True, slots=True)
class Starts:
    """The start states.

    Attributes:
        full: those in which every pod that is wanted runs.
        placed: the most pods of each kind that run together in a placement in which as many as possible do.
        looked_at: how many partial placements were tried.
        complete: whether the search ended before its budget.
        fragmented: whether some order of placing leaves a wanted pod out although another order does not.
    """

    full: tuple[State, ...]
    placed: tuple[int, ...]
    looked_at: int
    complete: bool
    fragmented: bool


def placements(cast: Cast, model: Model, places: Places, *, local: bool, budget: int) -> Starts:
    """Place all wanted pods in every way, from the pods whose nodes are known."""
    first = _known(cast, model, places)
    seen = {first}
    queue = [first]
    full: list[State] = []
    best: State | None = None
    fragmented = False
    position = 0
    while position < len(queue) and position < budget:
        state = queue[position]
        position += 1
        following = _placed_one_more(cast, model, places, state, local=local)
        if not any(count for kind, count in enumerate(state.waiting) if kind not in cast.optional) and not following:
            full.append(state)
        elif not following:
            fragmented = True
        if best is None or sum(state.waiting) < sum(best.waiting):
            best = state
        for found in following:
            if found not in seen:
                seen.add(found)
                queue.append(found)
    waiting = best.waiting if best is not None else ()
    return Starts(
        full=tuple(sorted(full, key=repr)),
        placed=tuple(wanted - left for wanted, left in zip(cast.wanted, waiting, strict=True)),
        looked_at=position,
        complete=position == len(queue),
        fragmented=fragmented and bool(full),
    )


def _known(cast: Cast, model: Model, places: Places) -> State:
    positions = {name: index for index, name in enumerate(places.names)}
    state = State(tuple(actor.rest() for actor in model.actors), cast.wanted, ((),) * len(places.names))
    for kind, name in cast.homes:
        if name in positions and state.waiting[kind]:
            nodes = on_node(state.nodes, positions[name], (kind, READY, 1))
            state = State(state.controls, more(state.waiting, kind, -1), nodes)
    return canonical(state, places.classes)


def _placed_one_more(cast: Cast, model: Model, places: Places, state: State, *, local: bool) -> Sequence[State]:
    """The states with one more pod placed; the order of kinds matters only where nodes look at each other."""
    found = []
    order = sorted(
        (kind for kind, count in enumerate(state.waiting) if count), key=lambda kind: (kind in cast.optional, kind)
    )
    for kind in order:
        fitting = places.fitting(kind, state)
        for index in model.distinct(state.nodes, fitting):
            nodes = on_node(state.nodes, index, (kind, READY, 1))
            found.append(canonical(State(state.controls, more(state.waiting, kind, -1), nodes), places.classes))
        if found and local:
            return found
    return found
