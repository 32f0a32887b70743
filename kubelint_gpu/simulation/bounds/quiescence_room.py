"""What nodes have left at a rest for a waiting pod, wherever the other bound pods are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations_with_replacement, islice, product
from math import gcd
from sys import maxsize

from kubelint_gpu.budget import SIMULATION, STEPS
from kubelint_gpu.groups import grouped
from kubelint_gpu.simulation.bounds.quiescent_bound import QuiescentBound
from kubelint_gpu.simulation.prepare.demand import DEVICES, greedily
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.work import charge


def refusing_in_all(nodes: Sequence[Mapping[str, int]], pods: Sequence[tuple[int, Mapping[str, int]]]) -> int:
    """The most nodes that can refuse a pod, if the same pods take several resources at once.

    `nodes` has for each node how much of a resource the pods on it must take to block it, without the resources of
    which they never take that much. `pods` are numbers of pods, and what each of them takes. Prices of one node give
    the exchange rates between resources. Each node gives a bound; the lowest counts.
    """
    names = dict.fromkeys(name for one in nodes for name in one)
    lowest = {name: min((one[name] for one in nodes if one.get(name, 0) > 0), default=0) for name in names}
    paid = {tuple(max(one.get(name, 0), lowest[name]) for name in names): None for one in nodes}
    measures = [dict(zip(names, one, strict=True)) for one in islice(paid, SIMULATION.price_ratios)]
    most = min((_refusing(nodes, pods, one) for one in [lowest, *measures]), default=0)
    return most if most < len(nodes) or not nodes or _all_refuse(nodes, pods) else most - 1


def _refusing(
    nodes: Sequence[Mapping[str, int]], pods: Sequence[tuple[int, Mapping[str, int]]], scales: Mapping[str, int]
) -> int:
    """The most nodes that can refuse a pod, with each resource measured in parts of its scale.

    A pod counts on one node by the resource that it takes most of, and at most for the highest price of a node.
    """
    whole = SIMULATION.price_parts

    def weight(taken: Mapping[str, int]) -> int:
        return max((-(-taken.get(name, 0) * whole // scale) for name, scale in scales.items() if scale), default=0)

    costs = [
        min(0 if one <= 0 else one * whole // scales[name] for name, one in here.items()) for here in nodes if here
    ]
    highest = max(costs, default=0)
    return greedily(sum(count * min(weight(taken), highest) for count, taken in pods), costs)


def _all_refuse(nodes: Sequence[Mapping[str, int]], pods: Sequence[tuple[int, Mapping[str, int]]]) -> bool:
    """Whether all nodes can refuse a pod at once, each for one resource; True, too, if there are too many ways to try.

    By linear programming: if the resources can be weighed so that all pods together weigh less than the nodes need,
    they cannot.
    """
    if not all(nodes):
        return False
    alike = grouped((tuple(sorted(here.items())), here) for here in nodes if min(here.values()) > 0)
    if not alike:
        return True
    names = sorted({name for one in alike for name, _ in one})
    merged: Counter[tuple[int, ...]] = Counter()
    for count, takes in pods:
        merged[tuple([takes.get(name, 0) for name in names])] += count
    # of nodes with equal prices it only matters how many refuse for which resource
    choices = [combinations_with_replacement(one, len(found)) for one, found in alike.items()]
    for tried, chosen in enumerate(product(*choices)):
        if tried == SIMULATION.blockades:
            return True
        need = dict.fromkeys(names, 0)
        for resources in chosen:
            for name, price in resources:
                need[name] += price
        if not _fall_short([need[name] for name in names], merged):
            return True
    return False


def _fall_short(need: Sequence[int], pods: Mapping[tuple[int, ...], int]) -> bool:
    """Whether some weights of the resources show that the pods take less than is needed.

    A pod counts for the resource of which it weighs most. The resources that are short become heavier, the others
    lighter.
    """
    weights = {number: SIMULATION.weight // amount for number, amount in enumerate(need) if amount}
    if any(sum(takes[number] * count for takes, count in pods.items()) < need[number] for number in weights):
        return True
    for part in SIMULATION.weighings:
        charge(1 + len(pods) // STEPS.demand)
        supply = dict.fromkeys(weights, 0)
        for takes, count in pods.items():
            heaviest = max(weights, key=lambda number: weights[number] * takes[number])
            supply[heaviest] += count * takes[heaviest]
        total = sum(weights[number] * amount for number, amount in supply.items())
        needed = sum(weight * need[number] for number, weight in weights.items())
        if total < needed:
            return True
        for number, weight in weights.items():
            more = supply[number] * needed < need[number] * total
            weights[number] = weight + weight // part if more else weight - weight // part
    return False


class QuiescentRoom:
    """The room of the nodes for a waiting pod, however the other bound pods are placed."""

    def __init__(
        self,
        situation: Situation,
        wants: Mapping[str, int],
        bounds: Sequence[QuiescentBound],
        position: int,
        once: Collection[str],
    ) -> None:
        """`once` names what each node has once, such as a host port."""
        self._empty = situation.empty
        self._residual = situation.residual
        self._demands = situation.demands
        self._mine = situation.demands[position]
        self._once = once
        self._wants = {name: amount for name, amount in wants.items() if amount}
        self._own = bounds[position]
        self._bounds = bounds

    def refusing(self, nodes: Sequence[str], own: int) -> int:
        """The most of some nodes that can refuse the pod, if `own` other pods of its workload can be on them."""
        reach = [place for place, one in enumerate(self._bounds) if one.most and not one.nodes.isdisjoint(nodes)]
        rivals = [self._bounds[place] for place in reach if self._bounds[place] is not self._own]
        daemons, others = [one for one in rivals if one.on_each], [one for one in rivals if not one.on_each]
        every = [self._own, *others]
        crowd = self._crowd(nodes, every, reach)
        keys = dict.fromkeys(key for one in others for key in one.in_domains)
        domains = {key: self._domains(key, nodes) for key in keys}
        counted = [(self._own, own), *((one, one.most_on(len(nodes), domains)) for one in others)]
        pods = list(chain.from_iterable(one.taken(count) for one, count in counted))
        found: list[dict[str, int]] = [{} for _ in nodes]
        refusing = 0
        for name, amount in self._wants.items():
            each = [one.each.get(name, 0) for one in every]
            step = gcd(*each) or 1 if each == [one.least.get(name, 0) for one in every] else 1
            prices = [-(-price // step) * step for price in self._prices(nodes, name, amount, daemons)]
            for here, price, count in zip(found, prices, crowd, strict=True):
                if price <= count * max(each):
                    here[name] = price
            payable = [here[name] for here in found if name in here]
            # a pod is on one node, and makes no more of it refuse than that one
            highest = max([0, *payable])
            refusing += greedily(sum(count * min(taken.get(name, 0), highest) for count, taken in pods), payable)
        return min(len(nodes), refusing, refusing_in_all(found, pods))

    def _domains(self, key: str, nodes: Sequence[str]) -> int:
        """How many domains of a topology key some nodes are in."""
        here = frozenset(nodes)
        return sum(not here.isdisjoint(names) for names in self._empty.values(key).values())

    def _crowd(self, nodes: Sequence[str], every: Sequence[QuiescentBound], reach: Sequence[int]) -> list[int]:
        """For each node, the most pods of some workloads on it; their devices count if all are of one supply."""
        least = {name: min(one.least.get(name, 0) for one in every) for name in self._wants}
        supplies = [self._mine.supply, *(self._demands[place].supply for place in reach)]
        if len({one and one.number for one in supplies}) > 1:
            least.pop(DEVICES, None)
        limits = [(name, amount) for name, amount in least.items() if amount]
        return [min([maxsize, *(self._free(node, name) // amount for name, amount in limits)]) for node in nodes]

    def _free(self, node: str, name: str) -> int:
        if name == DEVICES:
            supply = self._mine.supply
            return supply.free.get(node, 0) if supply is not None else maxsize
        return max(0, self._residual[node].get(name, int(name in self._once)))

    def _prices(self, nodes: Sequence[str], name: str, amount: int, daemons: Sequence[QuiescentBound]) -> Iterator[int]:
        """For each node, how much of a resource others must take so that too little is left."""
        if name == DEVICES:
            prices = self._mine.prices or {}
            yield from (prices.get(node, 0) for node in nodes)
            return
        for node in nodes:
            free = self._residual[node].get(name, int(name in self._once))
            taken = sum(one.on_each * one.each.get(name, 0) for one in daemons if node in one.nodes)
            yield free - taken - amount + 1
