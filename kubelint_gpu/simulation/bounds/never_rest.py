"""Whether rollouts that have begun always reach their end: at each rest a waiting pod finds a node.

Of topology spread constraints with DoNotSchedule, the number of pods is known but not their nodes. The emptiest domain
takes one more pod whatever the skew. So the pod is refused only if all nodes of this domain are full or refused by
another constraint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, combinations
from math import comb

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.groups import grouped, summed
from kubelint_gpu.kube.objects.affinity import SpreadConstraint
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.scheduler.companions import own_terms
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.scheduler.plugins import pod_topology_spread
from kubelint_gpu.scheduler.relations import asks, label_keys, tokens
from kubelint_gpu.simulation.bounds.preconditions import gives_way
from kubelint_gpu.simulation.bounds.quiescent_bound import (
    APART,
    QuiescentBound,
    QuiescentRoom,
    bound_of,
    quotas_let,
    wants_of,
)
from kubelint_gpu.simulation.prepare.demand import DEVICES, greedily
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, without_claims
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.values import Value, replace

Refusing = Callable[[Sequence[str], int], int]
"""At most how many of some nodes lack room, where so many pods of the workload itself can be on them."""


class Constraint(Value):
    """One spread constraint of the waiting pod.

    Attributes:
        rule: the constraint, with `matchLabelKeys` folded into the selector.
        own: 1 if it counts the pod itself, else 0.
        fixed: for each counted domain, the counted pods that never move.
        mobile: the most other pods that it can count.
        uncounted: whether other pods of the workload can exist that it does not count.
        home: the domain of each node that has the labels of all constraints.
        counting: the nodes of `home` whose pods it counts.
    """

    rule: SpreadConstraint
    own: int
    fixed: Mapping[str, int]
    mobile: int
    uncounted: bool
    home: Mapping[str, str]
    counting: frozenset[str]

    @property
    def measured(self) -> bool:
        """Whether the skew is measured against the emptiest domain; otherwise against 0, because of `minDomains`."""
        return len(self.fixed) >= self.rule.min_domains

    @property
    def least(self) -> int:
        """The least that the skew can be measured against."""
        return min(self.fixed.values(), default=0) if self.measured else 0

    def price(self, domain: str) -> int:
        """How many mobile pods a domain must have at least to refuse the pod."""
        return self.rule.max_skew + self.least - self.own + 1 - self.fixed.get(domain, 0)

    def most_in_emptiest(self, here: int) -> int:
        """The most mobile pods in an emptiest domain that has `here` fixed ones."""
        sizes = Counter(self.fixed.values())
        for most in range(self.mobile, 0, -1):
            if sum(times * max(0, here + most - count) for count, times in sizes.items()) <= self.mobile:
                return most
        return 0

    def is_satisfied_with(self, other: Constraint) -> bool:
        """Whether it takes the pod in each emptiest domain of the other constraint: their domains are the same."""
        if not self.measured or self.rule.selector != other.rule.selector or self.counting != other.counting:
            return False
        pairs = {(self.home[name], other.home[name]) for name in self.counting}
        return len(pairs) == len(self.fixed) == len(other.fixed)


class Spreading(Value):
    """All spread constraints of a waiting pod."""

    constraints: tuple[Constraint, ...]

    @classmethod
    def of(
        cls, pod: Pod, standing: Snapshot, groups: Sequence[tuple[Sequence[Pod], int]], own: int
    ) -> Spreading | None:
        """The constraints of a pod beside the pods of `standing`; None if it has none.

        `groups` has for each workload its pods and how many can be bound; `own` is the index of the pod's workload.
        """
        prepared = pod_topology_spread.PLUGIN.pre_filter(pod, standing)
        if prepared.skip:
            return None
        counts = prepared.state.counts
        keys = {count.constraint.topology_key for count in counts}
        nodes = [info for info in standing.nodes if keys <= info.node.labels.keys()]
        found = []
        for count in counts:
            rule = count.constraint
            home = {info.name: info.node.labels[rule.topology_key] for info in nodes}
            counting = [info.name for info in nodes if pod_topology_spread.included(rule, pod.spec, info)]
            counted = [[_counts(rule, pod, other) for other in pods] for pods, _ in groups]
            mobile = sum(most for (_, most), mine in zip(groups, counted, strict=True) if any(mine))
            fixed = {home[name]: count.matched.get(home[name], 0) for name in counting}
            found.append(Constraint(rule, count.own, fixed, mobile, not all(counted[own]), home, frozenset(counting)))
        return cls(tuple(found))

    def never_refuses(self, free: Collection[str], refusing: Refusing, brothers: int) -> bool:
        """Whether some node always takes the pod, among the nodes that nothing else blocks (`free`)."""
        nodes = sorted(name for name in free if all(name in one.home for one in self.constraints))
        tight = [one for one in self.constraints if not self._is_slack(one)]
        if not tight:
            return refusing(nodes, brothers) < len(nodes)
        if any(self._fits_in_emptiest(one, tight, nodes, refusing, brothers) for one in tight):
            return True
        return len(tight) == 1 and self._fits_somewhere(tight[0], nodes, refusing, brothers)

    @staticmethod
    def _is_slack(one: Constraint) -> bool:
        """Whether the constraint refuses no node even if all pods are in one domain."""
        return all(one.price(domain) > one.mobile for domain in {*one.fixed, *one.home.values()})

    @staticmethod
    def _fits_in_emptiest(
        one: Constraint, tight: Sequence[Constraint], nodes: Sequence[str], refusing: Refusing, brothers: int
    ) -> bool:
        """Whether each domain takes the pod when it is the emptiest."""
        if not one.measured:
            return False
        among: dict[str, list[str]] = {domain: [] for domain in one.fixed}
        for name in nodes:
            if one.home[name] in among:
                among[one.home[name]].append(name)
        most = {here: one.most_in_emptiest(here) for here in set(one.fixed.values())}
        for domain, here in among.items():
            counted = most[one.fixed[domain]]
            refused = refusing(here, brothers if one.uncounted else min(brothers, counted))
            for other in tight:
                if other is not one and not other.is_satisfied_with(one):
                    refused += _kept_out(other, one, domain, here, counted)
            if refused >= len(here):
                return False
        return True

    @staticmethod
    def _fits_somewhere(one: Constraint, nodes: Sequence[str], refusing: Refusing, brothers: int) -> bool:
        """Whether the pods are too few to block every domain, or to fill those that are not blocked."""
        domains = grouped((one.home[name], name) for name in nodes if one.home[name] in one.fixed)
        full = greedily(one.mobile, (one.price(domain) for domain in domains))
        open_ones = len(domains) - full
        if comb(len(domains), open_ones) <= SIMULATION.open_domains:
            parts = [list(chain.from_iterable(part)) for part in combinations(domains.values(), open_ones)]
            return all(refusing(part, brothers) < len(part) for part in parts)
        left = sum(sorted(map(len, domains.values()))[:open_ones])
        return refusing(list(chain.from_iterable(domains.values())), brothers) < left


def _counts(rule: SpreadConstraint, pod: Pod, other: Pod) -> bool:
    """Whether a constraint of a pod counts the other pod; an empty selector counts none."""
    selector = rule.selector
    return (
        selector is not None
        and bool(selector.requirements)
        and pod.meta.namespace == other.meta.namespace
        and selector.matches(other.meta.labels)
    )


def _kept_out(other: Constraint, one: Constraint, domain: str, nodes: Sequence[str], counted: int) -> int:
    """The most of some nodes, all in one domain of a constraint, that another constraint refuses."""
    sizes = summed((other.home[name], 1) for name in nodes)
    inside = all(one.home[name] == domain for name in other.counting if other.home[name] in sizes)
    same = one.rule.selector == other.rule.selector and other.counting <= one.counting
    supply = min(other.mobile, counted) if inside and same else other.mobile
    refused = greedily(supply, (other.price(name) for name in sizes))
    return sum(sorted(sizes.values(), reverse=True)[:refused])


def never_rest(
    situation: Situation, rolling: frozenset[int], beside: frozenset[int], *, moment: bool, evicts: bool = False
) -> bool:
    """Whether the rollouts at `rolling` end in every order of events. False if this is not known.

    Those at `beside` are rolled out at the same moment; all others may do anything. Pods outside of the situation stay.
    With `moment` a new pod must find a node at any moment, so that it preempts no pod. Otherwise it must find one once
    nothing terminates, which is enough if it cannot preempt. With `evicts` it may preempt pods, which then do not
    count.
    """
    participants = situation.participants
    if situation.grown is not None or any(_moves_otherwise(participants[place]) for place in rolling):
        return False
    looks_at_all_labels = label_keys(()) is None
    if looks_at_all_labels or any(participants[place].numbered for place in rolling):
        return False
    pods = [one.pods for one in participants]
    rolled = rolling | {place for place in beside if not _moves_otherwise(participants[place])}
    return all(
        _never_waits(situation, pods, rolling, rolled, position, moment=moment, evicts=evicts) for position in rolling
    )


def _moves_otherwise(one: WorkloadChange) -> bool:
    """Whether more than the template and a Deployment's replicas changes, or some of its pods wait or are not ready."""
    moved = one.left or one.stays or one.fresh
    lacks = one.waiting or any(pod.unready for pod in one.running)
    scaled = one.before != one.replicas and not one.controller.has_replica_sets
    return bool(one.temporary or not one.existing or scaled or moved or lacks or one.renumbered)


