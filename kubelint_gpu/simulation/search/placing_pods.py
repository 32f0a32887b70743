"""Places one more pod before any rollout: which pod is next, and which nodes take it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice

from kubelint_gpu.budget import STEPS
from kubelint_gpu.simulation.controllers.rollout_state import (
    ABSENT,
    AWAITED,
    BROKEN,
    READY,
    STARTING,
    State,
    changed,
    more,
    on_node,
)
from kubelint_gpu.simulation.model.simulation import Simulation, placed_on
from kubelint_gpu.work import charge


def known(simulation: Simulation, *, ready: bool = True) -> State:
    """The state with all pods on their known nodes; a daemon pod waits on its node.

    Without `ready`, pods that are not ready now never become ready.
    """
    unready = list(() if ready else simulation.pod_types.unready)
    places = simulation.places
    positions = {name: index for index, name in enumerate(places.names)}
    waiting = simulation.pod_types.wanted
    rolled = {kind for reconciler in simulation.model.reconcilers if reconciler.rolls for kind in reconciler.kinds}
    nodes = tuple(ABSENT if name in simulation.absent else () for name in places.names)
    for kind, name in simulation.pod_types.homes:
        if name in positions and waiting[kind]:
            # what the inventory says runs, runs; that a DaemonSet's pods fit is to be seen
            phase = AWAITED if kind in rolled and simulation.pod_types.kinds[kind].pinned else READY
            if phase == AWAITED and places.devices is not None and places.devices.is_known(kind, positions[name]):
                phase = READY
            if (kind, name) in unready:
                unready.remove((kind, name))
                phase = BROKEN
            nodes = on_node(nodes, positions[name], (kind, phase, 1))
            waiting = more(waiting, kind, -1)
    controls = tuple(reconciler.begin() for reconciler in simulation.model.reconcilers)
    held = None if places.devices is None else places.devices.first(nodes)
    state = State(controls, waiting, nodes, held, places.volumes.unbound)
    for kind, name in simulation.pod_types.homes if state.bindings else ():
        if name in positions:
            state = state.bound(places.volumes.made(kind, state.bindings)[0])
            state = state.bound(places.state_pods.bound(kind, positions[name], state))
    return places.canonical(state)


def missing(state: State) -> list[tuple[int, int]]:
    """The pods of each kind that do not run: they have no place, or a volume is attached to another node."""
    return _in(state, AWAITED, STARTING)


def _in(state: State, *phases: int) -> list[tuple[int, int]]:
    """The pods of each kind that wait, or are on a node in one of some phases."""
    found = [(kind, count) for kind, count in enumerate(state.waiting) if count]
    more = [(kind, count) for content in state.nodes for kind, phase, count in content if phase in phases]
    if not more:
        return found
    counts = dict(found)
    for kind, count in more:
        counts[kind] = counts.get(kind, 0) + count
    return sorted(counts.items())


def by_turns(simulation: Simulation, sizes: Sequence[int] | None = None) -> Sequence[int]:
    """The kinds in the order in which their pods are placed; with `sizes`, larger ones first."""
    kinds = simulation.pod_types.kinds
    return sorted(
        range(len(kinds)),
        key=lambda kind: (not kinds[kind].pinned, not kinds[kind].whole, -sizes[kind] if sizes else 0),
    )


def placed_one_more(
    simulation: Simulation,
    state: State,
    order: Sequence[int],
    *,
    any_order: bool = False,
    hopeless: set[int] | None = None,
    refused: tuple[AbstractSet[int], AbstractSet[Hashable]] = (frozenset(), frozenset()),
) -> Iterator[State]:
    """Yield the states with one more pod placed. Newly created pods come late, and pods that may wait come last.

    Pods of a DaemonSet are placed on all their nodes at once, if the nodes do not affect each other.

    Pods of equal rank come in some `order` of kinds, which matters only if nodes look at each other. `hopeless` kinds
    are not tried; a kind that finds no node is added to them. Kinds in `refused` are not tried on nodes with these
    looks.
    """
    places, kinds = simulation.places, simulation.pod_types.kinds
    nobody = simulation.pod_types.pending
    lacking = dict(_in(state, AWAITED))
    charge(len(lacking) // STEPS.placement)
    tried = (kind for kind in order if kind in lacking and kind not in (hopeless or ()))
    before = None
    others = (
        [place for place, look in enumerate(looks(simulation, state)) if look not in refused[1]] if refused[0] else []
    )
    for tier, kind in _by_tiers(simulation, state, tried):
        if before is not None and before != tier:
            return
        if places.is_charged(kind) and _is_refused(simulation, kind, _running(state, nobody), lacking[kind]):
            continue
        found = False
        # with the pod its claims are made, and some of them are bound at once
        for here in [state.bound(bindings) for bindings in places.volumes.made(kind, state.bindings)]:
            for after in _each_placed(simulation, here, kind, others if kind in refused[0] else None):
                found = True
                yield places.canonical(after)
        # of Jobs that are useful only when complete, each may have come to any part of its pods
        if (
            found
            and not kinds[kind].whole
            and (not any_order or kind in simulation.pod_types.optional or kinds[kind].pinned)
        ):
            return
        before = tier if found else before
        if hopeless is not None and not found:
            hopeless.add(kind)


def _each_placed(simulation: Simulation, state: State, kind: int, among: Sequence[int] | None) -> Iterator[State]:
    """Yield the states with one more pod of a kind placed."""
    places = simulation.places
    fitting = places.fitting(kind, state, among=among)
    if simulation.pod_types.kinds[kind].pinned:
        awaiting = (index for index in fitting if (kind, AWAITED, 1) in state.nodes[index])
        if _by_itself(simulation, kind):
            yield from _on_all(state, kind, list(awaiting))
            return
        for index in islice(awaiting, 1):
            nodes = on_node(state.nodes, index, *_arrives(kind))
            for held in places.reserved(kind, index, state):
                yield State(state.controls, state.waiting, nodes, held, state.bindings)
        return
    apart, none = [], True
    for index in simulation.model.distinct(state, fitting):
        none = False
        if places.volumes.starts(kind, index, state):
            yield from placed_on(simulation, kind, index, state, READY)
        else:
            apart.append(index)
    for index in apart:
        # the scheduler binds it, and where its volume is attached elsewhere it never starts
        yield from placed_on(simulation, kind, index, state, STARTING)
    if none and simulation.absent:
        for index in simulation.model.distinct(state, places.additions(kind, state)):
            yield state._replace(nodes=(*state.nodes[:index], (), *state.nodes[index + 1 :]))


def _by_itself(simulation: Simulation, kind: int) -> bool:
    """Whether a pod of a kind on one node does not affect pods of this kind on other nodes."""
    places = simulation.places
    return places.local[kind] and not places.is_charged(kind) and not simulation.pod_types.kinds[kind].has_claims


def _on_all(state: State, kind: int, indices: Sequence[int]) -> Iterator[State]:
    """Yield the state in which the pods of a kind are on all nodes that await them, if there are any."""
    if indices:
        nodes = list(state.nodes)
        for index in indices:
            for change in _arrives(kind):
                nodes[index] = changed(nodes[index], *change)
        yield state._replace(nodes=tuple(nodes))


def _arrives(kind: int) -> tuple[tuple[int, int, int], ...]:
    return (kind, AWAITED, -1), (kind, READY, 1)


def looks(simulation: Simulation, state: State) -> Iterator[Hashable]:
    """A key for each node of everything that matters to pods that look at no other node."""
    held = state.held.on_nodes if state.held is not None else ((),) * len(state.nodes)
    return zip(simulation.places.class_of, state.nodes, held, strict=True)


def _by_tiers(simulation: Simulation, state: State, kinds: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the kinds with their tiers, the lowest first; pods of one tier are placed in any order."""
    optional, wanted, sure = simulation.pod_types.optional, simulation.pod_types.wanted, simulation.pod_types.sure
    later: tuple[list[int], list[int]] = [], []
    for kind in kinds:
        if kind in optional:
            later[1].append(kind)
        elif sure[kind] < wanted[kind] and wanted[kind] - state.waiting[kind] >= sure[kind]:
            later[0].append(kind)
        else:
            yield 0, kind
    yield from [(tier, kind) for tier, members in enumerate(later, 1) for kind in members]


