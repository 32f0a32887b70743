"""DaemonSets that may stick: other pods may fill a node after its old pod is deleted, as one run shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from math import gcd

from kubelint_gpu.budget import SIMULATION, STEPS
from kubelint_gpu.simulation.bounds.crowded_start import Crowd, crowded
from kubelint_gpu.simulation.controllers.rollout_state import State
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.search import single_runs
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.replay import ReplayMismatch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Runs
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, charge, part


def filled_node(situation: Situation, rolling: frozenset[int], position: int, ends: str) -> Runs:
    """A run in which others fill a node of a DaemonSet after its old pod is deleted.

    All workloads in `rolling` start at the same moment. Those that are not needed to fill the node begin after this
    run. No run is found if no pods together take what fills a node.
    """
    states = 0
    for node, filling in islice(_fillings(situation, rolling, position), SIMULATION.filled_nodes):
        search = GroupSearch(_on_one_node(situation, node))
        with suppress(UnmodelledVictim, ReplayMismatch, UsedUp):
            with part(3, 4):
                simulation, path = _filling_run(search, node, filling, position, ends)
            states += len(path)
            if path:
                return Runs(searched=True, states=states, trace=search.replayed(simulation, path))
    return Runs(searched=True, states=states)


def _filling_run(
    search: GroupSearch, node: str, filling: Mapping[int, int], position: int, ends: str
) -> tuple[Simulation, tuple[State, ...]]:
    """A run in which others fill the node, on as few other nodes as possible; empty if none is found."""
    participants, few = search.situation.participants, 1
    while True:
        few *= 2
        simulation = search.simulated(
            participants, frozenset((*filling, position)), search.outsiders, search.situation.fixed, few=few
        )
        members = simulation.pod_types.members
        first = frozenset(kind for place, one in enumerate(participants) if one.daemons for kind in members[place])
        elsewhere = frozenset(simulation.places.names) - {node}
        start = crowded(simulation, Crowd(elsewhere, first=first))
        path: tuple[State, ...] = ()
        if start is not None and simulation.has_spare(start):
            done = partial(simulation.model.done, name=ends)
            counts = {kind: count for place, count in filling.items() for kind in members[place]}
            path = single_runs.filling_run(simulation, start, done, node, frozenset(members[position]), counts)
            if all(map(simulation.has_spare, path)):
                return simulation, path
        if not simulation.cut:
            return simulation, ()


def _fillings(situation: Situation, rolling: frozenset[int], position: int) -> Iterator[tuple[str, Mapping[int, int]]]:
    """Nodes of a DaemonSet that pods of rolling workloads can fill, so that its own pod finds no room.

    Yield one of several equal nodes, with the number of pods by position of the workload.
    """
    demands, participants, mine = situation.demands, situation.participants, situation.demands[position]
    seen = set[tuple[object, ...]]()
    for node in sorted(participants[position].nodes):
        here = [place for place, demand in enumerate(demands) if node in demand.nodes and place != position]
        left = situation.residual[node]
        charge(1 + len(here))
        key = (*here, *(left.get(name, 0) for name in mine.each))
        if key in seen:
            continue
        seen.add(key)
        for name in sorted(mine.each):
            daemons = sum(demands[place].each.get(name, 0) for place in here if participants[place].daemons)
            most = {
                place: _most_on_a_node(situation, place)
                for place in here
                if place in rolling and not participants[place].daemons and demands[place].each.get(name, 0)
            }
            parts = [(place, demands[place].each[name], count) for place, count in most.items()]
            has = left.get(name, 0) - daemons
            filling = filled_by(parts, has - mine.each[name] + 1, has)
            if filling:
                yield node, filling


def _most_on_a_node(situation: Situation, place: int) -> int:
    """An upper bound of the pods of a workload on one node after its rollout."""
    demand, participant = situation.demands[place], situation.participants[place]
    most = min(participant.replicas, demand.on_each or participant.replicas)
    for one in participant.new.spec.spread:
        domains = len(situation.empty.values(one.topology_key))
        if one.do_not_schedule and domains:
            most = min(most, participant.replicas // domains + one.max_skew)
    return most


def filled_by(parts: Sequence[tuple[int, int, int]], least: int, most: int) -> dict[int, int]:
    """Combine parts to a sum from `least` to `most`, of as few kinds as possible. Return counts by name, or nothing."""
    if least <= 0 or least > most:
        return {}
    unit = gcd(*(size for _, size, _ in parts))
    # for each sum the fewest kinds that come to it, and how many of each
    found: dict[int, tuple[tuple[int, int], ...]] = {0: ()}
    for name, size, count in parts:
        charge(1 + len(found) * count // STEPS.demand)
        for before, kinds in list(found.items()):
            for times in range(1, count + 1):
                after = before + times * size // unit
                if after * unit > most:
                    break
                if after not in found or len(found[after]) > len(kinds) + 1:
                    found[after] = (*kinds, (name, times))
    sums = [one for one in found if least <= one * unit <= most]
    return dict(found[min(sums, key=lambda one: (len(found[one]), one))]) if sums else {}


def _on_one_node(situation: Situation, node: str) -> Situation:
    """The situation in which DaemonSets change on one node alone: on all others their old pods stay."""
    participants, fixed = [], list(situation.fixed)
    for one in situation.participants:
        if not one.daemons:
            participants.append(one)
            continue
        known, old = {pod.spec.node_name for pod in one.running}, created_pod(one.old, "old")
        fixed += [pod for pod in one.running if pod.spec.node_name != node]
        fixed += [
            replace(old, meta=replace(old.meta, name=f"{old.meta.name}-{name}"), spec=replace(old.spec, node_name=name))
            for name in one.standing
            if name != node and name not in known
        ]
        here = tuple(pod for pod in one.running if pod.spec.node_name == node)
        nodes = tuple(name for name in one.nodes if name == node)
        participants.append(replace(one, nodes=nodes, running=here, left=(), stays=(), fresh=()))
    return replace(situation, participants=tuple(participants), fixed=tuple(fixed))
