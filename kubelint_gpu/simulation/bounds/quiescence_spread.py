"""Topology spread constraints that forbid, where it is known how many pods there can be but not where they are.

The emptiest domain takes one more pod whatever the skew: a pod is refused only where all that this domain has is full,
or kept out by another constraint.
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
    """One constraint of the pod that waits.

    Attributes:
        rule: the constraint, its `matchLabelKeys` folded into the selector.
        own: 1 where it counts the pod itself.
        fixed: how many pods it counts that stay where they are, by domain; the domains are those that count.
        mobile: how many others it can count at most.
        uncounted: whether brothers of the pod can be there that it does not count.
        home: the domain of each node that has the labels of all constraints.
        counting: those of these nodes whose pods it counts.
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
        """Whether the emptiest domain is what others are measured against; else it is nothing."""
        return len(self.fixed) >= self.rule.min_domains

    @property
    def least(self) -> int:
        """What the domains are measured against, at least."""
        return min(self.fixed.values(), default=0) if self.measured else 0

    def price(self, domain: str) -> int:
        """How many of the mobile pods a domain must have at least to refuse the pod."""
        return self.rule.max_skew + self.least - self.own + 1 - self.fixed.get(domain, 0)

    def most_in_emptiest(self, here: int) -> int:
        """How many of the mobile pods can be in a domain with `here` fixed ones that has no more than any other."""
        sizes = Counter(self.fixed.values())
        for most in range(self.mobile, 0, -1):
            if sum(times * max(0, here + most - count) for count, times in sizes.items()) <= self.mobile:
                return most
        return 0

    def is_satisfied_with(self, other: Constraint) -> bool:
        """Whether it takes the pod wherever the other has its emptiest domain: they have the same domains."""
        if not self.measured or self.rule.selector != other.rule.selector or self.counting != other.counting:
            return False
        pairs = {(self.home[name], other.home[name]) for name in self.counting}
        return len(pairs) == len(self.fixed) == len(other.fixed)


class Spreading(Value):
    """The constraints of a pod that waits."""

    constraints: tuple[Constraint, ...]

    @classmethod
    def of(
        cls, pod: Pod, standing: Snapshot, groups: Sequence[tuple[Sequence[Pod], int]], own: int
    ) -> Spreading | None:
        """Those of a pod beside what is `standing`; None where it has none.

        `groups` are the pods of each workload, of which so many can be bound; the one at `own` is the pod's.
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
        """Whether some node always takes the pod, of those that are `free` of anything else that keeps it away."""
        nodes = sorted(name for name in free if all(name in one.home for one in self.constraints))
        tight = [one for one in self.constraints if not self._is_slack(one)]
        if not tight:
            return refusing(nodes, brothers) < len(nodes)
        if any(self._fits_in_emptiest(one, tight, nodes, refusing, brothers) for one in tight):
            return True
        return len(tight) == 1 and self._fits_somewhere(tight[0], nodes, refusing, brothers)

    @staticmethod
    def _is_slack(one: Constraint) -> bool:
        """Whether it refuses nowhere even where all pods are in one domain."""
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
        """Whether the pods are too few to make every domain refuse it, or to take the room of those that do not."""
        domains = grouped((one.home[name], name) for name in nodes if one.home[name] in one.fixed)
        full = greedily(one.mobile, (one.price(domain) for domain in domains))
        open_ones = len(domains) - full
        if comb(len(domains), open_ones) <= SIMULATION.open_domains:
            parts = [list(chain.from_iterable(part)) for part in combinations(domains.values(), open_ones)]
            return all(refusing(part, brothers) < len(part) for part in parts)
        left = sum(sorted(map(len, domains.values()))[:open_ones])
        return refusing(list(chain.from_iterable(domains.values())), brothers) < left


def _counts(rule: SpreadConstraint, pod: Pod, other: Pod) -> bool:
    """Whether a constraint of a pod counts another; an empty selector counts none."""
    selector = rule.selector
    return (
        selector is not None
        and bool(selector.requirements)
        and pod.meta.namespace == other.meta.namespace
        and selector.matches(other.meta.labels)
    )


def _kept_out(other: Constraint, one: Constraint, domain: str, nodes: Sequence[str], counted: int) -> int:
    """At most how many of some nodes in one domain of a constraint another constraint refuses."""
    sizes = summed((other.home[name], 1) for name in nodes)
    inside = all(one.home[name] == domain for name in other.counting if other.home[name] in sizes)
    same = one.rule.selector == other.rule.selector and other.counting <= one.counting
    supply = min(other.mobile, counted) if inside and same else other.mobile
    refused = greedily(supply, (other.price(name) for name in sizes))
    return sum(sorted(sizes.values(), reverse=True)[:refused])
