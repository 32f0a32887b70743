"""Rollouts that may stick: one run in which others crowd the nodes that the new pods need shows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import islice

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.change_set import changing
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.controllers.rollout_state import State
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.search import placements, single_runs
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.replay import ReplayMismatch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.trace import Trace
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, charge, part


def decide(question: Question) -> Judgement | None:
    """It may stick if a run sticks that begins with all others crowded on the nodes of one topology domain.

    The scheduler could have placed them so. Only the pods that give way to nobody are pushed there first.
    """
    participant, position, search = question.participant, question.position, question.search
    if not participant.rolling or participant.daemons or len(question.situation.participants) < 2:
        return None
    if participant.known and changing(question.situation, position):
        # what others give up meanwhile may be what it needs
        return None
    simulation = search.simulation(frozenset({position}), ())
    mine = frozenset(simulation.pod_types.members[position])
    new = participant.new.spec
    weak = frozenset(
        kind
        for kind, one in enumerate(simulation.pod_types.kinds)
        if preconditions.gives_way(one.pod.spec, new) and kind not in mine
    )
    for nodes in islice(_targets(question), SIMULATION.crowded_starts):
        start = placements.crowded(simulation, mine, weak, nodes)
        if start is not None:
            try:
                states, trace = search.stuck_from(simulation, start, participant.new.key)
            except UnmodelledVictim:
                return None
            if trace is not None:
                return replace(question.blank, verdict=Verdict.MAY_STICK, by_bound=False, states=states, trace=trace)
    return None


def filled_node(situation: Situation, rolling: frozenset[int], position: int, ends: str) -> tuple[int, Trace | None]:
    """Return a run in which others fill a node of a DaemonSet when its old pod has left, and the states looked at.

    All that are `rolling` start at the same moment. Those of them that are not needed to fill the node begin when the
    run is over: they hold nothing on that node. No run is found if none of the nodes can be too full.
    """
    states = 0
    for node, name in _fullest(situation, position)[: SIMULATION.filled_nodes]:
        one = _on_one_node(situation, node)
        search = GroupSearch(one)
        path: tuple[State, ...] = ()
        with suppress(UnmodelledVictim, ReplayMismatch, UsedUp):
            with part(3, 4):
                simulation = search.simulation(_filling(situation, rolling, node, name) | {position}, ())
                daemons = (place for place, each in enumerate(one.participants) if each.daemons)
                first = frozenset(kind for place in daemons for kind in simulation.pod_types.members[place])
                elsewhere = frozenset(simulation.places.names) - {node}
                start = placements.crowded(simulation, frozenset(), frozenset(), elsewhere, first)
                if start is not None:
                    done = partial(simulation.model.done, name=ends)
                    sizes = [takes(kind.pod).get(name, 0) for kind in simulation.model.kinds]
                    late = frozenset(simulation.pod_types.members[position])
                    path = single_runs.filling_run(simulation, start, done, node, late, sizes)
            states += len(path)
            if path:
                return states, search.replayed(simulation, path)
    return states, None


def _fullest(situation: Situation, position: int) -> list[tuple[str, str]]:
    """The nodes of a DaemonSet that have too little for all that may be there, each with what they lack most.

    One of those that are alike, the fullest first.
    """
    wanted = situation.demands[position].each
    found: dict[tuple[object, ...], tuple[Fraction, str, str]] = {}
    for node in sorted(situation.participants[position].nodes):
        here = [place for place, demand in enumerate(situation.demands) if node in demand.nodes]
        charge(1 + len(here))
        key = (*here, *(situation.residual[node].get(name, 0) for name in wanted))
        if key not in found:
            parts = [(sum(_part_of(situation, place, node, name) for place in here), name) for name in sorted(wanted)]
            whole, name = max(parts)
            found[key] = Fraction(whole), node, name
    return [(node, name) for part, node, name in sorted(found.values(), key=lambda one: (-one[0], one[1])) if part > 1]


def _part_of(situation: Situation, place: int, node: str, name: str) -> Fraction:
    """What part of a node's resource the pods of a workload may take, as far as it is easily seen."""
    demand, participant = situation.demands[place], situation.participants[place]
    count = 1 if participant.daemons else demand.on_each or demand.whole
    for one in participant.new.spec.spread:
        domains = len(situation.empty.values(one.topology_key))
        if one.do_not_schedule and domains:
            count = min(count, demand.whole // domains + one.max_skew)
    return Fraction(demand.each.get(name, 0) * count, max(1, situation.residual[node].get(name, 0)))


def _filling(situation: Situation, rolling: frozenset[int], node: str, name: str) -> frozenset[int]:
    """Enough of the workloads that are rolled to fill a node: those that take most, and that of the smallest pods."""
    demands = situation.demands
    parts = {
        place: _part_of(situation, place, node, name)
        for place in rolling
        if node in demands[place].nodes and not situation.participants[place].daemons
    }
    found, held = set[int](), Fraction(0)
    for place in sorted(parts, key=lambda one: (-parts[one], one)):
        if held > SIMULATION.filled:
            break
        found.add(place)
        held += parts[place]
    smallest = sorted((place for place in parts if parts[place]), key=lambda one: (demands[one].each[name], one))[:1]
    return frozenset((*found, *smallest))


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


def _targets(question: Question) -> Iterator[frozenset[str]]:
    """The nodes that new pods can go to, by each topology domain that their constraints name; all of them at last."""
    eligible, spec = question.situation.eligible[question.position], question.participant.new.spec
    keys = [one.topology_key for one in spec.spread if one.do_not_schedule]
    keys += [term.topology_key for term in spec.pod_anti_affinity]
    for key in dict.fromkeys(keys):
        domains = question.situation.empty.values(key)
        if len(domains) < len(eligible):
            yield from sorted(
                (eligible & frozenset(names) for names in domains.values()), key=lambda one: (len(one), sorted(one))
            )
    yield eligible
