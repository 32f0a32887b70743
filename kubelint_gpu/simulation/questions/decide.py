"""What becomes of the rollout of one workload among all that can compete with it.

Deciders answer one after the other: bounds first, the search where none of them knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from kubelint_gpu.simulation.asked import asked
from kubelint_gpu.simulation.bounds import applied, change_set, preconditions
from kubelint_gpu.simulation.bounds.change_set import changing, is_apart, named, without
from kubelint_gpu.simulation.bounds.question import Decider, Question
from kubelint_gpu.simulation.evidence.watch import tell
from kubelint_gpu.simulation.prepare.workload_change import joined
from kubelint_gpu.simulation.questions import helped_by
from kubelint_gpu.simulation.questions.beside_higher import beside_higher
from kubelint_gpu.simulation.questions.deciders import ALONE, AT_LAST, AT_ONCE
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Verdict
from kubelint_gpu.values import replace
from kubelint_gpu.work import UsedUp, part


def _stuck_by_itself(question: Question) -> Judgement | None:
    """Others that do nothing but take room help nobody whose rollout does not end without them."""
    return _stuck_without(question, frozenset(range(len(question.situation.participants))) - {question.position})


def _stuck_beside_what_stays(question: Question) -> Judgement | None:
    """The same of those that change at the same moment."""
    return _stuck_without(question, changing(question.situation, question.position))


def _stuck_without(question: Question, others: frozenset[int]) -> Judgement | None:
    situation, position = question.situation, question.position
    simple = question.participant.rolling and not question.participant.daemons
    if not (others and simple and is_apart(situation, position, others)):
        return None
    if not question.peaceful and any(preconditions.may_evict(situation, place) for place in others):
        return None
    if any(situation.participants[place].moves for place in others) and not preconditions.all_run(
        question.search, question.position
    ):
        # they may have the places of its old pods when it begins, and leave them
        return None
    found = by_itself(without(situation, others), position - sum(place < position for place in others))
    return found if found.verdict is Verdict.STUCK else None


_STUCK = (Decider("stuck-by-itself", _stuck_by_itself), Decider("stuck-beside-what-stays", _stuck_beside_what_stays))


def first_answer(
    question: Question, deciders: Sequence[Decider], moving: frozenset[int] = frozenset()
) -> Judgement | None:
    """What the first decider says that knows, with its name, while those that are `moving` change, too."""
    for one in asked(deciders):
        found = one.decide(question)
        if found is not None and _ends_with_parts(question, one, found):
            tell(question, found, one.name, moving)
            return replace(found, by=one.name)
    return None


def _ends_with_parts(question: Question, decider: Decider, found: Judgement) -> bool:
    """Whether a bound that says that a rollout ends says so of the other templates that are replaced with it, too."""
    if found.verdict is not Verdict.COMPLETES or not found.by_bound:
        return True
    situation = question.situation
    others = joined(situation.participants, frozenset({question.position})) - {question.position}
    told = (decider.decide(Question(situation, place)) for place in others)
    return all(one is not None and one.verdict is Verdict.COMPLETES for one in told)


def judge_in(situation: Situation, number: int) -> Judgement:
    """The judgement of the participant with this number."""
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
        return replace(blank, placed=stay, alone=stay)
    found = first_answer(question, AT_ONCE, changing(situation, position))
    try:
        with part(7, 8):
            found = found or _sought(question)
    except UsedUp:
        found = _at_last(question)
        if found is None:
            raise
    if found.verdict is Verdict.UNDECIDED:
        found = _at_last(question) or found
    if found.verdict is None and found.placed >= wanted and rolling:
        # it is rolled out while others wait
        stuck = _stuck_by_itself(question)
        found = found if stuck is None else replace(stuck, evicts=found.evicts, eviction=found.eviction)
    if found.verdict is Verdict.STUCK and question.may_have_template:
        found = replace(found, verdict=Verdict.MAY_STICK)
    return beside_higher(question, found)


def _at_last(question: Question) -> Judgement | None:
    """What is said where all runs are too much work: that it is stuck, or else what some runs come to."""
    found = None
    with suppress(UsedUp), part(3, 4):
        found = first_answer(question, _STUCK)
    return found or first_answer(question, AT_LAST)


def _sought(question: Question) -> Judgement:
    """What the simulation says of all that is applied, and deciders and the search of it alone."""
    participant = question.participant
    found = applied.decide(question, _while_others_stay)
    if not participant.existing and (found is None or found.placed >= participant.replicas):
        found = _later(question, found)
        found = found and applied.softened(question, found)
    if found is None:
        found = _beside_changes(question, _though_jobs_wait(question, _while_others_stay(question)))
        found = applied.softened(question, found)
    return applied.by_evicting(question, found, _while_others_stay)


def _later(question: Question, now: Judgement | None) -> Judgement | None:
    """The judgement of a later rollout of what is new: it finds the others as they are then.

    `now` is what is said where it has its pods now, and might not later.
    """
    from kubelint_gpu.simulation.bounds import shortfall

    situation, position = question.situation, question.position
    if any(one.known and one.moves for one in situation.participants):
        situation = replace(situation, participants=tuple(map(shortfall.after_rollout, situation.participants)))
        later = judge_in(situation, situation.numbers[position])
    elif now is None:
        return None
    else:
        later = _beside_changes(question, _though_jobs_wait(question, _while_others_stay(question)))
    return now if now is not None and later.placed < later.wanted else later


def by_itself(situation: Situation, position: int) -> Judgement:
    """What the rollout of a workload comes to while all others stay as they are, put anew about fewer workloads."""
    return _decided(Question(situation, position, bounded=False))


def _decided(question: Question) -> Judgement:
    found = first_answer(question, ALONE)
    if found is None:
        raise AssertionError("the search always answers")
    return found


def _beside_changes(question: Question, found: Judgement) -> Judgement:
    """The judgement where others change at the same moment, or could let it end if they did."""
    situation, search, position = question.situation, question.search, question.position
    participant = question.participant
    at_once = participant.known and bool(changing(situation, position))
    if at_once and found.verdict is not None:
        return change_set.at_once(situation, search, position, found, peaceful=question.peaceful)
    if at_once and not participant.rolling and found.placed < found.wanted:
        # whether it has room when they change, too, is not known
        return replace(found, company=named(situation, changing(situation, position)))
    if found.verdict is Verdict.STUCK:
        others = helped_by.helped_by(situation, search, position)
        if others and _stuck_by_itself(question) is not None:
            return found
        return replace(found, company=tuple(situation.participants[place].new for place in others))
    return found


def _while_others_stay(question: Question) -> Judgement:
    """What becomes of it while nothing else changes; DaemonSets that are new have no pods yet."""
    situation, position = question.situation, question.position
    coming = frozenset(place for place, one in enumerate(situation.participants) if one.daemons and not one.existing)
    if not coming or position in coming:
        return _decided(question)
    return _decided(Question(without(situation, coming), position - sum(place < position for place in coming)))


def _though_jobs_wait(question: Question, found: Judgement) -> Judgement:
    """The same; what waits only for Jobs that are not whole yet may be through before they have their pods."""
    situation, position = question.situation, question.position
    jobs = frozenset(place for place, one in enumerate(situation.participants) if one.whole and place != position)
    if not jobs or found.verdict is not Verdict.STUCK:
        return found
    before = by_itself(without(situation, jobs), position - sum(place < position for place in jobs))
    return found if before.verdict is Verdict.STUCK else replace(found, verdict=Verdict.MAY_STICK)
