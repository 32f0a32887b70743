"""Where all runs of a group come to rest: one search that serves every workload of the group.

Unlike a search for the end of one rollout it continues until nothing moves: a complete rollout can lose pods later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from kubelint_gpu.budget import PARTS
from kubelint_gpu.simulation.controllers.rollout_state import READY, STARTING, State, census, count_on
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.model.transition_system import Model
from kubelint_gpu.simulation.search.explorer import Reached
from kubelint_gpu.simulation.search.single_runs import sampled_runs
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import Value
from kubelint_gpu.work import UsedUp, part


class RunEnd(Value):
    """A run and the state in which it rests; if it never leaves a cycle, all states of the cycle."""

    states: tuple[State, ...]
    path: tuple[State, ...]

    def ready(self, kinds: Sequence[int]) -> int:
        """How many pods of some kinds are ready there; in a cycle, at the best moment."""
        return max(
            sum(count_on(content, kind, READY) for content in state.nodes for kind in kinds) for state in self.states
        )


class RunEnds(Value):
    """Where the runs of a simulation come to rest.

    Attributes:
        simulation: the simulation.
        starts: the states in which the runs begin.
        found: the ends, the nearest first.
        whole: whether these are all ends.
        states: how many states were looked at.
        evictions: for each owner whose pods others preempt, the shortest run up to the state before that.
    """

    simulation: Simulation
    starts: tuple[State, ...]
    found: tuple[RunEnd, ...]
    whole: bool
    states: int
    evictions: dict[str, tuple[State, ...]]

    def verdict(self, done: Callable[[State], bool]) -> tuple[Verdict, RunEnd | None]:
        """Whether all runs end where `done` holds, and the nearest end where it does not hold."""
        bad = [end for end in self.found if not any(map(done, end.states))]
        if self.whole and self.found and len(bad) == len(self.found):
            return Verdict.STUCK, bad[0]
        if bad:
            return Verdict.MAY_STICK, bad[0]
        return Verdict.COMPLETES if self.whole else Verdict.UNDECIDED, None


def ends_of_runs(simulation: Simulation, starts: Sequence[State], budget: int, *, every_start: bool) -> RunEnds:
    """The ends of all runs from some starts; those of single runs if the budget does not suffice.

    `every_start` says that there are no other starts.
    """
    model, canonical = simulation.model, simulation.places.canonical
    reached = Reached(starts)
    # before any end each of these has made pods, and any of them have where the others have not
    least = min((_makers(model, start) for start in starts), default=0) if simulation.places.peaceful else 0
    evicting: dict[str, int] = {}
    after_eviction: list[tuple[int, State, int]] = []
    # a part is kept for single runs: where the work does not reach all ends, some are known
    with suppress(UsedUp), part(3, 4):
        while reached.open and len(reached.edges) < budget and 2**least <= budget:
            following = []
            for step, after in model.steps(reached.next):
                following.append(canonical(after))
                for owner in model.evicted(step):
                    evicting.setdefault(owner, len(reached.edges))
                    after_eviction.append((len(reached.edges), following[-1], step.kind))
            reached.expand(following)
    rests = reached.closed()
    if not reached.open:
        edges = {(place, reached.number[state]): kind for place, state, kind in after_eviction}
        rests += [circle for circle in _endless_evictions(reached, edges) if circle not in rests]
    ends = [RunEnd(tuple(reached.states[one] for one in found), reached.path(found[0])) for found in rests]
    looked_at = len(reached.edges)
    if reached.open and least <= budget // PARTS.samples:
        paths, more = sampled_runs(model, starts, budget // PARTS.samples)
        looked_at += more
        known = {state for end in ends for state in end.states}
        ends += [RunEnd((path[-1],), path) for path in paths if path[-1] not in known]
    evictions = {owner: reached.path(place) for owner, place in evicting.items()}
    whole = every_start and not reached.open
    return RunEnds(simulation, tuple(starts), tuple(ends), whole, looked_at, evictions)


def _endless_evictions(reached: Reached[State], edges: Mapping[tuple[int, int], int]) -> Iterator[list[int]]:
    """Yield circles of states in which pods evict others again and again and never get what these give up.

    `edges` are the pairs of states between which a pod of some kind evicts others.
    """
    for circle in reached.circles(edges):
        within = {*circle}
        evicting = {kind for edge, kind in edges.items() if within.issuperset(edge)}
        contents = [content for place in circle for content in reached.states[place].nodes]
        if any(not any(count_on(one, kind, STARTING, READY) for one in contents) for kind in evicting):
            yield circle


def _makers(model: Model, start: State) -> int:
    """How many controllers create pods now that no quota counts: such actions do not hinder each other."""
    every, seen = zip(model.reconcilers, start.controls, strict=True), census(start)
    made = [[change.create for change in one.actions(control, seen)] for one, control in every]
    return sum(any(one is not None and not model.places.is_charged(one[0]) for one in found) for found in made)
