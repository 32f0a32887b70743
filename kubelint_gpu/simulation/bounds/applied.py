"""Simulate everything that is applied together. Judge each workload of the group by the ends of all runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from kubelint_gpu.budget import BUDGET, PARTS
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.bounds import always_ends, in_place_replacement, preconditions, quiescence, shortage
from kubelint_gpu.simulation.bounds.change_set import changing, named, scaled
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.search import replay
from kubelint_gpu.simulation.search.ends import RunEnds, ends_of_runs
from kubelint_gpu.simulation.search.engine import GroupSearch, worth
from kubelint_gpu.simulation.search.placements import placements
from kubelint_gpu.simulation.search.replay import ReplayMismatch
from kubelint_gpu.simulation.search.single_runs import at_rest
from kubelint_gpu.simulation.search.trace import Evicted, Trace
from kubelint_gpu.simulation.search.verdict import Judgement, Runs, Verdict, with_room, with_runs
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, part

if TYPE_CHECKING:
    from kubelint_gpu.simulation.search.ends import RunEnd, RunEnds


def decide(question: Question, alone: Callable[[Question], Judgement]) -> Judgement | None:
    """Judge a workload if all known changes begin at the same moment.

    `alone` judges it while all others stay. None if nothing else changes, or if the simulation is too large.
    """
    situation, position, one = question.situation, question.position, question.participant
    if not _is_asked(question) or shortage.alone(question) is not None:
        return None
    if not one.moves and question.peaceful:
        # its pods run, and nobody takes a place from them
        return question.blank
    rolls = one.replaces
    before = alone(question) if rolls and one.daemons and not changing(situation, position) else None
    if before is not None and before.verdict is not None:
        return None
    ends = _ends(question)
    if ends is None or not ends.starts or (rolls and not ends.whole):
        return None
    done = partial(ends.simulation.model.done, name=one.new.key)
    if not one.moves and not any(map(done, ends.starts)):
        # what it lacks it lacked before
        return question.blank
    verdict, end = ends.verdict(done)
    trace = _replayed(question.search, ends, end)
    if verdict is Verdict.UNDECIDED or (end is not None and trace is None):
        return None
    if not rolls:
        return _placed(question, ends, end, trace)
    if verdict is Verdict.COMPLETES:
        runs = Runs(searched=True, states=ends.states)
        return _evicting(question, ends, replace(question.blank, verdict=verdict, runs=runs))
    found = alone(question) if before is None else before
    if found.verdict is Verdict.COMPLETES and not scaled(situation, position):
        # it ends while the others stay as they are: what they do to each other is told of all of them
        return found
    if found.verdict is None and verdict is Verdict.STUCK and (not one.daemons or one.fresh):
        return found
    runs = Runs(searched=True, states=found.runs.states + ends.states, trace=trace)
    told = replace(question.blank, verdict=verdict, runs=runs)
    if verdict is Verdict.MAY_STICK:
        told = replace(told, company=named(situation, changing(situation, position)))
    return _evicting(question, ends, told)


def surely_ends(question: Question) -> bool:
    """Whether a bound shows that the rollout ends, even if its pods preempt others."""
    if always_ends.always_ends(question.situation, question.position):
        return True
    if quiescence.never_rests(question, evicts=True) and preconditions.all_run(question.search, question.position):
        return True
    return not changing(question.situation, question.position) and in_place_replacement.comes_back(question)


def told_by_some(question: Question) -> Judgement | None:
    """Judge a rollout with too many runs to look at all of them.

    It completes if it has room beside all pods that it cannot preempt. Otherwise one stuck run shows that it may stick.
    """
    situation, search, position, one = question.situation, question.search, question.position, question.participant
    if not one.replaces:
        return None
    found = replace(question.blank, verdict=Verdict.COMPLETES) if surely_ends(question) else None
    # if it surely ends, only the pods that it evicts are left to be found
    with suppress(UsedUp), part(1, 4 if found is None else PARTS.evicting):
        if not one.moves and preconditions.is_beyond_search(situation):
            return found
        ends = _ends(question) if one.moves else group_ends(search, frozenset({position}), frozenset(), PARTS.applied)
        if ends is None:
            return found
        trace = _replayed(search, ends, ends.verdict(partial(ends.simulation.model.done, name=one.new.key))[1])
        if found is None and trace is not None:
            company = named(situation, changing(situation, position))
            runs = Runs(searched=True, trace=trace)
            found = replace(question.blank, verdict=Verdict.MAY_STICK, runs=runs, company=company)
        return found and _evicting(question, ends, found)
    return found


def by_evicting(question: Question, found: Judgement, alone: Callable[[Question], Judgement]) -> Judgement:
    """The judgement for pods that find room only by preempting others: as if they were created now."""
    situation, position, one = question.situation, question.position, question.participant
    if not found.room.is_short or one.moves or not preconditions.may_evict(situation, position, itself=False):
        return found
    old = replace(one.new, replicas=len(one.running))
    made = replace(one, old=old, rolls=False, known=True, existing=bool(one.running) and not one.daemons)
    participants = (*situation.participants[:position], made, *situation.participants[position + 1 :])
    asked_again = Question(replace(situation, participants=participants), position)
    if shortage.alone(asked_again) is not None:
        return found
    again = decide(asked_again, alone)
    if again is None:
        return found if found.room.refusal else with_room(found, at_best=found.room.wanted)
    return again if again.room.placed > found.room.placed else found


def softened(question: Question, found: Judgement) -> Judgement:
    """Soften the judgement of a workload that changes: shortage is only possible if some run gives it all its pods."""
    one = question.participant
    if not one.moves or not found.room.is_short or not _is_asked(question):
        return found
    ends = _ends(question)
    if ends is None or not ends.whole:
        # what is rolled or has fewer pods gives places up at some moment, and so does what is evicted
        situation, position = question.situation, question.position
        others = (situation.participants[place] for place in changing(situation, position))
        gives = any(other.rolling or other.replicas < other.before for other in others)
        gives = gives or preconditions.may_evict(situation, position, itself=False)
        best = gives and shortage.alone(question) is None
    else:
        done = partial(ends.simulation.model.done, name=one.new.key)
        best = any(done(state) for end in ends.found for state in end.states)
    return with_room(found, at_best=found.room.wanted) if best else found


def _is_asked(question: Question) -> bool:
    """Whether the present state of the workload is known, and something changes that can affect others."""
    one, others = question.participant, changing(question.situation, question.position)
    if not one.moves:
        # of one that would be rolled it is not known when
        return bool(others) and not one.rolling
    return bool(others) or one.daemons or not one.replaces


def _placed(question: Question, ends: RunEnds, end: RunEnd | None, trace: Trace | None) -> Judgement:
    """How many pods of a workload run at the end, if it is new or scaled or others can preempt it."""
    from kubelint_gpu.simulation.search import replay

    blank = replace(question.blank, runs=Runs(searched=True, states=ends.states))
    wanted = blank.room.wanted
    if end is None or trace is None:
        return _evicting(question, ends, blank)
    mine = ends.simulation.pod_types.members[question.position]
    if question.participant.shrinks:
        # each ordinal is a kind of its own, or all are one
        mine = mine[:wanted]
    owner = question.participant.new.key
    ready = [one.ready(mine) for one in ends.found]
    waiting = next((one for one in trace.waiting if one.owner == owner), None)
    if question.participant.temporary:
        # what is made and does not wait has ended, or will
        place = next(
            number for number, reconciler in enumerate(ends.simulation.model.reconcilers) if reconciler.name == owner
        )
        first = [one.states[0] for one in ends.found]
        ready = [wanted - sum(one.controls[place]) - sum(one.waiting[kind] for kind in mine) for one in first]
        waiting = replay.left_out(question.situation, ends.simulation, end.states[0], owner)
    return with_room(
        blank,
        placed=min(wanted, *ready),
        at_best=min(wanted, max(ready)) if ends.whole else wanted,
        waiting=None if waiting is None or waiting.refusal else waiting,
        refusal=waiting.refusal if waiting is not None else None,
    )


def _evicting(question: Question, ends: RunEnds, found: Judgement) -> Judgement:
    """Add the workloads whose pods are preempted in some run to the judgement."""
    shortest: Trace | None = None
    every: list[Evicted] = []
    # of a victim among them that gets no pod back its own judgement tells, but for a bare pod, which nobody makes again
    replaced = (one.new.key for one in question.situation.participants if one.controller.replaces_lost)
    among = frozenset[str]() if found.verdict else frozenset(replaced)
    for owner in (one for one in ends.evictions if one not in among):
        trace = eviction_of(question.search, ends, owner)
        if trace is not None:
            shortest = shortest or trace
            every += [one for one in trace.evictions if one.owner == owner and one not in every]
    return with_runs(found, evicts=tuple(every), eviction=shortest)


def _ends(question: Question) -> RunEnds | None:
    """Where the runs of the group come to rest; None if that is too much work.

    A rollout may wait until a pod of another workload ends by itself. Replicas that only find room then do not count.
    """
    situation, search = question.situation, question.search
    rolling = frozenset(place for place, one in enumerate(situation.participants) if one.moves and one.replaces)
    scaling = frozenset(place for place, one in enumerate(situation.participants) if one.moves) - rolling
    lasting = bool(search.outsiders) and not question.participant.replaces

    def found() -> RunEnds | None:
        with suppress(UsedUp), part(1, 3):
            return group_ends(search, rolling, scaling, PARTS.applied, lasting=lasting)
        return None

    name = "ends of lasting pods" if lasting else "ends"
    return situation.memo.of(name, (situation.participants, situation.fixed, situation.queued, situation.grown), found)


def _replayed(search: GroupSearch, ends: RunEnds, end: RunEnd | None) -> Trace | None:
    if end is None:
        return None
    try:
        return search.replayed(ends.simulation, end.path)
    except replay.ReplayMismatch:
        return None


def group_ends(
    search: GroupSearch, rolling: frozenset[int], scaling: frozenset[int], part: int, *, lasting: bool = False
) -> RunEnds | None:
    """Where all runs come to rest, from every maximal placement; None if the budget does not suffice.

    The budget is divided by `part`. With `lasting`, pods of other workloads do not end by themselves.
    """
    mine = {one.new.key for one in search.situation.participants}

    def found(extra: Sequence[Pod]) -> RunEnds:
        simulation = search.simulation(rolling, extra, scaling)
        if lasting:
            kinds = tuple(
                kind if kind.owner in mine else replace(kind, temporary=False) for kind in simulation.pod_types.kinds
            )
            model = replace(simulation.model, kinds=kinds)
            simulation = replace(simulation, pod_types=replace(simulation.pod_types, kinds=kinds), model=model)
        budget = worth(search.situation.budget // part, simulation)
        starts = placements(simulation, budget // 2)
        states = starts.full or (at_rest(simulation, starts.partial) if starts.complete else ())
        if not starts.complete:
            states = states[: BUDGET.starts]
        return ends_of_runs(simulation, states, budget - starts.looked_at, every_start=starts.complete)

    return search.playing(found)


def eviction_of(search: GroupSearch, ends: RunEnds, owner: str) -> Trace | None:
    """The shortest run that preempts pods of an owner; None if the scheduler core does not confirm it."""
    simulation, path = ends.simulation, ends.evictions[owner]
    for step, after in simulation.model.steps(path[-1]):
        if owner in simulation.model.evicted(step):
            try:
                return search.replayed(simulation, (*path, simulation.places.canonical(after)), ends=False)
            except ReplayMismatch:
                return None
    return None
