"""Rollouts that never come to rest before their end: whenever nothing moves any more, a pod that waits finds a node.

A rest is a state in which nothing terminates or starts and no controller has anything to do. While nobody evicts
anybody a rollout only goes forward, so that it ends if a pod of it that waits at a rest is refused at none.
What counts is what can be bound at a rest, wherever it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import gcd
from sys import maxsize

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import pod_charge
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.scheduler.companions import own_terms
from kubelint_gpu.scheduler.relations import asks, label_keys, tokens
from kubelint_gpu.simulation.bounds.change_set import changing
from kubelint_gpu.simulation.bounds.preconditions import is_crowded, may_evict
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.bounds.quiescence_spread import Spreading
from kubelint_gpu.simulation.model.quota_use import admission_of
from kubelint_gpu.simulation.prepare.demand import DEVICES, greedily, takes
from kubelint_gpu.simulation.prepare.revisions import is_of
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, joined, without_claims
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.placements import one_placement
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import dataclass, replace

_APART = "no other pod that it keeps away or that keeps it away"


@dataclass(frozen=True, slots=True)
class QuiescentBound:
    """What can be bound of one workload at a rest.

    Attributes:
        nodes: where.
        each: the most that one of its pods takes, host ports and its place apart from others included.
        each_new: the same of the new ones.
        least: the least that one of its pods takes.
        most: how many there are of them at most.
        old: how many of these are no new ones at most.
        on_each: whether there is no more than one of them on a node, as of a DaemonSet.
        pods: its old, its new and its running pods.
    """

    nodes: frozenset[str]
    each: Mapping[str, int]
    each_new: Mapping[str, int]
    least: Mapping[str, int]
    most: int
    old: int
    on_each: bool
    pods: tuple[Pod, ...]

    def held(self, name: str, count: int) -> int:
        """How much so many of them take of something at most."""
        old = min(self.old, count)
        return old * self.each.get(name, 0) + (count - old) * self.each_new.get(name, 0)


def leaves_no_pod_pending(situation: Situation, search: GroupSearch, rolling: frozenset[int]) -> bool:
    """Whether some rollouts surely end: all pods find room before they begin, and they never come to rest before.

    False where it is not known, or where somebody may be evicted, or may end meanwhile.
    """
    rolling = joined(situation.participants, rolling)
    if search.outsiders or any(may_evict(situation, place) or is_crowded(situation, place) for place in rolling):
        return False
    return never_rest(situation, rolling) and one_placement(search.simulation(rolling, ())) is not None


def decide(question: Question) -> Judgement | None:
    """It completes where no state in which nothing moves has a pending pod."""
    return _decided(question, frozenset())


def at_once(question: Question) -> Judgement | None:
    """The same where others are rolled out at the same moment, all of which end then."""
    others = changing(question.situation, question.position)
    return _decided(question, others) if others and question.participant.known else None


def _decided(question: Question, others: frozenset[int]) -> Judgement | None:
    situation, search, rolling = question.situation, question.search, others | {question.position}
    if not all(situation.participants[place].rolling for place in rolling):
        return None
    parts = (situation.participants, situation.fixed, situation.queued, situation.grown)
    name = f"quiescence of {sorted(rolling)}"
    if not situation.memo.of(name, parts, lambda: leaves_no_pod_pending(situation, search, rolling)):
        return None
    return replace(question.blank, verdict=Verdict.COMPLETES)


def never_rest(situation: Situation, rolling: frozenset[int]) -> bool:
    """Whether the rollouts of some participants, begun at the same moment, come to their end in every order of events.

    All others have the pods they want and keep them, nobody evicts anybody, and no pod outside of the situation goes.
    False where it is not known.
    """
    participants = situation.participants
    if situation.grown is not None or any(_moves_otherwise(one) for one in participants):
        return False
    pods = [one.pods for one in participants]
    every = [pod for found in pods for pod in found]
    looked_at = label_keys([*every, *situation.fixed])
    if looked_at is None or any(one.numbered for one in participants):
        return False
    return all(_never_waits(situation, pods, rolling, position) for position in rolling)


def _moves_otherwise(one: WorkloadChange) -> bool:
    """Whether more of it changes than its template and a Deployment's replicas, or pods of it wait or are not ready."""
    moved = one.left or one.stays or one.fresh
    lacks = one.waiting or any(pod.unready for pod in one.running)
    scaled = one.before != one.replicas and not one.controller.has_replica_sets
    return bool(one.temporary or not one.existing or scaled or moved or lacks or one.renumbered)