def _never_waits(
    situation: Situation,
    pods: Sequence[tuple[Pod, ...]],
    asked: frozenset[int],
    rolling: frozenset[int],
    position: int,
    *,
    moment: bool,
    evicts: bool,
) -> bool:
    """Whether a new pod of a participant always fits somewhere; for a DaemonSet, on its own node.

    The same must hold for all positions in `asked`, among those in `rolling`.
    """
    mine = situation.participants[position]
    if mine.controller.paused:
        return True
    new, standing = pods[position][1], situation.beside(situation.fixed)
    apart, kept_off = _apart(pods, position, standing)
    wants = wants_of(new)
    if any(map(any, apart)):
        wants[APART] = 1
    if new.spec.resource_claims:
        wants[DEVICES] = situation.demands[position].devices

    parts = (situation.participants, situation.demands)

    def bound(place: int, *, moment: bool) -> QuiescentBound:
        rolls, waits = place in rolling, place == position
        return situation.memo.of(
            ("bound", place, rolls, waits, moment, *apart[place]),
            parts,
            lambda: bound_of(
                situation,
                place,
                apart[place],
                waits=waits,
                rolls=rolls,
                moment=moment,
                free=not rolls and _moves_otherwise(situation.participants[place]),
            ),
        )

    def bounds_of(*, moment: bool) -> list[QuiescentBound]:
        return [bound(place, moment=moment) for place in range(len(situation.participants))]

    # a quota keeps a pod from being made, and nobody is evicted for that: what it lets at a rest is enough
    if not quotas_let(situation, bounds_of(moment=False), position, asked):
        return False
    bounds = bounds_of(moment=moment)
    if evicts:
        bounds = [
            replace(one, most=0) if all(gives_way(pod.spec, new.spec) for pod in one.pods) else one for one in bounds
        ]
    if not _is_plain(situation, position, pods, alone=not moment and not bounds[position].most):
        return False
    lone = replace(new, spec=replace(new.spec, spread=()))
    free = frozenset(fit(lone, standing).takers)
    room = QuiescentRoom(situation, wants, bounds, position, {APART, *tokens(new)})
    spreading = Spreading.of(new, standing, [(one.pods, one.most) for one in bounds], position)
    if mine.daemons:
        one = bounds[position].most
        lonely = spreading is None and not kept_off
        return lonely and all(name in free and not room.refusing([name], one) for name in mine.nodes)
    if kept_off:
        return spreading is None and _some_domain_takes_it(standing, sorted(free), kept_off, bounds, room, position)
    if spreading is not None:
        return spreading.never_refuses(free, room.refusing, bounds[position].most)
    return room.refusing(sorted(free), bounds[position].most) < len(free)


