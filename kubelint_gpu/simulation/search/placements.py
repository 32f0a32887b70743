"""Where the pods may run before anything is rolled out: every placement that the scheduler could have produced."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction

from kubelint_gpu.budget import PARTS, STEPS
from kubelint_gpu.simulation.controllers.state import ABSENT, AWAITED, BROKEN, READY, STARTING, State, more, on_node
from kubelint_gpu.simulation.memo import Memo
from kubelint_gpu.simulation.model.placing import placed_on
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.values import dataclass
from kubelint_gpu.work import UsedUp, charge, part


@dataclass(frozen=True, slots=True)
class Starts:
    """The start states.

    Attributes:
        full: those in which every pod that is wanted runs.
        partial: where there are none, those in which no more pods find a place.
        without: for each of these, the pods of each kind that do not run.
        placed: the pods of each kind in a placement in which as many as possible run.
        least: the fewest pods of each kind in a placement that takes no more; all of them where all find room together.
        most: the most pods of each kind in any placement that takes no more.
        looked_at: how many partial placements were tried.
        complete: whether the search ended before its budget.
        fragmented: whether some order of placing leaves a wanted pod out although another order does not.
    """

    full: tuple[State, ...]
    partial: tuple[State, ...]
    placed: tuple[int, ...]
    least: tuple[int, ...]
    most: tuple[int, ...]
    looked_at: int
    complete: bool
    fragmented: bool
    without: tuple[Mapping[int, int], ...] = ()


def placements(simulation: Simulation, budget: int) -> Starts:
    """Place all wanted pods in every way, from the pods whose nodes are known.

    Where they do not all find room, or for some of them a node has to join, the order in which they are placed matters.
    """
    ordered = simulation.local and not simulation.absent
    found = _placements(simulation, budget, any_order=not ordered)
    if found.full or not found.complete or not ordered:
        return found
    return _placements(simulation, budget, any_order=True)


def placements_of_all(simulation: Simulation, budget: int, memo: Memo) -> Starts:
    """The same, found once where nothing is rolled: then all questions about a group ask for it, and pay together."""
    if any(one.rolls for one in simulation.model.reconcilers):
        return placements(simulation, budget)

    def found() -> Starts:
        with suppress(UsedUp), part(1, PARTS.at_rest):
            return placements(simulation, budget)
        return placements(simulation, 0)

    return memo.of("placements", (simulation,), found)


def _placements(simulation: Simulation, budget: int, *, any_order: bool) -> Starts:
    first = _known(simulation)
    # what is not ready now may become so, or never
    firsts = dict.fromkeys((first, _known(simulation, ready=False)))
    seen = set(firsts)
    # depth first, so that a search that is cut off has seen whole placements
    stack = list(firsts)
    ended: list[State] = []
    looked_at = 0
    while stack and looked_at < budget:
        state = stack.pop()
        looked_at += 1
        charge(1 + (len(state.nodes) + len(state.waiting)) // STEPS.placement)
        following = list(_placed_one_more(simulation, state, any_order=any_order))
        if not following:
            ended.append(state)
        for found in following:
            if found not in seen:
                charge(1 + (len(state.nodes) + len(state.waiting)) // STEPS.kept_placement)
                seen.add(found)
                stack.append(found)
    lacks = {state: dict(missing(state)) for state in ended or [first]}
    full = sorted([state for state in ended if simulation.pod_types.optional.issuperset(lacks[state])])
    ends = () if full else tuple(sorted(ended))
    short = [lacks[state] for state in ends]
    waiting = min(lacks.values(), key=lambda one: sum(one.values()))
    every = list(enumerate(simulation.pod_types.wanted))
    made = tuple(_created(simulation, state) for state in ends)
    return Starts(
        full=tuple(_created(simulation, state) for state in full),
        partial=made,
        placed=tuple(wanted - waiting.get(kind, 0) for kind, wanted in every),
        least=tuple(wanted - max((one.get(kind, 0) for one in short), default=0) for kind, wanted in every),
        most=tuple(wanted - min((one.get(kind, 0) for one in short), default=0) for kind, wanted in every),
        looked_at=looked_at,
        complete=not stack,
        fragmented=0 < len(full) < len(ended),
        without=tuple(
            one if state.waiting == end.waiting else dict(missing(state))
            for one, state, end in zip(short, made, ends, strict=True)
        ),
    )


def one_placement(simulation: Simulation) -> State | None:
    """A start state found by placing pod after pod on the first node that takes it; None where that leaves one out.

    Where it does, it is tried again with the largest pods first.
    """
    for sizes in (None, _sizes(simulation)):
        state = _known(simulation)
        while True:
            following = next(iter(_placed_one_more(simulation, state, sizes=sizes)), None)
            if following is None:
                break
            state = following
        if all(kind in simulation.pod_types.optional for kind, _ in missing(state)):
            return _created(simulation, state)
    return None


def _sizes(simulation: Simulation) -> list[Fraction]:
    """How much a pod of each kind takes, each resource as a part of what all that are wanted take of it."""
    takes_of = [dict(takes(kind.pod)) for kind in simulation.pod_types.kinds]
    if simulation.places.devices is not None:
        for found, charges in zip(takes_of, simulation.places.devices.quotas.charges, strict=True):
            found.update(amount for _, charge in charges for amount in charge.items())
    whole: dict[str, int] = {}
    for count, found in zip(simulation.pod_types.wanted, takes_of, strict=True):
        for name, amount in found.items():
            whole[name] = whole.get(name, 0) + amount * max(1, count)
    return [sum((Fraction(amount, whole[name]) for name, amount in found.items()), Fraction()) for found in takes_of]


def _known(simulation: Simulation, *, ready: bool = True) -> State:
    """The state with all pods on their known nodes; a pod made for one node waits there.

    Unless all are `ready`, those that are not now never are.
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