def _never_waits(situation: Situation, pods: Sequence[tuple[Pod, ...]], rolling: frozenset[int], position: int) -> bool:
    """Whether a new pod of a participant that waits at a rest always fits somewhere; of a DaemonSet, on its node."""
    mine = situation.participants[position]
    if mine.controller.paused:
        return True
    new, standing = pods[position][1], situation.beside(situation.fixed)
    apart = _apart(pods, position, standing)
    if apart is None or not _is_plain(situation, position, pods[position]):
        return False
    wants = _wants(new)
    if any(map(any, apart)):
        wants[_APART] = 1
    if new.spec.resource_claims:
        wants[DEVICES] = situation.demands[position].devices
    bounds = [
        _bound(situation, place, pods[place], wants, apart[place], waits=place == position, rolls=place in rolling)
        for place in range(len(pods))
    ]
    if not _quotas_let(situation, bounds, position):
        return False
    lone = replace(new, spec=replace(new.spec, spread=()))
    free = frozenset(fit(lone, standing).takers)
    room = _Room(situation, wants, bounds, position, {_APART, *tokens(new)})
    spreading = Spreading.of(new, standing, [(one.pods, one.most) for one in bounds], position)
    if mine.daemons:
        one = bounds[position].most
        return spreading is None and all(name in free and not room.refusing([name], one) for name in mine.nodes)
    if spreading is not None:
        return spreading.never_refuses(free, room.refusing, bounds[position].most)
    return room.refusing(sorted(free), bounds[position].most) < len(free)


def _is_plain(situation: Situation, position: int, pods: Iterable[Pod]) -> bool:
    """Whether its pods are neither drawn to others, nor need volumes or devices that cannot be counted."""
    if situation.participants[position].controller.has_own_claims(situation.cluster):
        return False
    if situation.demands[position].prices is not None:
        pods = map(without_claims, pods)
    return not any(pod.spec.pod_affinity or asks(pod, uncounted=True) for pod in pods)


def _quotas_let(situation: Situation, bounds: Sequence[QuiescentBound], position: int) -> bool:
    """Whether the quotas let one more pod be made at a rest, where all that are made are bound."""
    new, cluster = bounds[position].pods[1], situation.cluster
    quotas = [quota for quota in cluster.quotas if quota.covers(new)]
    if not quotas:
        return True
    if situation.queued or any(one.on_each and any(map(quota.covers, one.pods)) for one in bounds for quota in quotas):
        return False
    use = admission_of(quotas, (*situation.fixed, *(pod for pod in cluster.pods if pod.finished)))
    kinds = [
        {(pod_charge(pod.spec), *(quota.covers(pod) for quota in quotas)): (pod, one.most) for pod in one.pods}
        for one in bounds
    ]
    return use.refusal(new, [counted for found in kinds for counted in found.values()]) is None


def _apart(pods: Sequence[tuple[Pod, ...]], position: int, snapshot: Snapshot) -> list[list[bool]] | None:
    """Which pods cannot be on the node of its new pod; None where some cannot be on others either."""
    new = pods[position][1]
    mine = own_terms(new, new.spec.pod_anti_affinity, snapshot)
    found = []
    for others in pods:
        found.append([False] * len(others))
        for number, other in enumerate(others):
            terms = [term for term in mine if term.matches(other)]
            terms += [term for term in own_terms(other, other.spec.pod_anti_affinity, snapshot) if term.matches(new)]
            if any(len(names) > 1 for term in terms for names in snapshot.values(term.key).values()):
                return None
            found[-1][number] = bool(terms)
    return found


def _wants(pod: Pod) -> dict[str, int]:
    return {**takes(pod), **dict.fromkeys(tokens(pod), 1)}


