"""All rollouts of one group that begin at the same moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property

from kubelint_gpu.simulation.asked import answered, asked
from kubelint_gpu.simulation.bounds.always_ends import always_ends
from kubelint_gpu.simulation.bounds.change_set import changing
from kubelint_gpu.simulation.bounds.counting import shares_of
from kubelint_gpu.simulation.bounds.filled_node import filled_node
from kubelint_gpu.simulation.bounds.preconditions import may_evict
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.bounds.quiescence import leaves_no_pod_pending
from kubelint_gpu.simulation.bounds.shortage import asks_too_much
from kubelint_gpu.simulation.prepare.demand import always_room
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Runs, Together, Verdict
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import UsedUp, part


class GroupQuestion:
    """Do all rollouts of a situation end that start at the same moment? With `ends`, only that of this workload."""

    def __init__(self, situation: Situation, ends: str = "") -> None:
        self.situation = situation
        self.ends = ends
        self.search = GroupSearch(situation)
        self.rolling = frozenset(place for place, one in enumerate(situation.participants) if one.rolling)
        self.workloads = tuple(situation.participants[place].new for place in sorted(self.rolling))
        self._in_any_order: dict[int, bool] = {}

    @cached_property
    def all_known(self) -> Situation:
        """The situation in which all rollouts are known to begin at this moment."""
        every = enumerate(self.situation.participants)
        known = tuple(replace(one, known=True) if place in self.rolling else one for place, one in every)
        return replace(self.situation, participants=known)

    @cached_property
    def known_search(self) -> GroupSearch:
        """The search of the situation in which all rollouts are known to begin at this moment."""
        return GroupSearch(self.all_known)

    @cached_property
    def roomy_at_rest(self) -> bool:
        """Whether the pods of each rollout find room once nothing terminates any more."""
        situation = self.situation
        among = [*situation.demands, *(one.demand for gone in situation.driven for one in gone)]
        return all(always_room(place, among, situation.residual, at_rest=True) for place in self.rolling)

    @cached_property
    def surely_ends(self) -> bool:
        """Whether bounds show that each rollout ends, whatever else rolls out and whichever pods they preempt."""
        return next(self.unproven(), None) is None

    def unproven(self) -> Iterator[int]:
        """Yield the rollouts of which no bound shows that they end, whatever else rolls out."""
        known, search = self.all_known, self.known_search
        for place in sorted(self.rolling):
            if not (
                always_ends(known, place)
                or self.ends_in_any_order(place)
                or leaves_no_pod_pending(known, search, frozenset({place}), changing(known, place), evicts=True)
            ):
                yield place

    def ends_in_any_order(self, place: int) -> bool:
        """Whether a bound shows that a rollout ends, whatever rolls out at the same moment, if it preempts no pod."""
        if place not in self._in_any_order:
            self._in_any_order[place] = _ends_in_any_order(self.all_known, self.known_search, place)
        return self._in_any_order[place]

    def completes(self) -> Together:
        """The answer that all rollouts end."""
        return Together(self.workloads, Verdict.COMPLETES)


class GroupDecider(Value):
    """A named function that answers the question, or returns None if it cannot."""

    name: str
    decide: Callable[[GroupQuestion], Together | None]


def judged_together(situation: Situation, *, ends: str = "") -> Together:
    """Judge all rollouts of the group when they start at the same moment; with `ends` only one of them.

    No verdict if the pods of one workload find too little room even without the other workloads of the group. An
    undecided answer is about those that do not surely end.
    """
    question = GroupQuestion(situation, ends)
    try:
        # if all of them surely end, the search looks only for the pods that they evict
        with part(1 if question.surely_ends else 7, 8):
            found = next(found for one in asked(TOGETHER) if (found := one.decide(question)) is not None)
    except UsedUp:
        found = Together((), Verdict.UNDECIDED, Runs(searched=True))
    if found.verdict is Verdict.UNDECIDED:
        left = tuple(situation.participants[place].new for place in question.unproven())
        found = replace(found, workloads=left) if left else question.completes()
    answered(question, found)
    return found


def _room_at_rest(question: GroupQuestion) -> Together | None:
    if not question.roomy_at_rest or any(may_evict(question.situation, place) for place in question.rolling):
        return None
    return question.completes()


def _each_ends(question: GroupQuestion) -> Together | None:
    """Completes if a bound shows for each rollout that it ends, whatever rolls out at the same moment."""
    return question.completes() if all(map(question.ends_in_any_order, sorted(question.rolling))) else None


def _ends_in_any_order(situation: Situation, search: GroupSearch, position: int) -> bool:
    """Whether a bound shows that the rollout ends, whatever rolls out at the same moment."""
    if situation.participants[position].resumes:
        return False
    shares = shares_of(situation, search, position)
    if shares is not None:
        return shares.total >= shares.most + shares.needed
    if not may_evict(situation, position) and always_ends(situation, position):
        return True
    one = Question(situation, position)
    if one.roomy or (one.roomy_at_rest and not may_evict(situation, position)):
        return True
    return leaves_no_pod_pending(situation, search, frozenset({position}), changing(situation, position))


def _shortage(question: GroupQuestion) -> Together | None:
    """No verdict if the pods of one workload lack room without the others, or those of all workloads together.

    If the question is about one workload, the others may have too little.
    """
    situation, search = question.situation, question.search
    names = {place: situation.participants[place].new.key for place in question.rolling}
    asked_of = [place for place, name in names.items() if question.ends in ("", name)]
    if all(_stands_alone(situation, search, place) for place in asked_of):
        simulation = search.simulation(frozenset(), ())
        if not any(asks_too_much(situation, simulation, place) for place in asked_of):
            return None
    return Together(question.workloads, None)


def _stands_alone(situation: Situation, search: GroupSearch, place: int) -> bool:
    from kubelint_gpu.simulation.bounds.shortfall import fit_alone

    participant = situation.participants[place]
    if not situation.eligible[place] and participant.replicas > max(participant.undisturbed, participant.kept):
        return False
    return fit_alone(situation, search, place).placed >= participant.replicas


def _quiescence(question: GroupQuestion) -> Together | None:
    known = leaves_no_pod_pending(question.all_known, question.search, question.rolling)
    return question.completes() if known else None


def _brief_search(question: GroupQuestion) -> Together | None:
    with suppress(UsedUp), part(1, 8):
        found = _search(question)
        return None if found.verdict is Verdict.UNDECIDED else found
    return None


def _filled_node(question: GroupQuestion) -> Together | None:
    """May stick if others can fill a node of a DaemonSet after its old pod is deleted, as one run shows."""
    situation = question.situation
    for place in sorted(question.rolling):
        if not situation.participants[place].daemons or question.ends not in (
            "",
            situation.participants[place].new.key,
        ):
            continue
        if not question.ends_in_any_order(place):
            runs = filled_node(situation, question.rolling, place, question.ends)
            if runs.trace is not None:
                return Together(question.workloads, Verdict.MAY_STICK, runs)
    return None


def _search(question: GroupQuestion) -> Together:
    participants, rolling = question.situation.participants, question.rolling
    scaling = frozenset(place for place, one in enumerate(participants) if one.moves) - rolling
    found = question.search.searched(rolling, None, scaling, question.ends)
    verdict = found.verdict
    if verdict is Verdict.UNDECIDED and question.roomy_at_rest:
        verdict = Verdict.COMPLETES
    return Together(question.workloads, verdict, found.runs)


TOGETHER: tuple[GroupDecider, ...] = (
    GroupDecider("room-at-rest", _room_at_rest),
    GroupDecider("each-ends", _each_ends),
    GroupDecider("shortage", _shortage),
    GroupDecider("quiescence", _quiescence),
    GroupDecider("brief-search", _brief_search),
    GroupDecider("filled-node", _filled_node),
    GroupDecider("search", _search),
)
"""Deciders of rollouts that start at the same moment; the last one always answers."""
