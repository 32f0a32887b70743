"""Judge the rollout of one workload among all that can compete with it.

Deciders answer one after the other: bounds first, then the search if no bound decides.
"""

from __future__ import annotations

from contextlib import suppress

from kubelint_gpu.simulation import hypotheses
from kubelint_gpu.simulation.bounds import applied, change_set, preconditions
from kubelint_gpu.simulation.bounds.change_set import changing, named
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.prepare.workload_change import pods_of_others
from kubelint_gpu.simulation.questions import relaxed
from kubelint_gpu.simulation.questions.deciders import (
    AT_LAST,
    AT_ONCE,
    SOON,
    decided,
    decided_without,
    first_answer,
    is_counted,
)
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict, fold, of_verdict, row_of, turned, with_room
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, part


def judge_in(situation: Situation, number: int) -> Judgement:
    """Judge the participant with this number."""
    position = situation.numbers.index(number)
    participant = situation.participants[position]
    wanted, rolling = participant.replicas, participant.rolling
    question = Question(situation, position)
    blank = question.blank
    if not wanted and not participant.before:
        return blank
    # those that keep the template that they have: with OnDelete, below a partition, where nothing is rolled out
    left = 0 if participant.rolls else min(wanted, participant.sure)
    stay = max(participant.undisturbed, participant.kept, left) if situation.demands[position].nodes else 0
    if not situation.eligible[position] and not (rolling and stay >= wanted) and (question.peaceful or not stay):
        short = with_room(blank, placed=stay, alone=stay)
        return fold(short, row_of(short, hypotheses.ANYTHING, hypotheses.NO_NODE))
    found = first_answer(question, AT_ONCE, changing(situation, position), hypotheses.ANYTHING)
    found = found or first_answer(question, relaxed.WITHOUT_OTHERS, hypothesis=hypotheses.WITHOUT_OTHERS)
    found = found or first_answer(question, relaxed.WITHOUT_WEAKER, hypothesis=hypotheses.WITHOUT_WEAKER)
    found = found or _contended(question)
    if found.verdict is None and found.room.placed >= wanted and rolling:
        stuck = first_answer(question, relaxed.WHILE_OTHERS_WAIT, hypothesis=hypotheses.WITHOUT_OTHERS)
        if stuck is not None:
            found = replace(stuck, runs=replace(stuck.runs, evicts=found.runs.evicts, eviction=found.runs.eviction))
    if found.verdict is Verdict.STUCK and question.may_have_template:
        found = fold(
            found, of_verdict(Verdict.COMPLETES, hypotheses.TEMPLATE_KNOWN, hypotheses.NOTHING_TO_ROLL), weaker=True
        )
    return turned(found, beside_higher(question, found), hypotheses.HIGHER, hypotheses.COUNT)


def _contended(question: Question) -> Judgement:
    """Judge by the search with an eighth of the work, then by the most expensive bounds, then by the rest of the work.

    Raises:
        UsedUp: nothing was decided.
    """
    # if the rollout surely ends, the search looks only for the pods that it evicts
    turns = ((1, AT_LAST),) if applied.surely_ends(question) else ((1, SOON), (7, AT_LAST))
    changes = bool(changing(question.situation, question.position))
    hypothesis = hypotheses.AT_ONCE if changes else hypotheses.ALONE
    found: Judgement | None = None
    if not _coming(question):
        with suppress(UsedUp), part(3, 4):
            is_counted(question)
    for eighths, deciders in turns:
        with suppress(UsedUp), part(eighths, 8):
            found = _sought(question)
        if found is None or found.verdict is Verdict.UNDECIDED:
            told = first_answer(question, (*relaxed.WITHOUT_CHANGES, *deciders), hypothesis=hypothesis)
            found = fold(told, first=found) if told is not None else found
        if found is not None and found.verdict is not Verdict.UNDECIDED:
            return found
    if found is None:
        raise UsedUp
    return found


def _sought(question: Question) -> Judgement:
    """Judge by the simulation of everything that is applied, then by deciders and the search for the workload alone."""
    participant = question.participant
    found = _all_at_once(question)
    if not participant.existing and (found is None or found.room.placed >= participant.replicas):
        found = _later(question, found)
        found = found and _softened(question, found)
    if found is None:
        found = _beside_changes(question, _though_jobs_wait(question, _while_others_stay(question)))
        found = _softened(question, found)
    return turned(found, applied.by_evicting(question, found, _while_others_stay), hypotheses.EVICTING)