def at_rest(simulation: Simulation, states: Sequence[State]) -> tuple[State, ...]:
    """The starts in which no pod that waits evicts another: others do not last until something changes."""
    places = simulation.places

    def rests(state: State) -> bool:
        if any(places.evictions(kind, state, None, None) for kind, count in enumerate(state.waiting) if count):
            return False
        return not any(
            places.evictions(kind, state, None, index)
            for index, content in enumerate(state.nodes)
            for kind, phase, _ in content
            if phase == AWAITED
        )

    return tuple(filter(rests, states)) or tuple(states)


def missing(state: State) -> list[tuple[int, int]]:
    """The pods of each kind that do not run: they have no place, or a volume of theirs is attached to another node."""
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


def _placed_one_more(
    simulation: Simulation, state: State, *, any_order: bool = False, sizes: Sequence[Fraction] | None = None
) -> Iterator[State]:
    """The states with one more pod placed; those that are made anew come late, and last those that may wait.

    Of those that come equally early, larger ones come first where `sizes` of the kinds are given.
    The order of kinds matters only where nodes look at each other.
    """
    places, kinds = simulation.places, simulation.pod_types.kinds
    nobody = simulation.pod_types.pending
    tiers = {kind: _tier(simulation, state, kind) for kind, _ in _in(state, AWAITED)}
    before = None
    for kind in sorted(
        tiers,
        key=lambda kind: (tiers[kind], not kinds[kind].pinned, not kinds[kind].whole, -sizes[kind] if sizes else 0),
    ):
        if before is not None and before != tiers[kind]:
            return
        if places.is_charged(kind) and places.refusal(kind, _running(state, nobody), before=True):
            continue
        found = False
        # with the pod its claims are made, and some of them are bound at once
        for here in [state.bound(bindings) for bindings in places.volumes.made(kind, state.bindings)]:
            for after in _each_placed(simulation, here, kind):
                found = True
                yield places.canonical(after)
        # of Jobs that are useful only when complete, each may have come to any part of its pods
        if (
            found
            and not kinds[kind].whole
            and (not any_order or kind in simulation.pod_types.optional or kinds[kind].pinned)
        ):
            return
        before = tiers[kind] if found else before


def _each_placed(simulation: Simulation, state: State, kind: int) -> Iterator[State]:
    """The states with one more pod of a kind placed."""
    places = simulation.places
    fitting = places.fitting(kind, state)
    if simulation.pod_types.kinds[kind].pinned:
        for index in simulation.model.distinct(state.nodes, fitting):
            if (kind, AWAITED, 1) in state.nodes[index]:
                nodes = on_node(state.nodes, index, (kind, AWAITED, -1), (kind, READY, 1))
                for held in places.reserved(kind, index, state):
                    yield State(state.controls, state.waiting, nodes, held, state.bindings)
                return
        return
    for index in () if fitting else simulation.model.distinct(state.nodes, places.additions(kind, state)):
        yield state._replace(nodes=(*state.nodes[:index], (), *state.nodes[index + 1 :]))
    apart = {index: not places.starts(kind, index, state) for index in simulation.model.distinct(state.nodes, fitting)}
    for index in sorted(apart, key=apart.__getitem__):
        # the scheduler binds it, and where its volume is attached elsewhere it never starts
        yield from placed_on(simulation, kind, index, state, STARTING if apart[index] else READY)


def _tier(simulation: Simulation, state: State, kind: int) -> int:
    """Pods with the same number are placed in any order."""
    if kind in simulation.pod_types.optional:
        return 2
    wanted, sure = simulation.pod_types.wanted[kind], simulation.pod_types.sure[kind]
    return int(sure < wanted and wanted - state.waiting[kind] >= sure)


def _running(state: State, nobody: tuple[int, ...]) -> State:
    nodes = tuple([tuple([one for one in content if one[1] != AWAITED]) for content in state.nodes])
    return State(state.controls, nobody, nodes, state.held, state.bindings)


def _created(simulation: Simulation, state: State) -> State:
    """The start with the pods that wait for a node now, and those that quotas refuse not even created."""
    places, pending = simulation.places, simulation.pod_types.pending
    refused = {kind: count for kind, count in enumerate(state.waiting) if count and places.is_charged(kind)}
    waiting = [pending[kind] + count * (kind not in refused) for kind, count in enumerate(state.waiting)]
    for kind, count in refused.items():
        # each that is made leaves less of the quotas
        made = bisect_left(
            range(count),
            True,
            key=lambda number: bool(
                places.refusal(kind, state._replace(waiting=more(tuple(waiting), kind, number)), before=True)
            ),
        )
        waiting[kind] += made
    found = state._replace(waiting=tuple(waiting))
    for kind, count in enumerate(waiting if state.bindings else ()):
        if count:
            found = found.bound(places.volumes.made(kind, found.bindings)[0])
    return found
