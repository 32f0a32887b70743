"""The rollouts of a unit: the changes, and their results now, together, next time, and beside removed objects.

An `ApplySet` computes each of these answers once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain, islice

from kubelint_gpu.analysis.later_transitions import (
    is_another_later,
    is_exchanged,
    next_transition_of,
    replaced_transition_of,
)
from kubelint_gpu.analysis.predecessors import ever_fitted
from kubelint_gpu.analysis.scenarios import (
    Scenario,
    beside_removed,
    besides,
    next_time,
    now,
    only_rolled,
    with_part_of_budget,
    without_pods_of,
)
from kubelint_gpu.analysis.transitions import finds_nodes, is_placed, transition_of, transitions_in
from kubelint_gpu.budget import PARTS, TOLD
from kubelint_gpu.groups import grouped
from kubelint_gpu.simulation.questions.deciders import ENDS_ANYHOW
from kubelint_gpu.simulation.questions.forced_rollback import forced_rollback
from kubelint_gpu.simulation.search.trace import Trace
from kubelint_gpu.simulation.search.verdict import Judgement, Together, Verdict
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import of_group
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_order import Turn, turn_of
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey


@once
def judgements_in(unit: ApplySet) -> dict[WorkloadKey, Judgement]:
    """The judgement of each rollout while the others keep running; approximate workloads are judged apart."""
    found = now(unit).judgements(transitions_in(unit))
    placed = [one for one in unit.subjects if one.workload.approximate and unit.has_nodes and is_placed(unit, one)]
    approximate = {one.key: transition_of(unit, one) for one in placed}
    if approximate:
        found |= besides(now(unit), approximate).judgements(approximate)
    return found | dict(_without_class(unit))


@once
def stuck_by_themselves(unit: ApplySet) -> dict[WorkloadKey, Judgement]:
    """Judge rollouts of workloads that lack room only beside others: those that never end without the others, too.

    Others take room and give none: the pods of all other applied workloads are left out. Only rollouts that wait for
    their own old pods count.
    """
    judgements, found = judgements_in(unit), dict[WorkloadKey, Judgement]()
    still = ((key, one.room) for key, one in judgements.items() if one.verdict is None)
    short = (key for key, room in still if room.placed < room.wanted <= room.alone)
    changes = transitions_in(unit)
    rolled = (key for key in short if key in changes and changes[key].rolls and changes[key].existing)
    for key in islice(rolled, TOLD.pairs):
        own = changes[key]
        others = [one.new for other, one in changes.items() if other != key]
        scenario = replace(without_pods_of(now(unit), others), transitions={key: own})
        with of_group(1, TOLD.pairs):
            judgement = with_part_of_budget(scenario, PARTS.pair).judgements()[key]
        waiting = judgement.runs.trace.waiting if judgement.runs.trace is not None else ()
        owners = {owner for one in waiting for lack in one.lacks for owner in lack.owners or {""}}
        if judgement.verdict is Verdict.STUCK and owners == {own.new.key}:
            found[key] = judgement
    return found


@once
def judged_together(unit: ApplySet) -> tuple[Together, ...]:
    """Judge, group by group, the rollouts that end by themselves when they start at the same moment."""
    rolled = {key for key, one in transitions_in(unit).items() if one.existing and one.rolls and _ends(unit, key)}
    turns = grouped((when, key) for key, when in _turns(unit).items() if key in rolled)
    scenarios = (only_rolled(now(unit), keys) for keys in turns.values() if len(keys) > 1)
    return tuple(chain.from_iterable(with_part_of_budget(one, PARTS.together).together() for one in scenarios))


@once
def _turns(unit: ApplySet) -> dict[WorkloadKey, Turn]:
    """When each workload is applied: workloads with different turns do not change at the same moment."""
    return {one.key: turn_of(one.manifest.item.value) for one in unit.subjects}


def blocked_by_waiting(unit: ApplySet) -> Iterator[Together]:
    """Yield rollouts that end by themselves, but not together with one that never ends and may take their room.

    The rollout that never ends has its own finding; those that it blocks while it waits have none. A rollout that ends
    whatever others do is never blocked.
    """
    every_one, judgements, turns = transitions_in(unit), judgements_in(unit), _turns(unit)
    open_ends = {key: one for key, one in every_one.items() if judgements[key].by not in ENDS_ANYHOW}
    ending = {one.new.key: key for key, one in open_ends.items() if one.existing and one.rolls and _ends(unit, key)}
    pairs = (
        (key, ending[other])
        for key, found in judgements.items()
        if ending and key in every_one and (found.waits or found.room.is_short)
        for other in dict.fromkeys((*(one.key for one in found.company), *_holders(unit, found, ending)))
        if other in ending and turns.get(key) == turns.get(ending[other])
    )
    at_once = {key for key, one in every_one.items() if one.known and one.rolls}
    for waiting, other in islice(pairs, TOLD.pairs):
        mine = transitions_in(unit)[other].new.key
        found = _told_of(unit, (waiting, other), mine)
        if found is None or at_once <= {waiting, other}:
            yield from (found,) if found is not None else ()
            continue
        # what changes besides may make the room
        every = _told_of(unit, at_once | {waiting, other}, mine)
        if every is not None:
            yield found if every.verdict is found.verdict else replace(found, verdict=Verdict.MAY_STICK)


def _holders(unit: ApplySet, found: Judgement, ending: Mapping[str, WorkloadKey]) -> Iterator[str]:
    """Yield the owners that hold, or may hold, what a rollout waits for; if its pods lack room, those on its nodes."""
    for one in found.runs.trace.waiting if found.runs.trace is not None else ():
        for lack in one.lacks:
            yield from sorted(lack.owners)
    if found.room.is_short:
        for name, key in ending.items():
            if not judgements_in(unit)[key].room.eligible.isdisjoint(found.room.eligible):
                yield name


def _told_of(unit: ApplySet, keys: Collection[WorkloadKey], ends: str) -> Together | None:
    """The stuck run of one of some rollouts that begin together, while nothing else rolls out; else None."""
    scenario = with_part_of_budget(only_rolled(now(unit), keys), PARTS.pair)
    # all pairs together have what one group may take
    with of_group(1, TOLD.pairs):
        found = (one for one in scenario.together(ends) if one.waits and one.runs.trace is not None)
        return next(found, None)


class Later(Value):
    """The next rollouts, after everything that begins now has ended.

    Attributes:
        scenario: every workload in its state then, without replaced pods of the inventory.
        judgements: the next rollouts of some workloads.
    """

    scenario: Scenario
    judgements: Mapping[WorkloadKey, Judgement]


@once
def next_rollouts(unit: ApplySet) -> Later:
    """Judge the next rollouts that this commit changes, or that find a different cluster because of it."""
    other = any(is_another_later(unit, one) for one in unit.subjects)
    found = {one.key: next_transition_of(unit, one) for one in unit.subjects} if other else {}
    coming = {key: one for key, one in found.items() if one is not None and is_over(unit, key)}
    exchanged = [one.workload for one in unit.subjects if is_exchanged(unit, one)] if coming else []
    scenario = next_time(without_pods_of(now(unit), exchanged), coming)
    return Later(scenario, scenario.judgements(coming) if coming else {})


@once
def after_deletion(unit: ApplySet) -> dict[WorkloadKey, Judgement]:
    """Judge each workload with OnDelete whose template changes, after all its old pods have been deleted."""
    found = {one.key: replaced_transition_of(unit, one) for one in unit.subjects} if unit.before else {}
    coming = {key: transition for key, transition in found.items() if transition is not None}
    return next_time(now(unit), coming).judgements(coming) if coming else {}


def is_over(unit: ApplySet, key: WorkloadKey) -> bool:
    """Whether the changes of now end, by themselves and with all others, so that there is a next rollout."""
    found = judgements_in(unit)[key]
    if found.room.is_short or not found.ends:
        return False
    mine = list(transitions_in(unit)).index(key)
    groups = [group for group in judged_together(unit) if mine in group.numbers]
    return all(group.verdict in (None, Verdict.COMPLETES, Verdict.UNDECIDED) for group in groups)


@once
def judged_beside_removed(unit: ApplySet) -> dict[WorkloadKey, Judgement]:
    """The judgements while removed objects still exist."""
    subjects = [
        unit.judged(one, one.workload).marked("gone") for one in unit.gone if one.workload is not None and one.known
    ]
    left = [one for one in subjects if not one.workload.partial and is_placed(unit, one) and ever_fitted(unit, one)]
    if not left or not transitions_in(unit):
        return {}
    gone = {one.key: one.workload for one in left}
    return beside_removed(now(unit), gone).judgements(transitions_in(unit))


def rolled_in(unit: ApplySet, group: Together) -> list[WorkloadCheck]:
    """The workloads whose rollouts are judged together."""
    keys = list(transitions_in(unit))
    mine = {keys[number] for number in group.numbers}
    return [subject for subject in unit.subjects if subject.key in mine]


def _without_class(unit: ApplySet) -> Iterator[tuple[WorkloadKey, Judgement]]:
    """Yield stuck rollouts of workloads whose PriorityClass is missing, if they would be stuck with any class.

    If the class is filled in later, all results for pods that can preempt nothing.
    """
    for subject in unit.subjects:
        if subject.known_class or subject.refusal is not None or not (unit.has_nodes and finds_nodes(unit, subject)):
            continue
        key = subject.key
        found = besides(now(unit), {key: transition_of(unit, subject)}).judgements((key,))[key]
        if (found.verdict is Verdict.STUCK or subject.awaits_class) and not found.runs.evicts:
            yield key, found


def _ends(unit: ApplySet, key: WorkloadKey) -> bool:
    """Whether the rollout of a workload ends by itself, or with all others that begin at the same moment."""
    return judgements_in(unit)[key].verdict is Verdict.COMPLETES


def forced_rollback_of(unit: ApplySet, subject: WorkloadCheck) -> Trace | None:
    """The run in which an unschedulable pod of the old template keeps the new template from a StatefulSet."""
    before = unit.before_of(subject)
    if before is None or not before.admitted or ever_fitted(unit, before):
        return None
    if not subject.controller.has_ordinals or not unit.fits_somewhere(subject):
        return None
    trace = forced_rollback(before.workload, subject.workload, unit.cluster)
    return trace if trace is not None and trace.waiting else None
