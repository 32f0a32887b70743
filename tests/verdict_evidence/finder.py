"""Finds what shows a claim, whoever made it: arithmetic first, then the states, as far as a budget reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.controllers.rollout_state import UNBOUND, State, count_on
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.demand import greedily
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.explorer import Reached
from kubelint_gpu.simulation.search.placements import one_placement, placements
from kubelint_gpu.simulation.search.single_runs import at_rest, walk
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import replace
from verdict_evidence.arithmetic import cost_of_refusing, places, takers
from verdict_evidence.checker import Claim, NotShown, check
from verdict_evidence.kinds import (
    Closed,
    Counted,
    EachNode,
    Evidence,
    Infeasible,
    InPlace,
    KeptPods,
    LeftOut,
    Runs,
)

_STATES = 4_000
"""The states that are looked at for what shows a verdict."""
_WALKS = 12
"""The single runs that could contradict it."""
_FOLLOWING = 400
"""The states after a run that gets stuck."""


def shown(claim: Claim, ends: str = "", budget: int = _STATES) -> Evidence | None:
    """What shows a claim, as the checker confirms it; None where none is found within a budget of states.

    `ends` is the key of the workload of which it is asked; empty for all that are rolled.

    Raises:
        NotShown: the states, or single runs, show something else.
    """
    if claim.verdict is Verdict.UNDECIDED:
        return None
    for candidate in _by_arithmetic(claim):
        if _is_shown(claim, candidate):
            return candidate
    found = GroupSearch(claim.situation).playing(lambda extra: _by_states(claim, ends, budget, extra))
    if found is not None:
        check(claim, found)
    return found


def _by_arithmetic(claim: Claim) -> Iterator[Evidence]:
    situation = claim.situation
    lone = claim.positions[0] if len(claim.positions) == 1 else None
    one = situation.participants[lone] if lone is not None else None
    if one is not None and one.daemons:
        if len(situation.participants) == 1 and claim.verdict is not Verdict.MAY_STICK:
            yield EachNode()
        return
    if claim.short or claim.verdict is Verdict.STUCK:
        if lone is not None:
            yield KeptPods()
            if claim.short:
                yield Counted(places(situation, lone))
        return
    if claim.verdict is Verdict.MAY_STICK or any(_is_watched(claim, place) for place in claim.positions):
        return
    yield Infeasible({place: _refusing(claim, place) for place in claim.positions})


def _is_watched(claim: Claim, place: int) -> bool:
    """Whether more than the places decides how a rollout goes on: what is not ready, or who is made for a node."""
    one = claim.situation.participants[place]
    return one.resumes or one.daemons or one.controller.paused


def _refusing(claim: Claim, position: int) -> dict[str, int]:
    situation = claim.situation
    nodes = takers(situation, position) & {node.name for node in situation.cluster.nodes}
    costs = cost_of_refusing(situation, position, claim.moving, nodes)
    return {name: greedily(supply, prices) for name, (supply, prices) in costs.items()}


def _by_states(claim: Claim, ends: str, budget: int, extra: Sequence[Pod]) -> Evidence | None:
    from kubelint_gpu.simulation.bounds.shortfall import after_rollout

    situation, search = claim.situation, GroupSearch(claim.situation)
    participants = situation.participants
    rolls = frozenset(place for place in (*claim.positions, *claim.moving) if participants[place].rolling)
    simulation = search.simulation(rolls, extra, claim.moving - rolls)
    if claim.short:
        asked = claim.positions[0]
        changed = tuple(
            after_rollout(replace(one, known=True, existing=False) if place == asked else one)
            for place, one in enumerate(participants)
        )
        made = frozenset({asked}) if participants[asked].daemons else frozenset[int]()
        later = search.simulated(changed, made, (*search.outsiders, *extra), situation.fixed)
        return _left_out(claim, (simulation, later), budget)
    if claim.verdict is None:
        return None
    first = one_placement(simulation)
    if len(claim.positions) == 1 and claim.verdict is Verdict.COMPLETES and not claim.moving and first is not None:
        candidate = InPlace(simulation, first)
        if _is_shown(claim, candidate):
            return candidate
    starts = placements(simulation, budget)
    begin = starts.full
    if not begin and len(claim.positions) == 1:
        # others wait for ever for a place of their own
        place = claim.positions[0]
        mine = () if participants[place].in_any_order else simulation.pod_types.members[place]
        begin = tuple(one for one in starts.partial if not any(one.waiting[kind] for kind in mine))
        begin = at_rest(simulation, begin) if starts.complete else begin
    found = _explored(simulation, ends, begin, budget) if starts.complete and begin else None
    if found is None:
        return _walked(claim, simulation, ends, begin or ((first,) if first is not None else ()))
    return found


def _left_out(claim: Claim, simulations: Sequence[Simulation], budget: int) -> LeftOut | None:
    """A placement that leaves a pod of the workload out, now or when all has changed."""
    roomy = 0
    for simulation in simulations:
        starts, mine = placements(simulation, budget), simulation.pod_types.members[claim.positions[0]]
        roomy += starts.complete and bool(starts.full) and not starts.fragmented
        partial = () if starts.full else starts.partial
        state = next((one for one in partial if _lacks(one, mine, claim.wanted)), None)
        if state is not None and _is_shown(claim, LeftOut(simulation, state)):
            return LeftOut(simulation, state)
    if roomy == len(simulations):
        raise NotShown("every placement has room for all pods")
    return None


def _is_shown(claim: Claim, evidence: Evidence) -> bool:
    try:
        check(claim, evidence)
    except NotShown:
        return False
    return True


def _lacks(state: State, mine: Sequence[int], wanted: int) -> bool:
    waiting = any(state.waiting[kind] or count_on(content, kind, *UNBOUND) for content in state.nodes for kind in mine)
    there = sum(count for content in state.nodes for kind, _, count in content if kind in mine)
    return waiting or there < wanted


def _told(claim: Claim, simulation: Simulation) -> tuple[State, ...]:
    """The run that the decider tells, where it is one of this simulation."""
    played = claim.trace.played if claim.trace is not None else None
    if played is None or played.kinds != simulation.pod_types.kinds or played.names != simulation.places.names:
        return ()
    return tuple(map(simulation.places.canonical, played.states))


def _explored(simulation: Simulation, ends: str, starts: tuple[State, ...], budget: int) -> Closed | Runs | None:
    """All states that can be reached, and the ways to the end; None where there are more than the budget."""
    model, done = simulation.model, partial(simulation.model.done, name=ends)
    reached = Reached(starts)
    while reached.open:
        if len(reached.states) > budget:
            return None
        reached.expand(() if done(reached.next) else model.successors(reached.next))
    order, edges = reached.states, reached.edges
    nearer = reached.nearer([place for place, state in enumerate(order) if done(state)])
    closed = Closed(simulation, ends, starts, tuple(order), tuple(nearer))
    dead = [place for place, one in enumerate(nearer) if one < 0]
    if not dead or len(dead) == len(order):
        return closed
    if all(nearer[reached.number[state]] < 0 for state in starts):
        raise AssertionError("what no start reaches is not among the states")
    last = next((place for place in dead if not edges[place]), dead[-1])
    after = None if not edges[last] else _from(closed, edges, last)
    run = reached.path(next(place for place, one in enumerate(nearer) if one == place))
    return Runs(simulation, ends, run, reached.path(last), after)


def _from(closed: Closed, edges: list[list[int]], first: int) -> Closed:
    """The part of the states that can follow one of them."""
    found = {first: None}
    stack = [first]
    for number in stack:
        for one in edges[number]:
            if one not in found:
                found[one] = None
                stack.append(one)
    states = tuple(closed.states[one] for one in found)
    return replace(closed, starts=states[:1], states=states, nearer=(-1,) * len(states))


def _walked(claim: Claim, simulation: Simulation, ends: str, starts: tuple[State, ...]) -> Evidence | None:
    """Single runs: two of them show that a rollout may stick; any other claim they can only contradict."""
    import random

    if not starts:
        return None
    draws, done = random.Random(1), partial(simulation.model.done, name=ends)
    found: dict[bool | None, tuple[State, ...]] = {}
    for _ in range(_WALKS):
        path, over = walk(simulation.model, draws.choice(starts), done, draws)
        found.setdefault(over, tuple(path))
    told = _told(claim, simulation)
    if told and not done(told[-1]):
        found[False] = told
    if claim.verdict is Verdict.COMPLETES and False in found:
        raise NotShown("a run gets stuck")
    if claim.verdict is Verdict.STUCK and True in found:
        raise NotShown("a run comes to its end")
    if claim.verdict is Verdict.MAY_STICK and False in found:
        after = None
        if simulation.model.successors(found[False][-1]):
            following = _explored(simulation, ends, found[False][-1:], _FOLLOWING)
            if not isinstance(following, Closed):
                return None
            after = following
        return Runs(simulation, ends, found.get(True, ()), found[False], after)
    return None
