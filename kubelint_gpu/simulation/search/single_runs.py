"""Follows single runs to their end if there are too many runs: one stuck run shows that a rollout may stick.

The runs are the same each time. In half of them pods crowd together, as far as the scheduler allows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from operator import itemgetter

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.simulation.asked import asked
from kubelint_gpu.simulation.controllers.rollout_state import AWAITED, Content, State
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.model.transition_system import Model, Step
from kubelint_gpu.simulation.search.explorer import explore
from kubelint_gpu.values import Value
from kubelint_gpu.work import UsedUp, part

SINGLE_RUNS = "single-runs"


class SingleRuns(Value):
    """What single runs showed, and the number of states.

    `stuck` is the shortest stuck run if another run reached its end: then the rollout may stick. It is empty otherwise,
    because single runs cannot prove that all runs or no runs get stuck.
    """

    stuck: tuple[State, ...]
    states: int


def single_runs(model: Model, starts: Sequence[State], done: Callable[[State], bool], budget: int) -> SingleRuns:
    """Follow runs from some starts until `budget` states are looked at.

    A run is given up if a pod would preempt a pod that is not in play.
    """
    if not asked((SINGLE_RUNS,)):
        return SingleRuns((), 0)
    draws = random.Random(0)  # noqa: S311 - the same runs each time
    stuck: list[State] = []
    ends = False
    looked_at = 0
    try:
        while starts and looked_at < budget:
            path, over = _run(model, draws.choice(starts), done, draws, min(SIMULATION.run_steps, budget - looked_at))
            looked_at += len(path)
            ends = ends or over is True
            if over is False and (not stuck or len(path) < len(stuck)):
                stuck = path
    except UnmodelledVictim:
        return SingleRuns((), looked_at)
    return SingleRuns(_shortened(model, stuck) if stuck and ends else (), looked_at)


def sampled_runs(model: Model, starts: Sequence[State], budget: int) -> tuple[list[tuple[State, ...]], int]:
    """Runs that come to rest, without detours, and how many states were looked at, at most `budget`."""
    draws = random.Random(0)  # noqa: S311 - the same runs each time
    found: dict[State, tuple[State, ...]] = {}
    looked_at = 0
    with suppress(UsedUp):
        while starts and looked_at < budget:
            most = min(SIMULATION.run_steps, budget - looked_at)
            path, over = _run(model, draws.choice(starts), lambda _state: False, draws, most)
            looked_at += len(path)
            if over is False and path[-1] not in found:
                found[path[-1]] = _shortened(model, path)
    return list(found.values()), looked_at


def stuck_path(model: Model, start: State, done: Callable[[State], bool], budget: int) -> tuple[Sequence[State], int]:
    """A stuck run and the number of states looked at; empty if none is found.

    It is the shortest one if half of the work finds it.
    """
    found: Sequence[State] = ()
    states = 0
    with suppress(UsedUp), part(1, 2):
        every = explore([start], model.successors, done, budget)
        found, states = every.path, every.states
    if not found:
        path, over = walk(model, start, done, random.Random(0))  # noqa: S311 - the same run each time
        found = _shortened(model, path) if over is False else ()
    return found, states


def walk(
    model: Model, start: State, done: Callable[[State], bool], draws: random.Random
) -> tuple[list[State], bool | None]:
    """One run, and whether it reached its end; None if it was cut off."""
    return _run(model, start, done, draws, SIMULATION.run_steps)


def reaches(model: Model, start: State, ends: str) -> bool:
    """Whether one run reaches the end of a workload's rollout; False if it is cut off or gets stuck."""
    done = partial(model.done, name=ends)
    return walk(model, start, done, random.Random(0))[1] is True  # noqa: S311 - the same run each time


def filling_run(
    simulation: Simulation,
    start: State,
    done: Callable[[State], bool],
    node: str,
    late: AbstractSet[int],
    counts: Mapping[int, int],
) -> tuple[State, ...]:
    """A run in which others fill a node before pods of the `late` kinds find their places; empty if it ends.

    The workload of these pods is first in everything else. The others roll out one after the other. As many of their
    pods as `counts` has for their kind go to the node.
    """
    model, index = simulation.model, simulation.places.names.index(node)
    mine = {model.kinds[kind].reconciler for kind in late}

    def rank(step: Step, content: Content) -> tuple[int, int, bool]:
        owner = model.kinds[step.kind].reconciler if step.kind >= 0 else step.reconciler
        if owner in mine:
            return 2 * (step.act == "bind"), 0, False
        there = sum(count for kind, _, count in content if kind >= 0 and model.kinds[kind].reconciler == owner)
        wanted = there < counts.get(step.kind, 0)
        return 1, owner, step.act == "bind" and (step.node == index) is not wanted

    path = [start]
    while len(path) < SIMULATION.filling_steps and not done(path[-1]):
        content = path[-1].nodes[index]
        steps = sorted(((rank(step, content), after) for step, after in model.steps(path[-1])), key=itemgetter(0))
        found = (model.places.canonical(after) for _, after in steps)
        following = next((after for after in found if after != path[-1]), None)
        if following is None:
            return tuple(path)
        path.append(following)
    return ()


def _run(
    model: Model, start: State, done: Callable[[State], bool], draws: random.Random, most: int
) -> tuple[list[State], bool | None]:
    """One run, and whether it reached its end; None if it was cut off.

    The pods of one workload are placed after all other waiting pods, so that these can take their places.
    """
    path = [start]
    last, crowds = draws.randrange(max(1, len(model.reconcilers))), draws.random() < SIMULATION.crowded
    while len(path) < most:
        if done(path[-1]):
            return path, True
        following = _next(model, path[-1], draws, last, crowds)
        if following is None:
            return path, False
        path.append(following)
    return path, None


def _next(model: Model, state: State, draws: random.Random, last: int, crowds: bool) -> State | None:
    """One of the next states; None if there is none."""
    kinds: dict[tuple[str, int, int], list[tuple[int, State]]] = {}
    for step, following in model.steps(state):
        crowd = sum(count for _, _, count in state.nodes[step.node]) if step.act == "bind" else 0
        kinds.setdefault((step.act, step.reconciler, step.kind), []).append((crowd, following))
    late = [key for key in kinds if key[0] == "bind" and model.kinds[key[2]].reconciler == last]
    left = [key for key in kinds if key not in late]
    while left or late:
        options = kinds[left.pop(draws.randrange(len(left))) if left else late.pop()]
        draws.shuffle(options)
        if crowds:
            options.sort(key=lambda option: -option[0])
        for _, following in options:
            found = model.places.canonical(following)
            if found != state:
                return found
    return None


def _shortened(model: Model, path: Sequence[State]) -> tuple[State, ...]:
    """The run without detours: from each state it goes as far as one event leads."""
    last = {state: place for place, state in enumerate(path)}
    place = last[path[0]]
    found = [path[0]]
    while place < len(path) - 1:
        place = max(last[state] for state in model.successors(path[place]) if state in last)
        found.append(path[place])
    return tuple(found)


def at_rest(simulation: Simulation, states: Sequence[State]) -> tuple[State, ...]:
    """The starts in which no waiting pod preempts another: the other starts do not last until something changes."""
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
