"""A rollout that begins at the same moment as everything else that is known to change.

Counting decides where places are alike; elsewhere what holds whatever the others do, the search where it comes to an
end, and last one run in which the others come first.
"""

from __future__ import annotations

from collections.abc import Callable

from kubelint_gpu.budget import PARTS
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler.relations import attends
from kubelint_gpu.simulation.bounds.counting import shares_of
from kubelint_gpu.simulation.bounds.counting_nodes import Shares, held_at_rest
from kubelint_gpu.simulation.bounds.preconditions import gives_way, is_crowded
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.bounds.shortfall import after_rollout
from kubelint_gpu.simulation.model.preemptions import UnmodelledVictim
from kubelint_gpu.simulation.prepare.demand import Demand, always_room
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.search.engine import GroupSearch, Situation
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.trace import Trace
from kubelint_gpu.simulation.search.verdict import OF_A_RUN, Judgement
from kubelint_gpu.values import replace

Decide = Callable[[Situation, int], Judgement]
"""What becomes of the rollout at a position while all others on a bench stay as they are."""


def changing(bench: Situation, position: int) -> frozenset[int]:
    """The positions of all others of which something changes at the same moment."""
    return frozenset(place for place, one in enumerate(bench.participants) if place != position and one.moves)


def scaled(bench: Situation, position: int) -> frozenset[int]:
    """The positions of all others that are scaled or new at the same moment; none where nobody gets pods by it."""
    others = {place: bench.participants[place] for place in changing(bench, position)}
    found = {place: one for place, one in others.items() if not one.replaces}
    return frozenset(found) if any(one.replicas > one.sure for one in found.values()) else frozenset()


def by_shares(
    bench: Situation, search: GroupSearch, position: int, shares: Shares, blank: Judgement
) -> Judgement | None:
    """What counting alike places says, where nobody evicts anybody; None where it does not tell.

    The worst that others can do is to take every place before this one does: then they come to all their replicas.
    """
    participant = bench.participants[position]
    if shares.total - shares.last < participant.replicas:
        return None
    if shares.total >= shares.most + shares.needed:
        return replace(blank, verdict=Verdict.COMPLETES if participant.rolling else None)
    if not participant.rolling or shares.total >= shares.last + shares.needed:
        return None
    states, trace = _beside_settled(bench, search, position)
    if shares.total < shares.least + shares.needed:
        return replace(blank, verdict=Verdict.STUCK, states=states, trace=trace)
    return replace(
        blank, verdict=Verdict.MAY_STICK, states=states, trace=trace, company=named(bench, changing(bench, position))
    )


def by_counting(question: Question) -> Judgement | None:
    """What counting alike places says while all that is known to change changes at the same moment."""
    if not counts(question):
        return None
    bench, search, position = question.situation, question.search, question.position
    shares = shares_of(bench, search, position)
    return by_shares(bench, search, position, shares, question.blank) if shares is not None else None


def counts(question: Question) -> bool:
    """Whether others, or its replicas, change at the same moment as it is rolled."""
    one = question.participant
    moves = bool(changing(question.situation, question.position)) or one.before != one.replicas
    return one.known and moves and not one.resumes


