"""Cheap exact bounds: they decide without a search where a search could only say the same.

All of them count for one pod against everything that could be alive beside it, wherever that might be.
"""

from __future__ import annotations

import fractions
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain, product
from typing import TYPE_CHECKING

from kubelint_gpu.budget import STEPS
from kubelint_gpu.groups import grouped, summed
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge

if TYPE_CHECKING:
    from kubelint_gpu.scheduler.plugins.dynamic_resources.device_supply import DeviceSupply

_PODS, DEVICES = "pods", "its devices"


class Demand(Value):
    """The pods of one workload: where they may go, what one takes, and how many can be alive at once.

    Attributes:
        nodes: the nodes that take such a pod when nothing else runs.
        each: the most that one of them takes.
        most: more than can be alive at once in any state, terminating ones included.
        rest: more than can be alive once nothing terminates any more and the workload still waits for a pod; for a
            workload that is not rolled, its replicas.
        whole: more than can be alive once nothing terminates any more.
        simple: nothing but resources of a node can keep such a pod off a node that takes it.
        least: the least that one of its pods takes of each resource.
        on_each: no fewer than can be on one node at once, where less than all can be; None elsewhere.
        in_domain: no fewer than a spread constraint lets be on one node once nothing terminates; None without one.
        devices: the most devices that one of its pods takes.
        prices: by node, how many devices others hold at least where such a pod finds too few; None where that is not
            known, or where more than resources and devices can keep it off.
        alike_devices: whether such a pod takes one group of devices, and any group is as good as any other.
        supply: what each of its pods takes of devices, and how many there are; None where that is not known.
        pinned: the nodes to one of which all its pods go, where the claim that they share gets its devices; none where
            they go to any, or where more than resources and that claim can keep them off.
    """

    nodes: frozenset[str]
    each: FrozenMap[str, int]
    most: int
    rest: int
    whole: int
    simple: bool
    least: FrozenMap[str, int] = EMPTY
    on_each: int | None = None
    in_domain: int | None = None
    devices: int = 0
    prices: Mapping[str, int] | None = None
    alike_devices: bool = False
    supply: DeviceSupply | None = None
    pinned: frozenset[str] = frozenset()


def takes(pod: Pod) -> FrozenMap[str, int]:
    """What a pod takes of a node, its place among the node's pods included."""
    place = {} if pod.is_claim else {_PODS: 1}
    return FrozenMap({**{name: amount for name, amount in pod_requests(pod.spec).items() if amount}, **place})


class _Wanted:
    """What some workloads that may go to the same nodes take: at most, and once nothing terminates any more.

    `spread` are those of them that cannot all be on one node.
    """

    __slots__ = ("most", "spread", "whole")

    def __init__(self) -> None:
        self.most: dict[str, int] = {}
        self.whole: dict[str, int] = {}
        self.spread: list[Demand] = []

    def add(self, demand: Demand) -> None:
        """One more workload."""
        if demand.on_each is not None or demand.in_domain is not None:
            self.spread.append(demand)
        for name, amount in (*demand.each.items(), (DEVICES, demand.devices)):
            self.most[name] = self.most.get(name, 0) + amount * demand.most
            self.whole[name] = self.whole.get(name, 0) + amount * demand.whole