def _is_refused(simulation: Simulation, kind: int, state: State, lacking: int) -> bool:
    """Whether a quota refuses the next of the `lacking` pods of a kind, now or when it was created."""
    there = simulation.pod_types.wanted[kind] - lacking < simulation.pod_types.sure[kind]
    return simulation.places.refusal(kind, state, before=there) is not None


def _running(state: State, nobody: tuple[int, ...]) -> State:
    nodes = tuple([tuple([one for one in content if one[1] != AWAITED]) for content in state.nodes])
    return State(state.controls, nobody, nodes, state.held, state.bindings)


def created(simulation: Simulation, state: State) -> State:
    """The start with the pods that wait for a node now, without pods that quotas refuse to create."""
    places, pending = simulation.places, simulation.pod_types.pending
    refused = {kind: count for kind, count in enumerate(state.waiting) if count and places.is_charged(kind)}
    waiting = [pending[kind] + count * (kind not in refused) for kind, count in enumerate(state.waiting)]
    for kind, count in refused.items():
        # each that is made leaves less of the quotas
        made = bisect_left(
            range(count),
            True,
            key=lambda number: _is_refused(
                simulation, kind, state._replace(waiting=more(tuple(waiting), kind, number)), count - number
            ),
        )
        waiting[kind] += made
    found = state._replace(waiting=tuple(waiting))
    awaited = [
        (index, kind)
        for index, content in enumerate(state.nodes)
        for kind, phase, _ in content
        if phase == AWAITED and places.is_charged(kind)
    ]
    for by in (-1, 1):
        for index, kind in awaited:
            if by < 0 or places.may_create(kind, found):
                found = found._replace(nodes=on_node(found.nodes, index, (kind, AWAITED, by)))
    for kind, count in enumerate(waiting if state.bindings else ()):
        if count:
            found = found.bound(places.volumes.made(kind, found.bindings)[0])
    return found
