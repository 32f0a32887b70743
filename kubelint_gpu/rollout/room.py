"""Cheap exact bounds: they decide without a search where a search could only say the same.

All of them count for one pod against everything that could be alive beside it, wherever that might be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kubelint_gpu.kube.frozen import FrozenMap
from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.requests import pod_requests

_PODS = "pods"


@dataclass(frozen=True, slots=True)
class Demand:
    """The pods of one workload: where they may go, what one takes, and how many can be alive at once.

    `simple` says that nothing but resources of a node can keep such a pod off a node that is eligible.
    """

    nodes: frozenset[str]
    each: FrozenMap[str, int]
    most: int
    simple: bool


def takes(pod: Pod) -> FrozenMap[str, int]:
    """What a pod takes of a node, its place among the node's pods included."""
    return FrozenMap({**{name: amount for name, amount in pod_requests(pod.spec).items() if amount}, _PODS: 1})


Residual = Mapping[str, Mapping[str, int]]


def contended(demands: Sequence[Demand], residual: Residual) -> tuple[frozenset[tuple[str, str]], ...]:
    """Per workload, the (node, resource) pairs of which there might not be enough for all that could want it there."""
    total: dict[tuple[str, str], int] = {}
    for demand in demands:
        for node in demand.nodes:
            for resource, amount in demand.each.items():
                total[node, resource] = total.get((node, resource), 0) + amount * demand.most
    scarce = {key for key, wanted in total.items() if wanted > residual[key[0]].get(key[1], 0)}
    return tuple(
        frozenset((node, resource) for node in demand.nodes for resource in demand.each if (node, resource) in scarce)
        for demand in demands
    )


def components(demands: Sequence[Demand], residual: Residual) -> tuple[int, ...]:
    """Per workload, the number of its group: workloads that can compete for something are in one group."""
    group = list(range(len(demands)))

    def root(number: int) -> int:
        while group[number] != number:
            group[number] = group[group[number]]
            number = group[number]
        return number

    first: dict[tuple[str, str], int] = {}
    for number, pairs in enumerate(contended(demands, residual)):
        for pair in pairs:
            group[root(number)] = root(first.setdefault(pair, number))
    # what is not simple (spreading, affinity, ports, volumes) may look at any pod on a node it shares
    for number, demand in enumerate(demands):
        if not demand.simple:
            for other, another in enumerate(demands):
                if demand.nodes & another.nodes:
                    group[root(other)] = root(number)
    return tuple(root(number) for number in range(len(demands)))


def always_room(number: int, demands: Sequence[Demand], residual: Residual) -> bool:
    """Whether a pod of this workload finds a node however all others are placed.

    To keep it off a node, others must take so much of some resource that what is left is too little;
    together they cannot do that on every node if it would take more than there are pods to take it.
    """
    mine = demands[number]
    if not mine.simple or not mine.nodes:
        return False
    blocked = 0
    for resource, request in mine.each.items():
        supply = sum(
            demand.each.get(resource, 0) * (demand.most - (other == number))
            for other, demand in enumerate(demands)
            if demand.each.get(resource, 0) and demand.nodes & mine.nodes
        )
        for price in sorted(residual[node].get(resource, 0) - request + 1 for node in mine.nodes):
            if price <= 0:
                blocked += 1
            elif price <= supply:
                supply -= price
                blocked += 1
            else:
                break
    return blocked < len(mine.nodes)
