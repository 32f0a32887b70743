"""Conditions that are checked before any search, for example whether any pod of a group can preempt another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.simulation.controllers.rollout_state import State
from kubelint_gpu.simulation.prepare.demand import always_room, contended, takes
from kubelint_gpu.simulation.prepare.displaced import concerns
from kubelint_gpu.simulation.prepare.workload_change import joined
from kubelint_gpu.simulation.search.placements import are_too_many, one_placement
from kubelint_gpu.simulation.search.situation import Situation

if TYPE_CHECKING:
    from kubelint_gpu.simulation.search.engine import GroupSearch


def is_peaceful(situation: Situation) -> bool:
    """Whether no pod of the group can ever preempt a pod of the group or one that runs beside it."""
    parts = (situation.participants, situation.demands, situation.fixed)
    return situation.memo.of("peaceful", parts, lambda: _is_peaceful(situation))


def _is_peaceful(situation: Situation) -> bool:
    specs = [spec for one in situation.participants for spec in (one.old.spec, one.new.spec)]
    able = [spec.priority or 0 for spec in specs if spec.preemption_policy != "Never"]
    near = frozenset().union(*(demand.nodes for demand in situation.demands))
    others = [pod.spec.priority or 0 for pod in situation.fixed if pod.spec.node_name in near]
    lowest = min([*(spec.priority or 0 for spec in specs), *others])
    return not able or max(able) <= lowest


def may_evict(situation: Situation, position: int, *, itself: bool = True) -> bool:
    """Whether new pods of the participant can preempt a pod that holds what they need.

    Its own old pods count, unless `itself` is False. New pods of other templates that are replaced together with it
    count.
    """
    parts = joined(situation.participants, frozenset({position}))
    return any(_may_evict(situation, place, itself=itself) for place in parts)


def _may_evict(situation: Situation, position: int, *, itself: bool) -> bool:
    mine, nodes = situation.participants[position].new.spec, situation.demands[position].nodes
    parts = (situation.participants, situation.fixed)
    if not situation.memo.of("lowest", parts, lambda: _gives_way_to(situation))(mine):
        return False
    lower = [place for place, other in enumerate(situation.participants) if gives_way(other.old.spec, mine)]
    lower = [place for place in lower if itself or place != position]
    if not situation.participants[position].daemons and always_room(position, situation.demands, situation.residual):
        return False
    if any(not nodes.isdisjoint(situation.demands[place].nodes) for place in lower):
        return True
    below = [pod for pod in situation.fixed if pod.spec.node_name in nodes and gives_way(pod.spec, mine)]
    if not below or not situation.demands[position].simple:
        return bool(below)
    scarce = contended(situation.demands, situation.residual)[position]
    return any((pod.spec.node_name, name) in scarce for pod in below for name in takes(pod))


def may_be_evicted(situation: Situation, position: int, by: int) -> bool:
    """Whether pods of the participant `by` can preempt pods of the participant at `position`.

    Pods preempt nothing if they always find room, and preempt nothing on a node with enough room for all that can use
    it.
    """
    mine, other = situation.participants[position], situation.participants[by]
    # a pod that it drives away may drive others away
    for one in situation.driven[by] if situation.driven else ():
        near = not one.demand.nodes.isdisjoint(situation.demands[position].nodes)
        if near and any(gives_way(pod.spec, one.pod.spec) for pod in mine.pods):
            return True
    nodes = situation.demands[by].nodes & situation.demands[position].nodes
    evicts = any(gives_way(one.spec, two.spec) for one in mine.pods for two in other.pods)
    if not evicts or not nodes:
        return False
    if not situation.demands[by].simple:
        return True
    if not other.daemons and always_room(by, situation.demands, situation.residual):
        return False
    parts = (situation.demands, situation.residual)
    scarce = situation.memo.of("contended", parts, lambda: contended(*parts))[by]
    return any(node in nodes for node, _ in scarce)


def _gives_way_to(situation: Situation) -> Callable[[PodSpec], bool]:
    """Return a predicate: can pods with this spec preempt any pod of the group or beside it?"""
    specs = (*(one.old.spec for one in situation.participants), *(pod.spec for pod in situation.fixed))
    lowest = min(specs, key=lambda spec: spec.priority or 0)
    return lambda spec: gives_way(lowest, spec)


def is_beyond_search(situation: Situation) -> bool:
    """Whether so many pods wait at the start that a search cannot place all of them."""
    lasting = (one for one in situation.participants if not one.daemons and not one.temporary)
    waiting = [min(one.before, one.replicas) - len(one.running) for one in lasting]
    every = [count for count in waiting if count > 0]
    claims = any(one.new.spec.resource_claims for one in situation.participants)
    nodes = len(frozenset().union(*(demand.nodes for demand in situation.demands)))
    return are_too_many(sum(every), len(every), nodes, situation.budget // 2, any_order=claims)


def all_run(search: GroupSearch, position: int) -> bool:
    """Whether the old pods of a participant run at the start. If that is not known, whether all pods find room."""
    situation = search.situation
    one = situation.participants[position]
    if len(one.running) >= min(one.before, one.replicas):
        return True
    return _all_run_at_once(search) if one.known else every_one_runs(search)


def _all_run_at_once(search: GroupSearch) -> bool:
    """Whether the old pods of all rollouts that begin at the same moment find room beside daemon pods."""
    everybody = search.situation.participants
    begin = frozenset(place for place, one in enumerate(everybody) if one.known and one.rolling and not one.daemons)
    simulation = search.simulation(begin, ())
    return search.situation.memo.of("placed at once", (simulation,), lambda: one_placement(simulation)) is not None


def every_one_runs(search: GroupSearch) -> bool:
    """Whether the old pods of all participants find room together, in at least one placement."""
    return placement_at_rest(search) is not None


def placement_at_rest(search: GroupSearch) -> State | None:
    """Return one placement of the old pods of all participants; None if none is found."""
    at_rest = search.simulation(frozenset(), ())
    return search.situation.memo.of("one placement", (at_rest,), lambda: one_placement(at_rest))


def gives_way(spec: PodSpec, other: PodSpec) -> bool:
    """Whether pods with `spec` can be preempted by pods with `other`."""
    return other.preemption_policy != "Never" and (spec.priority or 0) < (other.priority or 0)


def is_crowded(situation: Situation, position: int) -> bool:
    """Whether pods that are preempted elsewhere may move to nodes of the participant."""
    if not any(situation.driven):
        return False
    others = [one for place, gone in enumerate(situation.driven) if place != position for one in gone]
    return bool(others) and concerns(
        others, situation.participants[position], position, situation.demands, situation.residual
    )