def _bound(
    situation: Situation,
    position: int,
    pods: tuple[Pod, ...],
    wants: Mapping[str, int],
    apart: Sequence[bool],
    *,
    waits: bool,
    rolls: bool,
) -> QuiescentBound:
    mine = situation.participants[position]
    each: dict[str, int] = {}
    each_new: dict[str, int] = {}
    least: dict[str, int] = {}
    demand = situation.demands[position]
    for number, pod in enumerate(pods):
        new = number == 1 or (number > 1 and is_of(pod, mine.new) is not False)
        takes_of = {**_wants(pod), _APART: int(apart[number]), DEVICES: demand.devices}
        least = {name: min(takes_of.get(name, 0), least.get(name, maxsize)) for name in wants}
        for name, amount in takes_of.items():
            for found in (each, each_new) if new else (each,):
                if name in wants:
                    found[name] = max(amount, found.get(name, 0))
    # the Deployment controller scales before it rolls: at a rest nobody has more than the replicas wanted
    most, keeps = mine.replicas if rolls else max(mine.before, mine.replicas), mine.controller.keeps_until_ready
    most += mine.controller.surplus(mine.replicas)
    if waits and mine.daemons:
        # on the node of the new pod that waits
        most = int(keeps(mine.replicas))
    elif waits and rolls:
        most -= 0 if keeps(mine.replicas) else 1
    old = mine.controller.old_at_rest(mine.replicas) if rolls else most
    if demand.supply is None or demand.supply.each != demand.devices:
        least.pop(DEVICES, None)
    return QuiescentBound(demand.nodes, each, each_new, least, max(0, most), old, mine.daemons, pods)


class _Room:
    """What is left of the nodes for a pod that waits, however those who can be bound beside it are placed."""

    def __init__(
        self,
        situation: Situation,
        wants: Mapping[str, int],
        bounds: Sequence[QuiescentBound],
        position: int,
        once: Collection[str],
    ) -> None:
        """`once` is what is there once of each node that takes the pod by itself: a host port, a place of its own."""
        self._residual = situation.residual
        self._demands = situation.demands
        self._mine = situation.demands[position]
        self._once = once
        self._wants = {name: amount for name, amount in wants.items() if amount}
        self._own = bounds[position]
        self._bounds = bounds

    def refusing(self, nodes: Sequence[str], own: int) -> int:
        """At most so many of some nodes can refuse the pod, where `own` of its brothers can be on them."""
        reach = [place for place, one in enumerate(self._bounds) if one.most and not one.nodes.isdisjoint(nodes)]
        rivals = [self._bounds[place] for place in reach if self._bounds[place] is not self._own]
        daemons, others = [one for one in rivals if one.on_each], [one for one in rivals if not one.on_each]
        every = [self._own, *others]
        least = {name: min(one.least.get(name, 0) for one in every) for name in self._wants}
        supplies = [self._mine.supply, *(self._demands[place].supply for place in reach)]
        if len({one and one.number for one in supplies}) > 1:
            least.pop(DEVICES, None)
        limits = {name: amount for name, amount in least.items() if amount}
        # as many as a node holds of these pods
        crowd = [
            min([maxsize, *(self._free(node, name) // amount for name, amount in limits.items())]) for node in nodes
        ]
        refusing = 0
        for name, amount in self._wants.items():
            each = [one.each.get(name, 0) for one in every]
            step = gcd(*each) or 1 if each == [one.least.get(name, 0) for one in every] else 1
            supply = self._own.held(name, own) + sum(one.held(name, one.most) for one in others)
            prices = [-(-price // step) * step for price in self._prices(nodes, name, amount, daemons)]
            possible = [one for one, count in zip(prices, crowd, strict=True) if one <= count * max(each)]
            refusing += greedily(supply, possible)
        return min(len(nodes), refusing)

    def _free(self, node: str, name: str) -> int:
        if name == DEVICES:
            supply = self._mine.supply
            return supply.free.get(node, 0) if supply is not None else maxsize
        return max(0, self._residual[node].get(name, int(name in self._once)))

    def _prices(self, nodes: Sequence[str], name: str, amount: int, daemons: Sequence[QuiescentBound]) -> Iterator[int]:
        """How much of a resource others must take of each node, so that too little is left."""
        if name == DEVICES:
            prices = self._mine.prices or {}
            yield from (prices.get(node, 0) for node in nodes)
            return
        for node in nodes:
            free = self._residual[node].get(name, int(name in self._once))
            taken = sum(one.each.get(name, 0) for one in daemons if node in one.nodes)
            yield free - taken - amount + 1