def _all_at_once(question: Question) -> Judgement | None:
    """Judge by one simulation of everything that is applied; None if that does not decide."""
    alone: list[Judgement] = []

    def others_stay(asked: Question) -> Judgement:
        alone.append(_while_others_stay(asked))
        return alone[-1]

    found = applied.decide(question, others_stay)
    if found is None or not alone:
        return found and fold(found, row_of(found, hypotheses.AT_ONCE, hypotheses.SEARCH))
    return turned(alone[-1], found, hypotheses.AT_ONCE)


def _softened(question: Question, found: Judgement) -> Judgement:
    """Return the judgement, only as possible if some run gives the workload all its pods."""
    return turned(found, applied.softened(question, found), hypotheses.AT_ONCE)


def _later(question: Question, now: Judgement | None) -> Judgement | None:
    """Judge a later rollout of a new workload: it finds the others as they are then.

    `now` is the judgement of its present pods, which it may lack later.
    """
    from kubelint_gpu.simulation.bounds import shortfall

    situation, position = question.situation, question.position
    if any(one.known and one.moves for one in situation.participants):
        situation = replace(situation, participants=tuple(map(shortfall.after_rollout, situation.participants)))
        later = judge_in(situation, situation.numbers[position])
        later = replace(later, rows=(row_of(later, hypotheses.LATER),))
    elif now is None:
        return None
    else:
        later = _beside_changes(question, _though_jobs_wait(question, _while_others_stay(question)))
    if now is None:
        return later
    return fold(now, *later.rows) if later.room.is_short else fold(later, first=now)


def _beside_changes(question: Question, found: Judgement) -> Judgement:
    """The judgement if others change at the same moment, or could let the rollout end by doing so."""
    situation, search, position = question.situation, question.search, question.position
    participant = question.participant
    at_once = participant.known and bool(changing(situation, position))
    if at_once and found.verdict is not None:
        beside = change_set.at_once(situation, search, position, found, peaceful=question.peaceful)
        return turned(found, beside, hypotheses.AT_ONCE)
    if at_once and not participant.rolling and found.room.is_short:
        # whether it has room when they change, too, is not known
        return replace(found, company=named(situation, changing(situation, position)))
    if found.verdict is Verdict.STUCK:
        others = relaxed.helped_by(situation, search, position)
        found = replace(found, company=tuple(situation.participants[place].new for place in others))
        return (
            fold(found, of_verdict(Verdict.MAY_STICK, hypotheses.OTHERS_ROLL, hypotheses.SEARCH)) if others else found
        )
    return found


def _while_others_stay(question: Question) -> Judgement:
    """Judge while nothing else changes; new DaemonSets have no pods yet."""
    situation, position = question.situation, question.position
    coming = _coming(question)
    if not coming or position in coming:
        return decided(question)
    return decided_without(situation, position, coming, bounded=True)


def _coming(question: Question) -> frozenset[int]:
    participants = question.situation.participants
    return frozenset(place for place, one in enumerate(participants) if one.daemons and not one.existing)


def _though_jobs_wait(question: Question, found: Judgement) -> Judgement:
    """The judgement, softened if the rollout only waits for Jobs and may end before these have all their pods."""
    situation, position = question.situation, question.position
    jobs = frozenset(place for place, one in enumerate(situation.participants) if one.whole and place != position)
    if not jobs or found.verdict is not Verdict.STUCK:
        return found
    before = decided_without(situation, position, jobs)
    return fold(found, row_of(before, hypotheses.JOBS_DONE), weaker=before.verdict is not Verdict.STUCK)


def beside_higher(question: Question, found: Judgement) -> Judgement:
    """The judgement of a workload that lacks room, with how many of its pods run if the others have all their pods.

    A pod of higher priority with no larger requests never waits while one of these pods runs on a node that it can use.
    Source: DefaultPreemption of kube-scheduler, 1.34.
    """
    situation, one = question.situation, question.participant
    mine = situation.demands[question.position]
    short = found.verdict is None and found.room.is_short and not found.room.refusal
    if not short or one.daemons or one.temporary or situation.cluster.quotas or situation.grown or not mine.simple:
        return found
    higher = [
        other.new
        for other, demand in zip(situation.participants, situation.demands, strict=True)
        if preconditions.gives_way(one.new.spec, other.new.spec)
        and demand.simple
        and mine.nodes <= demand.nodes
        and all(amount <= mine.least.get(name, 0) for name, amount in demand.each.items())
        and not (other.daemons or other.temporary or other.new.custom)
    ]
    if not higher:
        return found
    cluster = replace(situation.cluster, pods=pods_of_others(higher, situation.cluster.pods))
    best = placeable(one.new, cluster, found.room.wanted, beside=higher)
    if best is None or best >= (found.room.wanted if found.room.at_best is None else found.room.at_best):
        return found
    return with_room(found, placed=min(best, found.room.placed), at_best=best)
