"""A rollout that begins at the same moment as all other known changes.

If all places are alike, counting decides. Otherwise bounds that hold whatever others do are tried, then the search,
then one run in which the others come first.
"""

from __future__ import annotations

from kubelint_gpu.budget import PARTS
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler.relations import attends
from kubelint_gpu.simulation.bounds.counting import Shares, shares_of
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.model import preemptions
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement, Runs, Verdict
from kubelint_gpu.values import replace


def changing(situation: Situation, position: int) -> frozenset[int]:
    """The positions of all other workloads that change at the same moment."""
    everybody = enumerate(situation.participants)
    moving = situation.memo.of(
        "moving", (situation.participants,), lambda: frozenset(place for place, one in everybody if one.moves)
    )
    return moving - {position}


def scaled(situation: Situation, position: int) -> frozenset[int]:
    """The positions of other workloads that are new or scaled at the same moment; empty if none of them gets more pods.

    Rollouts to pods that no node takes are included: of rollouts that begin together, none has such pods.
    """
    others = {place: situation.participants[place] for place in changing(situation, position)}
    nowhere = {place for place, one in others.items() if one.replaces and not situation.eligible[place]}
    found = {place: one for place, one in others.items() if place in nowhere or not one.replaces}
    makes = nowhere or any(one.replicas > one.sure for one in found.values())
    return frozenset(found) if makes else frozenset()


def by_shares(
    situation: Situation, search: GroupSearch, position: int, shares: Shares, blank: Judgement
) -> Judgement | None:
    """Judge by counting equal places, if no pod preempts another; None if the count does not decide.

    In the worst case the other workloads take their places first, until each has all its replicas.
    """
    participant = situation.participants[position]
    if shares.total - shares.last < participant.replicas:
        return None
    if shares.total >= shares.most + shares.needed:
        return replace(blank, verdict=Verdict.COMPLETES if participant.rolling else None)
    if not participant.rolling or shares.total >= shares.last + shares.needed:
        return None
    runs = _beside_settled(situation, search, position)
    if shares.total < shares.least + shares.needed:
        return replace(blank, verdict=Verdict.STUCK, runs=runs)
    company = named(situation, changing(situation, position))
    return replace(blank, verdict=Verdict.MAY_STICK, runs=runs, company=company)


def by_counting(question: Question) -> Judgement | None:
    """Judge by counting equal places while all known changes happen at the same moment."""
    if not counts(question):
        return None
    situation, search, position = question.situation, question.search, question.position
    shares = shares_of(situation, search, position)
    return by_shares(situation, search, position, shares, question.blank) if shares is not None else None


def counts(question: Question) -> bool:
    """Whether other workloads, or the replicas of this one, change at the same moment as its rollout."""
    one = question.participant
    moves = bool(changing(question.situation, question.position)) or one.before != one.replicas
    return one.known and moves and not one.resumes


def at_once(situation: Situation, search: GroupSearch, position: int, alone: Judgement, *, peaceful: bool) -> Judgement:
    """Judge a rollout beside the changes of others; `alone` is its judgement while the others stay as they are.

    `peaceful` says that no pod can preempt another. If the answer is not known it is `undecided`, never that of
    `alone`.
    """
    participant = situation.participants[position]
    ends = alone.verdict is Verdict.COMPLETES
    others = scaled(situation, position) if ends else changing(situation, position)
    others = _relevant(situation, position, others, peaceful=peaceful)
    if not others or alone.verdict is Verdict.UNDECIDED:
        # what is too much while the others stay is too much while they move
        return alone
    rolling = frozenset(place for place in others if situation.participants[place].replaces)
    situation = _without_change(situation, others | {position})
    search = GroupSearch(situation)
    name = participant.new.key
    mine = search.simulation(rolling | {position}, (), others - rolling).pod_types.members[position]
    found = search.searched(rolling | {position}, mine, others - rolling, name, PARTS.applied)
    states = alone.runs.states + found.runs.states
    company = named(situation, others)
    if found.verdict not in (None, Verdict.UNDECIDED):
        beside = company if found.verdict is Verdict.MAY_STICK else ()
        return replace(alone, verdict=found.verdict, runs=replace(found.runs, states=states), company=beside)
    runs = replace(alone.runs, searched=True, states=states, trace=None, by_itself=alone.verdict)
    return replace(alone, verdict=Verdict.UNDECIDED, runs=runs, company=company)


def named(situation: Situation, places: frozenset[int]) -> tuple[Workload, ...]:
    """The workloads at some positions, with their new templates."""
    return tuple(situation.participants[place].new for place in sorted(places))


def _relevant(situation: Situation, position: int, others: frozenset[int], *, peaceful: bool) -> frozenset[int]:
    """The positions in `others` whose change can reach the workload through nodes that several of them can use.

    A workload that does not move passes nothing on unless its pods are preempted.
    """
    if not peaceful or any(not demand.simple for demand in situation.demands):
        return others
    reached, left = {position}, set(others)
    while True:
        near = {
            place
            for place in left
            if any(not situation.demands[place].nodes.isdisjoint(situation.demands[one].nodes) for one in reached)
        }
        if not near:
            return frozenset(reached - {position})
        reached |= near
        left -= near


def _without_change(situation: Situation, changing: frozenset[int]) -> Situation:
    """The situation in which only the workloads in `changing` change. All others keep what they have."""
    participants = tuple(
        one if place in changing or not one.existing or not one.moves else replace(one, new=one.old, known=False)
        for place, one in enumerate(situation.participants)
    )
    return replace(situation, participants=participants)


def without(situation: Situation, gone: frozenset[int]) -> Situation:
    """The situation without some of the workloads. Equal calls return the same object."""
    here = situation
    parts = (here.participants, here.numbers, here.eligible, here.demands, here.driven, here.fixed, here.queued)

    def found() -> Situation:
        left = [place for place in range(len(here.participants)) if place not in gone]
        return replace(
            here,
            participants=tuple(here.participants[place] for place in left),
            numbers=tuple(here.numbers[place] for place in left),
            eligible=tuple(here.eligible[place] for place in left),
            demands=tuple(here.demands[place] for place in left),
            driven=tuple(here.driven[place] for place in left),
        )

    what = ("without", gone, here.budget, here.joins)
    return here.memo.of(what, (here.cluster, here.residual, here.grown, *parts), found)


def is_apart(situation: Situation, position: int, others: frozenset[int]) -> bool:
    """Whether pods of `others` only take room: without them no other workload has less room."""
    if situation.grown is not None:
        return False
    stay = [pod for place, one in enumerate(situation.participants) if place not in others for pod in one.pods]
    gone = [pod for place in others for pod in situation.participants[place].pods]
    return position not in others and not any(
        (one.spec.pod_affinity or one.spec.spread) and attends(one, other) for one in stay for other in gone
    )


def _beside_settled(situation: Situation, search: GroupSearch, position: int) -> Runs:
    """A run that gets stuck after all others, and the replicas of this workload, have changed."""
    from kubelint_gpu.simulation.bounds import shortfall

    participants = [shortfall.after_rollout(one) for one in situation.participants]
    mine = situation.participants[position]
    # it is scaled before anything is rolled
    participants[position] = replace(mine, old=replace(mine.old, replicas=mine.replicas))
    simulation = search.simulated(participants, frozenset({position}), search.outsiders, situation.fixed)
    try:
        return search.stuck_run(simulation)
    except preemptions.UnmodelledVictim:
        return Runs()
