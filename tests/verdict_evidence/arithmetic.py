"""What workloads take and keep, worked out from the cluster and the controllers alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import gcd

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler import fit
from kubelint_gpu.scheduler.relations import asks, refusers_of, tokens
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod, is_temporary
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.values import Value

Amounts = Mapping[str, int]


class Rival(Value):
    """Pods that may be bound beside a waiting one: how many at most, and where.

    Of each resource one takes `least` to `each`, always a multiple of `step`.
    """

    count: int
    nodes: frozenset[str] | None
    each: Amounts
    least: Amounts
    step: Amounts


def taken(pod: Pod) -> dict[str, int]:
    """What a pod takes of its node, its place among the node's pods included."""
    place = {} if pod.is_claim else {"pods": 1}
    return {**{name: amount for name, amount in pod_requests(pod.spec).items() if amount}, **place}


def pods_of(one: WorkloadChange) -> tuple[Pod, ...]:
    """The pods of a workload that a moment of its rollout may have."""
    return (*one.pods, *one.waiting)


def free_of(situation: Situation) -> dict[str, dict[str, int]]:
    """What the pods that stay leave of each node that is there for certain."""
    left = {node.name: dict(node.allocatable) for node in situation.cluster.nodes}
    for pod in situation.fixed:
        for name, amount in taken(pod).items() if pod.spec.node_name in left else ():
            left[pod.spec.node_name][name] = left[pod.spec.node_name].get(name, 0) - amount
    return left


def takers(situation: Situation, position: int) -> frozenset[str]:
    """The nodes that take a new pod of a workload when nothing else runs."""
    return frozenset(fit(created_pod(situation.participants[position].new, "new"), situation.empty).takers)


def counts_decide(situation: Situation, position: int) -> bool:
    """Whether nothing but the resources of a node keeps a new pod of a workload off a node that takes it."""
    one, cluster = situation.participants[position], situation.cluster
    new = created_pod(one.new, "new")
    others = [pod for place, other in enumerate(situation.participants) if place != position for pod in pods_of(other)]
    if one.controller.has_own_claims(cluster) or asks(new) or new.spec.resource_claims:
        return False
    return not refusers_of((*others, *situation.fixed), cluster)(new) and not any(
        quota.covers(new) for quota in cluster.quotas
    )


def nobody_evicts(situation: Situation) -> bool:
    """Whether no pod of a workload could evict another one, or one that stays."""
    specs = [pod.spec for one in situation.participants for pod in pods_of(one)]
    able = [spec.priority or 0 for spec in specs if spec.preemption_policy != "Never"]
    lowest = min(spec.priority or 0 for spec in (*specs, *(pod.spec for pod in situation.fixed)))
    return not able or max(able) <= lowest


def nobody_ends(situation: Situation) -> bool:
    """Whether no pod that runs ends by itself, and no node joins."""
    return situation.grown is None and not any(map(is_temporary, situation.fixed))


def rivals(situation: Situation, position: int, moving: frozenset[int]) -> Iterator[Rival]:
    """All pods that may be bound once nothing moves and a new pod of a workload waits.

    At such a moment a controller has as many pods as it wants, and no fewer go; those of `moving` change, too.
    """
    for place, one in enumerate(situation.participants):
        most = max(one.before, one.replicas) if place not in moving or one.controller.keeps_surplus else one.replicas
        most += one.controller.surplus(one.replicas)
        if place == position:
            # a Deployment that may miss none has all its old ones; one that may has let an old one go
            most = one.replicas if one.rolling and one.controller.keeps(one.replicas) >= one.replicas > 0 else 0
            most = max(most, one.replicas - 1) + one.controller.surplus(one.replicas)
            most = max(most, one.before) if one.controller.keeps_surplus else most
        yield _rival(most + len(one.waiting), [taken(pod) for pod in pods_of(one)])
    for place, gone in enumerate(situation.driven):
        for displaced in gone if place != position else ():
            each = displaced.demand.each
            yield Rival(displaced.demand.most, displaced.demand.nodes, each, {}, dict.fromkeys(each, 1))
    for pod in situation.queued:
        yield _rival(1, [taken(pod)])


