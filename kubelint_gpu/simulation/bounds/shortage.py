"""Workloads that never have all their pods, with or without rollouts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.search import placements, placing_pods
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, with_room, with_runs
from kubelint_gpu.work import UsedUp, part

if TYPE_CHECKING:
    from kubelint_gpu.scheduler.plugins.dynamic_resources.device_room import DeviceSupply
    from kubelint_gpu.simulation.model.simulation import Simulation


def alone(question: Question) -> Judgement | None:
    """Short if too few nodes take its pods beside the pods that run already."""
    from kubelint_gpu.simulation.bounds import shortfall

    situation, search, position, blank = question.situation, question.search, question.position, question.blank
    found = shortfall.fit_alone(situation, search, position)
    if found.placed >= blank.room.wanted:
        return None
    short = with_room(blank, placed=found.placed, alone=found.placed, waiting=found.waiting, refusal=found.refusal)
    return with_runs(short, trace=shortfall.halt(situation, search, position))


def at_last(question: Question) -> Judgement | None:
    """Short if too few nodes take its new pods after all known changes."""
    from kubelint_gpu.simulation.bounds import shortfall

    situation, position, blank = question.situation, question.position, question.blank
    if question.participant.old is question.participant.new or preconditions.may_evict(
        situation, position, itself=False
    ):
        return None
    # where new pods go by old ones, or take devices that these kept from other claims, more of them may fit
    claims = {one.new.spec.resource_claims for one in situation.participants} - {()}
    if shortfall.follows(situation, position) or (len(claims) > 1 and question.participant.new.spec.resource_claims):
        return None
    last = shortfall.fit_at_last(situation, question.search, position)
    # what was admitted before a quota was lowered runs on, and the rollout stops
    lowered = any(one.former not in (None, one.hard) for one in situation.cluster.quotas)
    if last.placed >= blank.room.wanted or (last.refusal and lowered and question.participant.replaces):
        return None
    return with_room(blank, placed=last.placed, at_best=last.placed, refusal=last.refusal, waiting=last.waiting)


def by_sum(question: Question) -> Judgement | None:
    """Judge it short if none of its pods runs when others are placed first, and all of them when it is placed first."""
    found = None
    with suppress(UsedUp), part(1, 4):
        found = at_worst(question)
    if found is None or found.room.placed:
        return None
    simulation = _at_rest(question)
    return found if placements.fit_first(simulation, simulation.pod_types.members[question.position]) else None


def at_worst(question: Question) -> Judgement | None:
    """Short by the placement in which the workload comes last; another placement may leave fewer pods.

    None while an existing workload changes: it gives places up, and another pod may be the waiting one then.
    """
    one, everybody = question.participant, question.situation.participants
    changes = any(other.existing and other.known and other.moves for other in everybody)
    if len(everybody) < 2 or changes or one.daemons or one.temporary or not question.peaceful:
        return None
    simulation, name = _at_rest(question), f"at worst {question.position}"
    return question.situation.memo.of(name, (simulation,), lambda: _placed_last(question, simulation))


def _placed_last(question: Question, simulation: Simulation) -> Judgement | None:
    from kubelint_gpu.simulation.search import replay

    situation, mine = question.situation, simulation.pod_types.members[question.position]
    if not asks_too_much(situation, simulation, question.position):
        return None
    full, sizes = situation.memo.of("largest first", (simulation,), lambda: placements.largest_first(simulation))
    state = placements.placed_last(simulation, full, sizes, mine)
    lacking = sum(count for kind, count in placing_pods.missing(state) if kind in mine)
    if not lacking:
        return None
    # of many that lack devices one finding tells, and who holds each device is much to find out for all of them
    crowd = len(situation.participants) > BUDGET.told and situation.demands[question.position].supply is not None
    waiting = None if crowd else replay.left_out(question.situation, simulation, state, question.participant.new.key)
    wanted = question.blank.room.wanted
    return with_room(question.blank, placed=max(0, wanted - lacking), at_best=wanted, waiting=waiting)


def asks_too_much(situation: Situation, simulation: Simulation, position: int) -> bool:
    """Whether the pods that are confined to a workload's nodes take more of a resource than these nodes have."""
    mine = situation.demands[position]
    if simulation.absent or not mine.nodes:
        return False
    # many workloads may go to the same nodes
    known: dict[frozenset[str], frozenset[str | int]] = situation.memo.of(
        "short", (situation.demands, simulation), dict
    )
    if mine.nodes not in known:
        known[mine.nodes] = frozenset(_short(situation, simulation, mine.nodes))
    return not known[mine.nodes].isdisjoint([*mine.each, *(() if mine.supply is None else [mine.supply.number])])


def _short(situation: Situation, simulation: Simulation, nodes: frozenset[str]) -> Iterator[str | int]:
    """Return the resources, and numbers of devices, of which pods confined to `nodes` take more than there is."""
    pod_types = simulation.pod_types
    outside = {kind for kind, name in pod_types.homes if name not in nodes}
    asked: dict[str, int] = {}
    devices: dict[int, int] = {}
    supplies: dict[int, DeviceSupply] = {}
    for one, demand, kinds in zip(situation.participants, situation.demands, pod_types.members, strict=True):
        elsewhere = not outside.isdisjoint(kinds)
        if elsewhere or one.daemons or not demand.nodes <= nodes or not pod_types.optional.isdisjoint(kinds):
            continue
        for name, amount in demand.least.items():
            asked[name] = asked.get(name, 0) + amount * one.replicas
        supply = demand.supply
        if supply is not None:
            supplies[supply.number] = supply
            devices[supply.number] = devices.get(supply.number, 0) + supply.each * one.replicas
    for name, amount in asked.items():
        if amount > sum(situation.residual[node].get(name, 0) for node in nodes):
            yield name
    for number, amount in devices.items():
        if amount > sum(supplies[number].free.get(node, 0) for node in nodes):
            yield number


def _at_rest(question: Question) -> Simulation:
    return question.search.simulation(frozenset(), ())