class Residual(dict[str, dict[str, int]]):
    """What is left of each resource of each node; `allocatable` is what each of them has."""

    def __init__(self, allocatable: Mapping[str, FrozenMap[str, int]]) -> None:
        super().__init__({node: dict(amounts) for node, amounts in allocatable.items()})
        self.allocatable = allocatable
        self._sums: dict[tuple[frozenset[str], str], tuple[list[int], list[int]]] = {}
        self._wanted: tuple[Sequence[Demand], dict[frozenset[str], _Wanted]] = ((), {})

    def wanted(self, demands: Sequence[Demand], nodes: frozenset[str]) -> list[_Wanted]:
        """What those want who may go to some of the nodes, by where else they may go."""
        if self._wanted[0] is not demands:
            found: dict[frozenset[str], _Wanted] = {}
            charge(len(demands))
            for demand in demands:
                found.setdefault(demand.nodes, _Wanted()).add(demand)
            self._wanted = demands, found
        return [one for where, one in self._wanted[1].items() if not where.isdisjoint(nodes)]

    def exhausted(self, nodes: frozenset[str], resource: str, request: int, supply: int) -> int:
        """On how many of some nodes at most a supply leaves too little of a resource for a request."""
        if (nodes, resource) not in self._sums:
            charge(1 + len(nodes) // STEPS.demand)
            ordered = sorted(self[node].get(resource, 0) for node in nodes)
            self._sums[nodes, resource] = ordered, [0, *accumulate(ordered)]
        ordered, sums = self._sums[nodes, resource]
        # where too little is left already, nothing is needed
        free = bisect_right(ordered, request - 1 + min(0, supply))
        if supply < 0:
            return free

        def price(number: int) -> int:
            return sums[number] - sums[free] - (number - free) * (request - 1)

        return bisect_right(range(free, len(sums)), supply, key=price) + free - 1


def contended(demands: Sequence[Demand], residual: Residual) -> tuple[frozenset[tuple[str, str]], ...]:
    """Per workload, the (node, resource) pairs of which there might not be enough for all that could want it there.

    No more pods are taken to be on a node than its other resources allow.
    """
    # many workloads may go to the same nodes
    among: dict[frozenset[str], dict[str, int]] = {}
    for demand in demands:
        charge(1 + len(demand.each) * len(demand.nodes) // STEPS.demand)
        wanted = among.setdefault(demand.nodes, {})
        for resource, amount in demand.each.items():
            wanted[resource] = wanted.get(resource, 0) + amount * demand.most
    total = summed(
        ((node, resource), amount)
        for nodes, wanted in among.items()
        for resource, amount in wanted.items()
        for node in nodes
    )
    scarce = {key for key, wanted in total.items() if wanted > residual[key[0]].get(key[1], 0)}
    holding = _Holding(demands, residual.allocatable)
    scarce = {(node, name) for node, name in scarce if holding.most(node, name) > residual[node].get(name, 0)}
    found: dict[tuple[frozenset[str], frozenset[str]], frozenset[tuple[str, str]]] = {}
    for demand in demands:
        key = demand.nodes, frozenset(demand.each)
        if key not in found:
            found[key] = frozenset(one for one in product(*key) if one in scarce)
    return tuple(found[demand.nodes, frozenset(demand.each)] for demand in demands)


class _Holding:
    """How much of a resource the pods that a node can hold take at most."""

    def __init__(self, demands: Sequence[Demand], allocatable: Mapping[str, FrozenMap[str, int]]) -> None:
        self._demands = demands
        # many workloads may go to the same nodes
        self._numbers = grouped((demand.nodes, number) for number, demand in enumerate(demands))
        self._on = grouped((node, number) for number, nodes in enumerate(self._numbers) for node in nodes)
        self._allocatable = allocatable
        self._known: dict[tuple[object, ...], int] = {}

    def most(self, node: str, name: str) -> int:
        """No less than all that can be on the node at once takes of the resource."""
        has, where = self._allocatable[node], tuple(self._on[node])
        key = (name, has, where)
        if key not in self._known:
            alike = list(self._numbers.values())
            demands = [self._demands[number] for number in sorted(chain(*(alike[one] for one in where)))]
            charge(1 + len(demands))
            counts = [_most_on(demand, has, name) for demand in demands]
            # each other resource that some of them take bounds how many of these there are together
            limits = {other for demand in demands for other, amount in demand.least.items() if "/" in other and amount}
            whole = sum(demand.each.get(name, 0) * count for demand, count in zip(demands, counts, strict=True))
            bounds = (_packed(demands, counts, name, other, has.get(other, 0)) for other in sorted(limits - {name}))
            self._known[key] = min(bounds, default=whole)
        return self._known[key]


def _most_on(demand: Demand, has: Mapping[str, int], name: str) -> int:
    """No fewer pods of a workload than can be on a node at once, if it had enough of one resource, by all others."""
    most = demand.most if demand.on_each is None else demand.on_each
    others = (has.get(other, 0) // amount for other, amount in demand.least.items() if amount and other != name)
    return min([most, *others])


def _packed(demands: Sequence[Demand], counts: Sequence[int], name: str, limit: str, room: int) -> int:
    """How much of a resource so many pods of each workload take at most, where they share the room of another one."""
    free = zip(demands, counts, strict=True)
    items = [(demand.each.get(name, 0), demand.least.get(limit, 0), count) for demand, count in free]
    taken = sum(amount * count for amount, price, count in items if not price)
    paying = [item for item in items if item[1]]
    # what gives most for what it takes comes first
    for amount, price, count in sorted(paying, key=lambda item: fractions.Fraction(item[0], item[1]), reverse=True):
        if room <= 0:
            break
        number = min(count, -(-room // price))
        taken += amount * number
        room -= price * number
    return taken


class Groups:
    """Disjoint sets of numbers that grow together."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def root(self, number: int) -> int:
        """The number that stands for the set of this one."""
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    def join(self, one: int, other: int) -> None:
        """Make one set of two."""
        roots = sorted((self.root(one), self.root(other)))
        self._parent[roots[1]] = roots[0]

    def among(self, numbers: Sequence[int]) -> dict[int, list[int]]:
        """The numbers of each set, in their order, by the number that stands for it."""
        return grouped((self.root(number), number) for number in numbers)


def join_contenders(groups: Groups, scarce: Sequence[frozenset[tuple[str, str]]]) -> None:
    """Put workloads that can compete for something of a node into one group."""
    first: dict[tuple[str, str], int] = {}
    alike: dict[frozenset[tuple[str, str]], int] = {}
    for number, pairs in enumerate(scarce):
        if pairs and alike.setdefault(pairs, number) != number:
            groups.join(number, alike[pairs])
            continue
        for pair in pairs:
            groups.join(number, first.setdefault(pair, number))


def always_room(number: int, demands: Sequence[Demand], residual: Residual, *, at_rest: bool = False) -> bool:
    """Whether a pod of this workload finds a node however all others are placed.

    To keep it off a node, others must take so much of some resource that what is left is too little;
    together they cannot do that on every node if it would take more than there are pods to take it. Of nodes to one of
    which all its pods go they may not do it on any.
    With `at_rest` nothing terminates any more: a rollout that never rests before its end comes to its end.
    """
    mine = demands[number]
    nodes = mine.pinned or mine.nodes
    if not (mine.simple or mine.pinned or mine.prices is not None) or not nodes:
        return False
    rivals = residual.wanted(demands, mine.nodes)
    charge(1 + len(mine.each) * len(rivals) // STEPS.demand)
    amounts = [one.whole if at_rest else one.most for one in rivals]
    apart = mine.whole - mine.rest if at_rest else 1

    others = [one for wanted in rivals for one in wanted.spread if one is not mine]
    spread = [(one, _elsewhere(one, len(nodes), at_rest=at_rest)) for one in others]

    def supply(name: str, each: int) -> int:
        elsewhere = sum(one.each.get(name, 0) * count for one, count in spread)
        return sum(one.get(name, 0) for one in amounts) - elsewhere - each * apart

    blocked = sum(residual.exhausted(nodes, name, each, supply(name, each)) for name, each in mine.each.items())
    if mine.prices is not None:
        charge(1 + len(mine.nodes) // STEPS.demand)
        held = supply(DEVICES, mine.devices)
        blocked += greedily(held, (mine.prices.get(node, 0) for node in mine.nodes))
    return blocked < (1 if mine.pinned else len(nodes))


def _elsewhere(demand: Demand, nodes: int, *, at_rest: bool) -> int:
    """How many of the pods of a workload that may be alive at once are not on so many nodes."""
    every = demand.whole if at_rest else demand.most
    bounds = [one for one in (demand.on_each, demand.in_domain if at_rest else None) if one is not None]
    return max(0, every - min(bounds) * nodes) if bounds else 0


def greedily(supply: int, prices: Iterable[int]) -> int:
    """How many things a supply pays for at most, at their prices; what costs nothing comes with it."""
    paid = 0
    for price in sorted(prices):
        if price > supply:
            break
        supply -= max(0, price)
        paid += 1
    return paid
