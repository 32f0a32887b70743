"""Cheap exact bounds: they decide without a search if a search could only say the same.

Each counts for one pod against everything that could exist beside it, wherever that is.
"""

from __future__ import annotations

import fractions
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain, product
from typing import TYPE_CHECKING

from kubelint_gpu.budget import STEPS
from kubelint_gpu.groups import Groups, grouped, summed
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge

if TYPE_CHECKING:
    from kubelint_gpu.scheduler.plugins.dynamic_resources.device_room import DeviceSupply

_PODS, DEVICES = "pods", "its devices"


class Demand(Value):
    """The pods of one workload: their possible nodes, what one takes, and how many can exist at once.

    Attributes:
        nodes: the nodes that take such a pod when nothing else runs.
        each: the most that one of them takes of each resource.
        most: an upper bound of the pods that exist at once in any state, terminating ones included.
        rest: an upper bound of the pods at rest while the workload still waits for a pod; without a rollout, its
            replicas.
        whole: an upper bound of the pods once nothing terminates.
        simple: only resources of a node can keep such a pod off a node in `nodes`.
        least: the least that one of its pods takes of each resource.
        on_each: an upper bound of the pods on one node, if lower than `most`; otherwise None.
        in_domains: by topology key, an upper bound of the pods in one domain at rest by a spread constraint.
        devices: the most devices that one of its pods takes.
        prices: by node, how many devices others must hold so that such a pod finds too few; None if that is not known,
            or if more than resources and devices can keep it off.
        alike_devices: whether such a pod takes one group of devices, and all groups are equal.
        supply: what each of its pods takes of devices, and how many there are; None if that is not known.
        pinned: if its pods share a claim, the nodes to one of which all of them go; empty if they can go to any, or if
            more than resources and that claim can keep them off.
    """

    nodes: frozenset[str]
    each: FrozenMap[str, int]
    most: int
    rest: int
    whole: int
    simple: bool
    least: FrozenMap[str, int] = EMPTY
    on_each: int | None = None
    in_domains: FrozenMap[str, int] = EMPTY
    devices: int = 0
    prices: Mapping[str, int] | None = None
    alike_devices: bool = False
    supply: DeviceSupply | None = None
    pinned: frozenset[str] = frozenset()


def takes(pod: Pod) -> FrozenMap[str, int]:
    """Return the resources that a pod takes of a node, including 1 of the node's allowed pods."""
    place = {} if pod.is_claim else {_PODS: 1}
    return FrozenMap({**{name: amount for name, amount in pod_requests(pod.spec).items() if amount}, **place})


class _Wanted:
    """What some workloads with the same possible nodes take: at most, and once nothing terminates any more.

    `spread` are those of them whose pods cannot all be on one node.
    """

    __slots__ = ("most", "spread", "whole")

    def __init__(self) -> None:
        self.most: dict[str, int] = {}
        self.whole: dict[str, int] = {}
        self.spread: list[Demand] = []

    def add(self, demand: Demand) -> None:
        """Add the demand of one more workload."""
        if demand.on_each is not None or demand.in_domains:
            self.spread.append(demand)
        for name, amount in (*demand.each.items(), (DEVICES, demand.devices)):
            self.most[name] = self.most.get(name, 0) + amount * demand.most
            self.whole[name] = self.whole.get(name, 0) + amount * demand.whole


class Residual(dict[str, dict[str, int]]):
    """The remaining amount of each resource of each node; `allocatable` has the full amounts."""

    def __init__(self, allocatable: Mapping[str, FrozenMap[str, int]]) -> None:
        super().__init__({node: dict(amounts) for node, amounts in allocatable.items()})
        self.allocatable = allocatable
        self._sums: dict[tuple[frozenset[str], str], tuple[list[int], list[int]]] = {}
        self._wanted: tuple[Sequence[Demand], dict[frozenset[str], _Wanted]] = ((), {})

    def wanted(self, demands: Sequence[Demand], nodes: frozenset[str]) -> list[_Wanted]:
        """The summed demands that include some of the nodes, one entry for each set of possible nodes."""
        if self._wanted[0] is not demands:
            found: dict[frozenset[str], _Wanted] = {}
            charge(len(demands))
            for demand in demands:
                found.setdefault(demand.nodes, _Wanted()).add(demand)
            self._wanted = demands, found
        return [one for where, one in self._wanted[1].items() if not where.isdisjoint(nodes)]

    def exhausted(self, nodes: frozenset[str], resource: str, request: int, supply: int) -> int:
        """The most of some nodes that have too little of a resource for a request after others took `supply`."""
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
    """For each workload, the (node, resource) pairs that might not suffice for all pods that could go there.

    A node is counted with no more pods than its other resources allow.
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
    """Bounds how much of a resource the pods on a node can take."""

    def __init__(self, demands: Sequence[Demand], allocatable: Mapping[str, FrozenMap[str, int]]) -> None:
        self._demands = demands
        # many workloads may go to the same nodes
        self._numbers = grouped((demand.nodes, number) for number, demand in enumerate(demands))
        self._on = grouped((node, number) for number, nodes in enumerate(self._numbers) for node in nodes)
        self._allocatable = allocatable
        self._known: dict[tuple[object, ...], int] = {}

    def most(self, node: str, name: str) -> int:
        """Return an upper bound of the resource for all pods that fit on the node at once."""
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
    """An upper bound of a workload's pods on a node, by all its resources except one."""
    most = demand.most if demand.on_each is None else demand.on_each
    others = (has.get(other, 0) // amount for other, amount in demand.least.items() if amount and other != name)
    return min([most, *others])


def _packed(demands: Sequence[Demand], counts: Sequence[int], name: str, limit: str, room: int) -> int:
    """How much of a resource the pods of each workload take at most, if they share the room of another resource."""
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

    Others keep it off a node if they leave too little of some resource. They cannot do that on every node if this takes
    more than all their pods take. If all its pods go to one of the `pinned` nodes, they must not be able to do it on
    any. With `at_rest` nothing terminates any more. A rollout that never rests before its end reaches its end.
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
    """How many pods of a workload, of those that can exist at once, cannot be on these nodes."""
    every = demand.whole if at_rest else demand.most
    bounds = [*demand.in_domains.values()] if at_rest else []
    bounds += [demand.on_each] if demand.on_each is not None else []
    return max(0, every - min(bounds) * nodes) if bounds else 0


def greedily(supply: int, prices: Iterable[int]) -> int:
    """Return how many things a supply pays for at most, at their prices; things without a price are included."""
    paid = 0
    for price in sorted(prices):
        if price > supply:
            break
        supply -= max(0, price)
        paid += 1
    return paid
