"""Topology spread constraints with DoNotSchedule, if the number of pods is known but not their nodes.

The emptiest domain takes one more pod whatever the skew. So the pod is refused only if all nodes of this domain are
full or refused by another constraint.
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
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.plugins import pod_topology_spread
from kubelint_gpu.simulation.prepare.demand import greedily
from kubelint_gpu.values import Value

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