def _rival(count: int, amounts: list[dict[str, int]]) -> Rival:
    names = {name for one in amounts for name in one}
    each = {name: max(one.get(name, 0) for one in amounts) for name in names}
    least = {name: min(one.get(name, 0) for one in amounts) for name in names}
    return Rival(count, None, each, least, {name: gcd(*(one.get(name, 0) for one in amounts)) for name in names})


def cost_of_refusing(
    situation: Situation, position: int, moving: frozenset[int], nodes: frozenset[str]
) -> dict[str, tuple[int, list[int]]]:
    """For each resource of a new pod: what all rivals take of it at most, and what they must take of each node, sorted.

    Rivals whose pods all take a multiple of something take a multiple of it of a node. A node on which even as many as
    its other resources hold cannot take it is left out.
    """
    others = [one for one in rivals(situation, position, moving) if one.nodes is None or one.nodes & nodes]
    others = [one for one in others if one.count]
    free = free_of(situation)
    least = {
        name: min((one.least.get(name, 0) for one in others), default=0)
        for name in {name for left in free.values() for name in left}
    }
    every = sum(one.count for one in others)
    holds = {
        node: min([every, *(max(0, free[node].get(name, 0)) // amount for name, amount in least.items() if amount)])
        for node in nodes
    }
    found = {}
    for name, amount in taken(created_pod(situation.participants[position].new, "new")).items():
        supply = sum(one.count * one.each.get(name, 0) for one in others)
        most = max((one.each.get(name, 0) for one in others), default=0)
        step = gcd(*(one.step.get(name, 0) for one in others)) or 1
        prices = {node: -(-max(0, free[node].get(name, 0) - amount + 1) // step) * step for node in nodes}
        found[name] = supply, sorted(price for node, price in prices.items() if price <= holds[node] * most)
    return found


def places(situation: Situation, position: int) -> dict[str, int]:
    """How many new pods of a workload the resources of each node that takes them hold beside the pods that stay."""
    free, asked = free_of(situation), taken(created_pod(situation.participants[position].new, "new"))
    return {
        node: min(max(0, free[node].get(name, 0)) // amount for name, amount in asked.items())
        for node in takers(situation, position)
        if node in free
    }


def kept_places(situation: Situation, position: int, moving: frozenset[int]) -> tuple[int, int]:
    """How many of these places others hold at every moment, and how many the old pods of the workload itself do.

    A pod that takes several times as much of everything holds as many; one that can be elsewhere holds none.
    """
    asked = taken(created_pod(situation.participants[position].new, "new"))
    nodes = takers(situation, position)
    others = own = 0
    for place, one in enumerate(situation.participants):
        if one.daemons or one.temporary or not one.existing or not situation.demands[place].nodes <= nodes:
            continue
        keeps = min(one.before, one.replicas) if place in moving else one.before
        if one.rolling and (place in moving or place == position):
            keeps = min(keeps, max(0, one.controller.keeps(one.replicas)))
        weight = min(taken(pod).get(name, 0) // amount for pod in pods_of(one) for name, amount in asked.items())
        if place == position:
            own = keeps * weight
        else:
            others += keeps * weight
    return others, own


def is_no_larger(situation: Situation, position: int, simulation: Simulation) -> bool:
    """Whether a new pod of a workload fits wherever an old one was: on nodes that do not look at each other it asks no
    more; else filters see both alike, and one pod at most is missing at a time.
    """
    one, cluster = situation.participants[position], situation.cluster
    new = created_pod(one.new, "new")
    before = (created_pod(one.old, "old"), *one.running)
    if any(quota.covers(new) for quota in cluster.quotas) or new.spec.pod_affinity or one.controller.node_bound:
        return False
    if not simulation.local:
        singly = one.controller.replaces_singly(one.replicas, cluster.version)
        return singly and not one.running and simulation.places.are_alike(simulation.pod_types.members[position])
    asked, wide = taken(new), takers(situation, position)
    here = frozenset().union(*(fit(pod, situation.empty).takers for pod in before[:1]))
    here |= {pod.spec.node_name for pod in one.running}
    return here <= wide and all(
        set(tokens(new)) <= set(tokens(pod))
        and all(taken(pod).get(name, 0) >= amount for name, amount in asked.items())
        for pod in before
    )
