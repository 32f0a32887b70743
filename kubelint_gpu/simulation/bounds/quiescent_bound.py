"""What can be bound of a workload at a rest, and what nodes and quotas then have left for one more pod."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations_with_replacement, islice, product
from math import gcd
from sys import maxsize

from kubelint_gpu.budget import SIMULATION, STEPS
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import pod_charge
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler.relations import tokens
from kubelint_gpu.simulation.model.quota_use import admission_of
from kubelint_gpu.simulation.prepare.demand import DEVICES, greedily, takes
from kubelint_gpu.simulation.prepare.revisions import is_of
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge

APART = "no other pod that it keeps away or that keeps it away"


class QuiescentBound(Value):
    """Upper and lower bounds of what can be bound of one workload at a rest.

    Attributes:
        nodes: the nodes that its pods can be on.
        each: the most that one of its pods takes, with host ports and anti-affinity counted as resources.
        each_new: the most that one of its new pods takes.
        least: the least that one of its pods takes.
        most: the most pods.
        old: the most old pods among these.
        on_each: for a DaemonSet, the most pods on one node; otherwise 0.
        apart: the most pods on one node.
        in_domains: by topology key, the most pods in one domain.
        pods: its old, its new and its running pods.
    """

    nodes: frozenset[str]
    each: Mapping[str, int]
    each_new: Mapping[str, int]
    least: Mapping[str, int]
    most: int
    old: int
    on_each: int
    apart: int
    pods: tuple[Pod, ...]
    in_domains: Mapping[str, int] = EMPTY

    def most_on(self, nodes: int, domains: Mapping[str, int]) -> int:
        """The most of these pods on a number of nodes, which are in so many domains of each topology key."""
        spread = [most * domains[key] for key, most in self.in_domains.items() if key in domains]
        return min([self.most, self.apart * nodes, *spread])

    def taken(self, count: int) -> tuple[tuple[int, Mapping[str, int]], ...]:
        """How many of `count` pods are old ones and new ones, and the most that one of them takes."""
        old = min(self.old, count)
        return (old, self.each), (count - old, self.each_new)


def quotas_let(
    situation: Situation, bounds: Sequence[QuiescentBound], position: int, bound_at_rest: frozenset[int]
) -> bool:
    """Whether the quotas admit one more pod at a rest, with the pods of those in `bound_at_rest` bound."""
    new, cluster = bounds[position].pods[1], situation.cluster
    quotas = [quota for quota in cluster.quotas if quota.covers(new)]
    if not quotas:
        return True
    if situation.queued or any(one.on_each and any(map(quota.covers, one.pods)) for one in bounds for quota in quotas):
        return False
    use = admission_of(quotas, (*situation.fixed, *(pod for pod in cluster.pods if pod.finished)))
    kinds = [
        {(pod_charge(pod.spec), *(quota.covers(pod) for quota in quotas)): (pod, made) for pod in one.pods}
        for one, made in zip(bounds, _made(situation, bounds, bound_at_rest), strict=True)
    ]
    return use.refusal(new, [counted for found in kinds for counted in found.values()]) is None


def _made(situation: Situation, bounds: Sequence[QuiescentBound], bound_at_rest: frozenset[int]) -> Iterator[int]:
    """For each participant, the most pods that can exist at a rest, Pending ones included."""
    for place, (one, bound) in enumerate(zip(situation.participants, bounds, strict=True)):
        if place in bound_at_rest:
            yield bound.most
        else:
            yield max(one.before, one.replicas) + one.controller.surge(one.replicas) + len(one.waiting)


def wants_of(pod: Pod) -> dict[str, int]:
    """Return a pod's demand on a node: its requests, and 1 of each exclusive thing, such as a host port."""
    return {**takes(pod), **dict.fromkeys(tokens(pod), 1)}


def bound_of(
    situation: Situation,
    position: int,
    apart: Sequence[bool],
    *,
    waits: bool,
    rolls: bool,
    moment: bool = False,
    free: bool = False,
) -> QuiescentBound:
    """Return bounds of what can be bound of a participant.

    It `rolls`, or it `waits` for a node with one of its new pods. With `moment` the bounds hold at any moment, not only
    at a rest. A `free` participant may do anything.
    """
    mine = situation.participants[position]
    demand, pods = situation.demands[position], mine.pods
    taken = [
        {**wants_of(pod), APART: int(kept), DEVICES: demand.devices} for pod, kept in zip(pods, apart, strict=True)
    ]
    of_new = [
        one
        for number, (pod, one) in enumerate(zip(pods, taken, strict=True))
        if number == 1 or (number > 1 and is_of(pod, mine.new) is not False)
    ]
    names = frozenset().union(*taken)
    least = {name: min(one.get(name, 0) for one in taken) for name in names}
    each = {name: max(one.get(name, 0) for one in taken) for name in names}
    each_new = {name: max(one.get(name, 0) for one in of_new) for name in names}
    # the Deployment controller scales before it rolls: at a rest nobody has more than the replicas wanted
    most, keeps = mine.replicas if rolls else max(mine.before, mine.replicas), mine.controller.keeps_until_ready
    most += mine.controller.surplus(mine.replicas)
    if waits and mine.daemons:
        # on the node of the new pod that waits
        most = int(keeps(mine.replicas))
    elif waits and rolls:
        most -= 0 if keeps(mine.replicas) else 1
    if moment or free:
        most = (demand.most if moment else demand.whole) - waits
    old = mine.controller.old_at_rest(mine.replicas) if rolls and not moment else most
    on_each = (demand.on_each or 1 if moment else 1) if mine.daemons else 0
    if demand.supply is None or demand.supply.each != demand.devices:
        least.pop(DEVICES, None)
    apart_at_most = maxsize if demand.on_each is None else demand.on_each
    spread = EMPTY if moment else demand.in_domains
    return QuiescentBound(demand.nodes, each, each_new, least, max(0, most), old, on_each, apart_at_most, pods, spread)


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
    for count, amounts in pods:
        merged[tuple([amounts.get(name, 0) for name in names])] += count
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
        for amounts, count in pods.items():
            heaviest = max(weights, key=lambda number: weights[number] * amounts[number])
            supply[heaviest] += count * amounts[heaviest]
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
