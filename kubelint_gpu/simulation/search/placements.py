"""Where the pods can run before any rollout: every placement that the scheduler could have produced."""

from __future__ import annotations

import fractions
from collections.abc import Collection, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress

from kubelint_gpu.budget import PARTS, STEPS
from kubelint_gpu.simulation.asked_again import Memo
from kubelint_gpu.simulation.controllers.rollout_state import READY, State, more, on_node
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.simulation.search.placing_pods import by_turns, created, known, looks, missing, placed_one_more
from kubelint_gpu.values import Value
from kubelint_gpu.work import UsedUp, charge, left, part


class Starts(Value):
    """The start states.

    Attributes:
        full: the placements in which every wanted pod runs.
        partial: if there are none, the maximal placements.
        without: for each of `partial`, the pods of each kind that do not run.
        placed: the pods of each kind in a placement with as many pods as possible.
        least: the fewest pods of each kind in a maximal placement; all pods if all find room together.
        most: the most pods of each kind in any maximal placement.
        looked_at: how many partial placements were tried.
        complete: whether the search ended within its budget.
        fragmented: whether some order of placing omits a wanted pod although another order does not.
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
    """Place all wanted pods in every way, starting with pods on known nodes.

    If they do not all find room, or a node has to join for some of them, every order of pods is tried.
    """
    ordered = simulation.local and not simulation.absent
    waiting = known(simulation).waiting
    pods, kinds, nodes = sum(waiting), len(waiting) - waiting.count(0), len(simulation.places.names)
    budget = 0 if are_too_many(pods, kinds, nodes, budget, any_order=not ordered) else budget
    found = _placements(simulation, budget, any_order=not ordered)
    if found.full or not found.complete or not ordered:
        return found
    return _placements(simulation, budget, any_order=True)


def are_too_many(pods: int, kinds: int, nodes: int, budget: int, *, any_order: bool) -> bool:
    """Whether so many waiting pods cannot be placed within the budget, with one pod placed in each state."""
    steps, size = left(), kinds + nodes
    least = pods * size // STEPS.placement + any_order * kinds**2 * size // (2 * STEPS.kept_placement)
    return pods > budget or (steps is not None and least > steps)


def placements_of_all(simulation: Simulation, budget: int, memo: Memo) -> Starts:
    """The placements, computed once if nothing rolls out, so that all questions about a group share the work."""
    if any(one.rolls for one in simulation.model.reconcilers):
        return placements(simulation, budget)

    def found() -> Starts:
        with suppress(UsedUp), part(1, PARTS.at_rest):
            return placements(simulation, budget)
        return placements(simulation, 0)

    return memo.of("placements", (simulation,), found)


def _placements(simulation: Simulation, budget: int, *, any_order: bool) -> Starts:
    first = known(simulation)
    # what is not ready now may become so, or never
    firsts = dict.fromkeys((first, known(simulation, ready=False)))
    seen = set(firsts)
    # depth first, so that a search that is cut off has seen whole placements
    stack = list(firsts)
    ended: list[State] = []
    order = by_turns(simulation)
    looked_at = 0
    while stack and looked_at < budget:
        state = stack.pop()
        looked_at += 1
        charge(1 + (len(state.nodes) + len(state.waiting)) // STEPS.placement)
        following = list(placed_one_more(simulation, state, order, any_order=any_order))
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
    made = tuple(created(simulation, state) for state in ends)
    return Starts(
        full=tuple(created(simulation, state) for state in full),
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
    """A start state found by placing each pod on the first node that takes it; None if a pod is left.

    In that case the largest pods are tried first, then those that the fewest nodes take.
    """
    for order in (lambda _: None, sizes_of, _narrowest_first):
        state = _filled(simulation, order(simulation))
        if all(kind in simulation.pod_types.optional for kind, _ in missing(state)):
            return created(simulation, state)
    return None


def largest_first(simulation: Simulation) -> tuple[State, Sequence[int]]:
    """A maximal placement with the largest pods placed first, and the size of each kind."""
    sizes = sizes_of(simulation)
    return _filled(simulation, sizes), sizes


def placed_last(simulation: Simulation, full: State, sizes: Sequence[int], kinds: Collection[int]) -> State:
    """A maximal placement with some kinds placed last; `full` is the one with the largest first."""
    places = simulation.places
    ranks = [0 if kind in kinds else size + 1 for kind, size in enumerate(sizes)]
    at_home = {kind for kind, _ in simulation.pod_types.homes}
    named = full.held is not None and (any(full.held.shared) or not at_home.isdisjoint(kinds))
    if not all(places.local) or named or full.bindings or any(map(places.is_charged, kinds)):
        return _filled(simulation, ranks)
    # nobody looks at another: what is placed fits without them, too
    nodes, waiting = full.nodes, full.waiting
    for index, content in enumerate(full.nodes):
        for kind, phase, count in content:
            if kind in kinds and phase == READY and (kind, places.names[index]) not in simulation.pod_types.homes:
                nodes, waiting = on_node(nodes, index, (kind, phase, -count)), more(waiting, kind, count)
    held = full.held
    if held is not None and places.devices is not None:
        held = places.devices.released_all(kinds, held)
    # those that found no node find one only where something left
    others = {kind for kind, count in enumerate(full.waiting) if count and kind not in kinds}
    if any(places.claim_refusal(kind, full) for kind in sorted(others)):
        others = set()
    return _filled(
        simulation, ranks, full._replace(nodes=nodes, waiting=waiting, held=held), (others, {*looks(simulation, full)})
    )


def fit_first(simulation: Simulation, kinds: Collection[int]) -> bool:
    """Whether all pods of some kinds find room beside the running pods, before all others.

    Newly created pods never come before those that already have places.
    """
    state, wanted, sure = known(simulation), simulation.pod_types.wanted, simulation.pod_types.sure
    if any(sure[kind] < wanted[kind] for kind in kinds) and any(
        count and sure[kind] for kind, count in enumerate(state.waiting) if kind not in kinds
    ):
        return False
    waiting = tuple([count if kind in kinds else 0 for kind, count in enumerate(state.waiting)])
    return not any(_filled(simulation, None, state._replace(waiting=waiting)).waiting)


def _filled(
    simulation: Simulation,
    sizes: Sequence[int] | None,
    state: State | None = None,
    refused: tuple[AbstractSet[int], AbstractSet[Hashable]] = (frozenset(), frozenset()),
) -> State:
    """Place each pod on the first node that takes it, until no pod fits any more."""
    state = known(simulation) if state is None else state
    # who finds no node finds none beside more pods, unless it must be near to others
    alone = all(simulation.places.local) and not any(one.pod.spec.pod_affinity for one in simulation.pod_types.kinds)
    hopeless: set[int] | None = set() if alone else None
    order = by_turns(simulation, sizes)
    while True:
        following = next(placed_one_more(simulation, state, order, hopeless=hopeless, refused=refused), None)
        if following is None:
            return state
        state = following


def _narrowest_first(simulation: Simulation) -> list[int]:
    """A sort key of kinds: larger if fewer nodes take the kind before anything else is placed."""
    first, places = known(simulation), simulation.places
    return [-sum(1 for _ in places.fitting(kind, first)) for kind in range(len(simulation.pod_types.kinds))]


def sizes_of(simulation: Simulation) -> list[int]:
    """The size of each kind: its largest share of all that is wanted of a resource."""
    takes_of = [dict(takes(kind.pod)) for kind in simulation.pod_types.kinds]
    if simulation.places.devices is not None:
        for found, charges in zip(takes_of, simulation.places.devices.quotas.charges, strict=True):
            found.update(amount for _, charge in charges for amount in charge.items())
    whole: dict[str, int] = {}
    for count, found in zip(simulation.pod_types.wanted, takes_of, strict=True):
        for name, amount in found.items():
            whole[name] = whole.get(name, 0) + amount * max(1, count)
    keys = [frozenset(found.items()) for found in takes_of]
    parts = {key: sum(fractions.Fraction(amount, whole[name]) for name, amount in key) for key in {*keys}}
    ranks = {size: rank for rank, size in enumerate(sorted({*parts.values()}))}
    return [ranks[parts[key]] for key in keys]
