"""Where all runs of a group come to rest: one search that every workload of the group is asked of.

Unlike a search for the end of one rollout it goes on until nothing moves any more: what is complete may be evicted
after that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from kubelint_gpu.budget import PARTS
from kubelint_gpu.simulation.controllers.state import READY, State, count_on
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.search.explorer import Verdict, closed_components, path_in
from kubelint_gpu.simulation.search.single_runs import sampled_runs
from kubelint_gpu.values import dataclass
from kubelint_gpu.work import UsedUp, part


@dataclass(frozen=True, slots=True)
class RunEnd:
    """Where a run comes to rest, and the run; of a circle that is never left, all its states."""

    states: tuple[State, ...]
    path: tuple[State, ...]

    def ready(self, kinds: Sequence[int]) -> int:
        """How many pods of some types are ready there: in a circle, at the best moment."""
        return max(
            sum(count_on(content, kind, READY) for content in state.nodes for kind in kinds) for state in self.states
        )


@dataclass(frozen=True, slots=True)
class RunEnds:
    """Where runs come to rest.

    Attributes:
        simulation: what they are runs of.
        starts: where they begin.
        found: the ends, the nearest first.
        whole: whether these are all ends; else some of them.
        states: how many states were looked at.
        evictions: for each owner whose pods others evict, the shortest run to a state in which that is the next step.
    """

    simulation: Simulation
    starts: tuple[State, ...]
    found: tuple[RunEnd, ...]
    whole: bool
    states: int
    evictions: dict[str, tuple[State, ...]]

    def verdict(self, done: Callable[[State], bool]) -> tuple[Verdict, RunEnd | None]:
        """Whether all runs end where `done` holds, and the nearest end where it does not."""
        bad = [end for end in self.found if not any(map(done, end.states))]
        if self.whole and self.found and len(bad) == len(self.found):
            return Verdict.STUCK, bad[0]
        if bad:
            return Verdict.MAY_STICK, bad[0]
        return Verdict.COMPLETES if self.whole else Verdict.UNDECIDED, None


def ends_of_runs(simulation: Simulation, starts: Sequence[State], budget: int, *, every_start: bool) -> RunEnds:
    """The ends of all runs from some starts; where the budget does not reach, those of single runs.

    `every_start` says that there are no other starts.
    """
    model, canonical = simulation.model, simulation.places.canonical
    order: list[State] = list(dict.fromkeys(starts))
    index = {state: number for number, state in enumerate(order)}
    parent = [-1] * len(order)
    edges: list[list[int]] = []
    evicting: dict[str, int] = {}
    # a part is kept for single runs: where the work does not reach all ends, some are known
    with suppress(UsedUp), part(3, 4):
        while len(edges) < len(order) and len(edges) < budget:
            number = len(edges)
            following: dict[int, None] = {}
            for step, after in model.steps(order[number]):
                for owner in model.evicted(step):
                    evicting.setdefault(owner, number)
                state = canonical(after)
                found = index.get(state)
                if found is None:
                    found = index[state] = len(order)
                    order.append(state)
                    parent.append(number)
                if found != number:
                    following.setdefault(found)
            edges.append(list(following))
    whole = len(edges) == len(order)
    ends = [
        RunEnd(tuple(order[one] for one in members), path_in(order, parent, members[0]))
        for members in closed_components(edges, len(order))
    ]
    looked_at = len(edges)
    if not whole:
        paths, more = sampled_runs(model, starts, budget // PARTS.samples)
        looked_at += more
        known = {state for end in ends for state in end.states}
        ends += [RunEnd((path[-1],), path) for path in paths if path[-1] not in known]
    evictions = {owner: path_in(order, parent, number) for owner, number in evicting.items()}
    return RunEnds(simulation, tuple(starts), tuple(ends), whole and every_start, looked_at, evictions)