def at_once(
    bench: Situation, search: GroupSearch, position: int, alone: Judgement, decide: Decide, *, peaceful: bool
) -> Judgement:
    """What becomes of a rollout of which it is known how it goes `alone`, while the others stay as they are.

    `peaceful` says that nobody can evict anybody.
    Where it is not known it is `undecided`: never what it would be alone.
    """
    participant = bench.participants[position]
    ends = alone.verdict is Verdict.COMPLETES
    others = scaled(bench, position) if ends else changing(bench, position)
    others = _relevant(bench, position, others, peaceful=peaceful)
    if not others or alone.verdict is Verdict.UNDECIDED:
        # what is too much while the others stay is too much while they move
        return alone
    rolling = frozenset(place for place in others if bench.participants[place].replaces)
    bench = _without_change(bench, others | {position})
    search = GroupSearch(bench)
    name = participant.new.key
    mine = search.scene(rolling | {position}, (), others - rolling).cast.members[position]
    found = search.searched(rolling | {position}, mine, others - rolling, name, PARTS.applied)
    states = alone.states + found.states
    company = named(bench, others)
    if found.verdict not in (None, Verdict.UNDECIDED):
        beside = company if found.verdict is Verdict.MAY_STICK else ()
        run = {name: getattr(found, name) for name in OF_A_RUN}
        return replace(alone, by_bound=False, states=states, company=beside, **run)
    if peaceful and not ends and is_apart(bench, position, others):
        apart = replace(without(bench, others), budget=bench.budget // PARTS.applied)
        left = decide(apart, position - sum(place < position for place in others))
        states += left.states
        if left.verdict is Verdict.STUCK:
            return replace(alone, verdict=Verdict.STUCK, by_bound=False, states=states)
    return replace(
        alone,
        verdict=Verdict.UNDECIDED,
        by_bound=False,
        states=states,
        trace=None,
        company=company,
        by_itself=alone.verdict,
    )


def named(bench: Situation, places: frozenset[int]) -> tuple[Workload, ...]:
    """The workloads at some positions, as they shall be."""
    return tuple(bench.participants[place].new for place in sorted(places))


def _relevant(bench: Situation, position: int, others: frozenset[int], *, peaceful: bool) -> frozenset[int]:
    """Those of the others whose change can reach the workload: by way of nodes that several of them can use.

    What stays where it is passes nothing on while nobody evicts it.
    """
    if not peaceful or any(not demand.simple for demand in bench.demands):
        return others
    reached, left = {position}, set(others)
    while True:
        near = {
            place
            for place in left
            if any(not bench.demands[place].nodes.isdisjoint(bench.demands[one].nodes) for one in reached)
        }
        if not near:
            return frozenset(reached - {position})
        reached |= near
        left -= near


def _without_change(bench: Situation, changing: frozenset[int]) -> Situation:
    """The bench on which nothing else changes: what would has what it has before."""
    participants = tuple(
        one if place in changing or not one.existing or not one.moves else replace(one, new=one.old, known=False)
        for place, one in enumerate(bench.participants)
    )
    return replace(bench, participants=participants)


def without(bench: Situation, gone: frozenset[int]) -> Situation:
    """The bench without some of the workloads."""
    left = [place for place in range(len(bench.participants)) if place not in gone]
    return replace(
        bench,
        participants=tuple(bench.participants[place] for place in left),
        numbers=tuple(bench.numbers[place] for place in left),
        eligible=tuple(bench.eligible[place] for place in left),
        demands=tuple(bench.demands[place] for place in left),
        driven=tuple(bench.driven[place] for place in left),
    )


def is_apart(bench: Situation, position: int, others: frozenset[int]) -> bool:
    """Whether pods of the others do nothing but take room: without them everybody else has no less of it."""
    if bench.grown is not None:
        return False
    stay = [pod for place, one in enumerate(bench.participants) if place not in others for pod in one.pods]
    gone = [pod for place in others for pod in bench.participants[place].pods]
    return position not in others and not any(
        (one.spec.pod_affinity or one.spec.spread) and attends(one, other) for one in stay for other in gone
    )


def always_ends(bench: Situation, position: int) -> bool:
    """Whether a pod that it rolls out finds a node however all others are placed once nothing moves any more.

    Whom it can evict is in nobody's way then.
    """
    participant = bench.participants[position]
    if not participant.rolling or participant.resumes or is_crowded(bench, position):
        return False
    mine = _at_rest(bench.demands[position], participant)
    others = [
        _at_rest(demand, one)
        for demand, one in zip(bench.demands, bench.participants, strict=True)
        if one is not participant and not all(gives_way(pod.spec, participant.new.spec) for pod in one.pods)
    ]
    return always_room(0, [mine, *others], bench.residual, at_rest=True)


def _at_rest(demand: Demand, participant: WorkloadChange) -> Demand:
    if participant.temporary or participant.daemons:
        return demand
    whole = held_at_rest(participant)
    lacking = int(not participant.controller.keeps_until_ready(participant.replicas))
    return replace(demand, whole=whole, rest=max(0, whole - lacking))


def _beside_settled(bench: Situation, search: GroupSearch, position: int) -> tuple[int, Trace | None]:
    """A run that gets stuck when all others have changed already, and its own number of pods, too."""
    participants = [after_rollout(one) for one in bench.participants]
    mine = bench.participants[position]
    # it is scaled before anything is rolled
    participants[position] = replace(mine, old=replace(mine.old, replicas=mine.replicas))
    scene = search.staged(participants, frozenset({position}), search.outsiders, bench.fixed)
    try:
        return search.stuck_run(scene)
    except UnmodelledVictim:
        return 0, None