def _some_domain_takes_it(
    standing: Snapshot,
    free: Sequence[str],
    kept_off: Mapping[str, frozenset[int]],
    bounds: Sequence[QuiescentBound],
    room: QuiescentRoom,
    position: int,
) -> bool:
    """Whether more topology domains have room than pods can block, if each of these pods blocks one domain."""
    if len(kept_off) > 1:
        return False
    ((key, by),) = kept_off.items()
    value_of = {name: value for value, names in standing.values(key).items() for name in names}
    domains = grouped((value_of.get(name), name) for name in free)
    own = bounds[position].most
    roomy = {domain for domain, names in domains.items() if room.refusing(names, own) < len(names)}
    # a node without the label is in no domain that a pod could keep it off
    return None in roomy or len(roomy) > sum(bounds[place].most for place in by)


def _is_plain(situation: Situation, position: int, pods: Sequence[tuple[Pod, ...]], *, alone: bool) -> bool:
    """Whether its pods have no affinity to others, and need no volumes or devices that cannot be counted.

    If at most one of its pods waits (`alone`), claims that no other workload uses block no node.
    """
    cluster, mine = situation.cluster, pods[position]
    if situation.participants[position].controller.has_own_claims(cluster):
        return False
    if situation.demands[position].prices is not None:
        mine = tuple(map(without_claims, mine))
    if alone and not (cluster.csi_nodes or cluster.storage_capacities or cluster.volumes):
        used = {
            key for place, found in enumerate(pods) if place != position for pod in found for key in claim_keys(pod)
        }
        mine = tuple(_without_volumes(pod) if used.isdisjoint(claim_keys(pod)) else pod for pod in mine)
    return not any(pod.spec.pod_affinity or asks(pod, uncounted=True) for pod in mine)


def _without_volumes(pod: Pod) -> Pod:
    """Return the pod without volumes that are PersistentVolumeClaims."""
    others = tuple(one for one in pod.spec.volumes if one.kind != "persistentVolumeClaim")
    return replace(pod, spec=replace(pod.spec, volumes=others))


def _apart(
    pods: Sequence[tuple[Pod, ...]], position: int, snapshot: Snapshot
) -> tuple[list[list[bool]], dict[str, frozenset[int]]]:
    """Which pods cannot share a node with its new pod; by topology key, the positions whose pods block a domain."""
    new = pods[position][1]
    mine = own_terms(new, new.spec.pod_anti_affinity, snapshot)
    found: list[list[bool]] = []
    wider: dict[str, frozenset[int]] = {}
    for place, others in enumerate(pods):
        found.append([False] * len(others))
        for number, other in enumerate(others):
            terms = [term for term in mine if term.matches(other)]
            terms += [term for term in own_terms(other, other.spec.pod_anti_affinity, snapshot) if term.matches(new)]
            for term in terms:
                if any(len(names) > 1 for names in snapshot.values(term.key).values()):
                    wider[term.key] = wider.get(term.key, frozenset()) | {place}
                else:
                    found[-1][number] = True
    return found, wider
