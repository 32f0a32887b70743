"""Searches every run of a model, breadth first, up to a budget of states.

This module does not know what a state means.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from kubelint_gpu.budget import PARTS
from kubelint_gpu.groups import grouped
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.values import PartlyCompared

S = TypeVar("S", bound=Hashable)


class Reached(Generic[S]):
    """The states that runs reach from some starts, in the order of discovery.

    Attributes:
        states: all discovered states, the starts first.
        number: the index of each state.
        edges: for each expanded state, in order, the indices of its successors.
    """

    def __init__(self, starts: Iterable[S]) -> None:
        self.states = list(dict.fromkeys(starts))
        self.number = {state: place for place, state in enumerate(self.states)}
        self.edges: list[list[int]] = []
        self._parent = [-1] * len(self.states)

    @property
    def open(self) -> bool:
        """Whether there are states that are not expanded yet."""
        return len(self.edges) < len(self.states)

    @property
    def next(self) -> S:
        """The first state that is not expanded yet."""
        return self.states[len(self.edges)]

    def expand(self, following: Iterable[S]) -> None:
        """Expand the next state with its successors."""
        here, places = len(self.edges), dict[int, None]()
        for state in following:
            place = self.number.get(state)
            if place is None:
                place = self.number[state] = len(self.states)
                self.states.append(state)
                self._parent.append(here)
            places[place] = None
        places.pop(here, None)
        self.edges.append(list(places))

    def path(self, place: int) -> tuple[S, ...]:
        """A shortest run from a start to a state."""
        path = []
        while place >= 0:
            path.append(self.states[place])
            place = self._parent[place]
        return tuple(reversed(path))

    def nearer(self, targets: Iterable[int]) -> list[int]:
        """For each state, a successor nearer to a target, or the target itself; -1 if no target is reachable."""
        incoming: list[list[int]] = [[] for _ in self.states]
        for place, following in enumerate(self.edges):
            for target in following:
                incoming[target].append(place)
        nearer = [-1] * len(self.states)
        queue = list(targets)
        for place in queue:
            nearer[place] = place
        for place in queue:
            for before in incoming[place]:
                if nearer[before] < 0:
                    nearer[before] = place
                    queue.append(before)
        return nearer

    def closed(self) -> list[list[int]]:
        """Where runs stay for ever: states without successors, and cycles that are never left; the nearest first.

        A state that leads to an unexpanded state is not closed.
        """
        edges = self.edges
        rests = [place for place, following in enumerate(edges) if not following]
        nearer = self.nearer([*rests, *range(len(edges), len(self.states))])
        circling = [place for place in range(len(edges)) if nearer[place] < 0]
        component = _components(edges, circling)
        left = {component[one] for one in circling for other in edges[one] if component[other] != component[one]}
        found = grouped((component[place], place) for place in circling if component[place] not in left)
        return sorted([*([place] for place in rests), *found.values()])

    def circles(self, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
        """All cycles that contain one of the edges, even if runs can leave them; the nearest first.

        All states must be expanded.
        """
        component = _components(self.edges, list(range(len(self.edges))))
        through = {component[one] for one, other in edges if one != other and component[one] == component[other]}
        found = grouped((component[place], place) for place in range(len(self.edges)) if component[place] in through)
        return sorted(found.values())


class Exploration(PartlyCompared, Generic[S]):
    """The result of a search; `path` is the shortest run from a start into a state that waits for ever.

    `states` is the number of states looked at; `reached` has all of them.
    """

    not_compared = frozenset({"reached"})
    verdict: Verdict
    states: int
    path: tuple[S, ...]
    reached: Reached[S]

    @property
    def stuck(self) -> bool:
        """Whether no run reaches its end."""
        return self.verdict is Verdict.STUCK

    def path_to(self, state: S) -> tuple[S, ...]:
        """The shortest run from a start to a state that was looked at."""
        return self.reached.path(self.reached.number[state])


def explore(
    starts: Iterable[S],
    successors: Callable[[S], Iterable[S]],
    done: Callable[[S], bool],
    budget: int,
    halts: Callable[[], bool] | None = None,
) -> Exploration[S]:
    """Search all runs. An incomplete search says `stuck` or `may-stick` only if its closed part proves it.

    It stops early when one run has ended and another is stuck: more would not change the verdict. `halts` is called
    once, after a quarter of the budget: if true, the search stops.
    """
    reached = Reached(starts)
    edges, count = reached.edges, len(reached.states)
    finished: list[int] = []
    rests = False
    while reached.open and len(edges) < budget and not (rests and finished):
        if halts is not None and len(edges) == budget // PARTS.pause and halts():
            break
        state = reached.next
        if done(state):
            finished.append(len(edges))
            reached.expand(())
        else:
            reached.expand(successors(state))
            rests = rests or not edges[-1]

    frontier = range(len(edges), len(reached.states))
    nearer = reached.nearer([*finished, *frontier])
    if all(nearer[place] >= 0 for place in range(len(edges))):
        verdict = Verdict.UNDECIDED if frontier or not count else Verdict.COMPLETES
        return Exploration(verdict, len(edges), (), reached)
    verdict = Verdict.MAY_STICK if any(nearer[place] >= 0 for place in range(count)) else Verdict.STUCK
    dead = [found for found in reached.closed() if nearer[found[0]] < 0]
    # where nothing moves any more, or else in a circle for ever
    last = next((found for found in dead if not edges[found[0]]), dead[0])
    return Exploration(verdict, len(edges), reached.path(last[0]), reached)


def _components(edges: list[list[int]], nodes: list[int]) -> dict[int, int]:
    """Strongly connected components of a closed set of states (Tarjan, without recursion)."""
    low: dict[int, int] = {}
    number: dict[int, int] = {}
    component: dict[int, int] = {}
    stack: list[int] = []
    for root in nodes:
        if root in number:
            continue
        work = [(root, 0)]
        while work:
            node, position = work.pop()
            if position == 0:
                number[node] = low[node] = len(number)
                stack.append(node)
            following = edges[node]
            descended = False
            while position < len(following):
                target = following[position]
                position += 1
                if target not in number:
                    work.extend(((node, position), (target, 0)))
                    descended = True
                    break
                if target not in component:
                    low[node] = min(low[node], number[target])
            if descended:
                continue
            if low[node] == number[node]:
                while True:
                    member = stack.pop()
                    component[member] = node
                    if member == node:
                        break
            if work:
                above = work[-1][0]
                low[above] = min(low[above], low[node])
    return component
