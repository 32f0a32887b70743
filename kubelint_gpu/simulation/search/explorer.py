"""Every run of a model, breadth first, to a budget counted in states.

Nothing here knows what a state means.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Generic, TypeVar

from kubelint_gpu.budget import PARTS
from kubelint_gpu.values import dataclass, field

S = TypeVar("S", bound=Hashable)


class Verdict(str, Enum):
    """Whether every run comes to its end.

    `stuck`: no run can.
    `may-stick`: some run reaches a state from which none can.
    `completes`: from every state that can be reached the end can be reached.
    `undecided`: the budget ended before it was known.
    """

    STUCK = "stuck"
    MAY_STICK = "may-stick"
    COMPLETES = "completes"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Exploration(Generic[S]):
    """What was found; `path` is the shortest run, from a start, into a state where waiting is for ever.

    `states` is how many states were looked at.
    `starts` and `dead_starts` count the start states and those from which the end cannot be reached.
    """

    verdict: Verdict
    states: int
    path: tuple[S, ...] = ()
    starts: int = 0
    dead_starts: int = 0
    _order: Sequence[S] = field(default=(), repr=False, compare=False)
    _index: Mapping[S, int] = field(default_factory=dict, repr=False, compare=False)
    _parent: Sequence[int] = field(default=(), repr=False, compare=False)

    def path_to(self, state: S) -> tuple[S, ...]:
        """The shortest run from a start into a state that was looked at."""
        return path_in(self._order, self._parent, self._index[state])


def explore(
    starts: Iterable[S],
    successors: Callable[[S], Iterable[S]],
    done: Callable[[S], bool],
    budget: int,
    halts: Callable[[], bool] | None = None,
) -> Exploration[S]:
    """Search all runs; a cut-off search says `stuck` or `may-stick` only where the part that is closed proves it.

    It ends early where one run is at its end and another has got stuck: more could be said of neither.
    `halts` is asked once, when a quarter of the budget is spent: whether to go on is of no use.
    """
    order: list[S] = []
    index: dict[S, int] = {}
    parent: list[int] = []
    edges: list[list[int]] = []
    finished: list[int] = []

    def meet(state: S, came_from: int) -> int:
        found = index.get(state)
        if found is None:
            found = index[state] = len(order)
            order.append(state)
            parent.append(came_from)
        return found

    for state in starts:
        meet(state, -1)
    count = len(order)
    expanded = 0
    rests = False
    while expanded < len(order) and expanded < budget and not (rests and finished):
        if halts is not None and expanded == budget // PARTS.pause and halts():
            break
        state = order[expanded]
        if done(state):
            finished.append(expanded)
            edges.append([])
        else:
            following = [meet(one, expanded) for one in successors(state)]
            rests = rests or not following
            edges.append(following)
        expanded += 1

    frontier = range(expanded, len(order))
    alive = _backwards(edges, [*finished, *frontier], len(order))
    dead = [number for number in range(expanded) if not alive[number]]
    dead_starts = sum(1 for number in range(count) if not alive[number])
    if dead:
        verdict = Verdict.STUCK if dead_starts == count else Verdict.MAY_STICK
        path = path_in(order, parent, _resting(edges, dead))
        return Exploration(verdict, expanded, path, count, dead_starts, order, index, parent)
    verdict = Verdict.UNDECIDED if frontier or not count else Verdict.COMPLETES
    return Exploration(verdict, expanded, (), count, 0, order, index, parent)


def _backwards(edges: list[list[int]], targets: list[int], size: int) -> bytearray:
    """Which states reach a target."""
    incoming: list[list[int]] = [[] for _ in range(size)]
    for number, following in enumerate(edges):
        for target in following:
            incoming[target].append(number)
    reached = bytearray(size)
    stack = list(targets)
    for number in stack:
        reached[number] = 1
    while stack:
        for number in incoming[stack.pop()]:
            if not reached[number]:
                reached[number] = 1
                stack.append(number)
    return reached


def _resting(edges: list[list[int]], dead: list[int]) -> int:
    """The nearest dead state at which a run ends: nothing moves any more, or it moves in a circle for ever."""
    for number in dead:
        if not edges[number]:
            return number
    component = _components(edges, dead)
    leaves = {component[number] for number in dead}
    for number in dead:
        if any(component[following] != component[number] for following in edges[number]):
            leaves.discard(component[number])
    return next(number for number in dead if component[number] in leaves)


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


def closed_components(edges: list[list[int]], size: int) -> list[list[int]]:
    """Where runs stay for ever: the states without successors, and the circles that are never left; nearest first.

    Of `size` states those beyond `edges` have not been expanded: what leads to one of them is not closed.
    """
    rests = [number for number, following in enumerate(edges) if not following]
    alive = _backwards(edges, [*rests, *range(len(edges), size)], size)
    circling = [number for number in range(len(edges)) if not alive[number]]
    found: dict[int, list[int]] = {}
    component = _components(edges, circling)
    left = {component[one] for one in circling for other in edges[one] if component[other] != component[one]}
    for number in circling:
        if component[number] not in left:
            found.setdefault(component[number], []).append(number)
    return sorted([*([number] for number in rests), *found.values()])


def path_in(order: Sequence[S], parent: Sequence[int], number: int) -> tuple[S, ...]:
    """The run from a start to the state with a number; `parent` is -1 for a start."""
    path = []
    while number >= 0:
        path.append(order[number])
        number = parent[number]
    return tuple(reversed(path))
