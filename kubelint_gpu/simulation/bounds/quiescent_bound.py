"""What can be bound of a workload at a rest, and whether quotas admit one more pod beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from sys import maxsize

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import pod_charge
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler.relations import tokens
from kubelint_gpu.simulation.model.quota_use import admission_of
from kubelint_gpu.simulation.prepare.demand import DEVICES, takes
from kubelint_gpu.simulation.prepare.revisions import is_of
from kubelint_gpu.simulation.search.situation import Situation
from kubelint_gpu.values import Value

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
