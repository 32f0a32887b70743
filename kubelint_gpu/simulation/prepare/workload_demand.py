"""The demand of one workload's pods at any moment of its change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import is_served_by_devices
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.selectors import LabelSelector
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.companions import HOSTNAME
from kubelint_gpu.simulation.prepare.coupling import keep_apart
from kubelint_gpu.simulation.prepare.demand import Demand, takes
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, anonymous
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.scheduler.plugins.dynamic_resources.device_room import DeviceRoom


def demand_of(
    participant: WorkloadChange,
    pods: tuple[Pod, Pod],
    mine: frozenset[str],
    everywhere: Snapshot,
    eligible_for: Callable[[Pod], frozenset[str]],
    rooms: Sequence[DeviceRoom],
    *,
    simple: bool,
    alone: Callable[[LabelSelector], bool],
) -> Demand:
    """The demand of a workload with an old and a new pod; `mine` are the nodes that take the new one.

    `everywhere` has all nodes including those that may join, and `eligible_for` returns those that take another pod.
    `simple` says that only resources keep pods off. `alone` tells whether a selector matches no pod of other workloads.
    """
    controller, (old, new) = participant.controller, pods
    before, after = participant.before, participant.replicas
    # the two pods of a node are no surplus: when nothing moves any more, it has one
    surge = 0 if participant.daemons else controller.surge(after)
    surplus = controller.surplus(after)
    waits_first = participant.daemons or surplus or not controller.keeps_until_ready(after)
    lacking = int(waits_first and (participant.rolling or controller.has_replica_sets))
    unequal = before != after
    each, least = _amounts(participant, pods)
    before_at = mine
    if participant.old is not participant.new:
        before_at = eligible_for(old)
    nodes = mine | before_at | {pod.spec.node_name for pod in participant.running}
    for pod in participant.waiting:
        nodes |= eligible_for(anonymous(pod))
    waits = len(participant.waiting)
    whole = max(before, after) + (surge if unequal else surplus) + waits
    rest = whole if unequal else max(0, after + surplus - lacking) + waits
    if participant.ends_by_itself:
        rest = whole = 0
    room = rooms[-1] if rooms and new.spec.resource_claims else None
    simple = nodes == mine == before_at and not participant.daemons and simple
    demand = Demand(
        nodes=nodes,
        each=each,
        most=2 * before + after + surge + waits,
        rest=rest,
        whole=whole,
        simple=simple and room is None,
        least=least,
        on_each=SIMULATION.daemons_on_a_node
        if participant.daemons
        else _at_most_one(participant, pods, nodes, everywhere),
        in_domains=_in_domains(participant, pods, mine & before_at, everywhere, alone),
        devices=max(
            [*(one.most for one in rooms), *(_parts_held(pod, rooms) for pod in participant.running)], default=0
        ),
    )
    if room is None:
        return demand
    return replace(
        demand,
        prices=room.prices if simple and not room.pinned else None,
        pinned=frozenset(room.prices) if simple and room.pinned else frozenset(),
        alike_devices=room.alike,
        supply=room.supply if all(one.supply == room.supply for one in rooms) else None,
    )


def _amounts(participant: WorkloadChange, pods: tuple[Pod, Pod]) -> tuple[FrozenMap[str, int], FrozenMap[str, int]]:
    """The most and the least that one of its pods takes of each resource."""
    amounts = [takes(pod) for pod in (*pods, *participant.running, *participant.waiting)]
    each: dict[str, int] = {}
    for one in amounts:
        for name, amount in one.items():
            each[name] = max(amount, each.get(name, 0))
    # what devices may serve a pod with claims does not take of its node
    either = any(pod.spec.resource_claims for pod in pods)
    counted = [name for name in each if not (either and is_served_by_devices(name))]
    return FrozenMap(each), FrozenMap({name: min(one.get(name, 0) for one in amounts) for name in counted})


def _parts_held(pod: Pod, rooms: Sequence[DeviceRoom]) -> int:
    """How many devices a running pod holds; parts of one device count once."""
    parts = rooms[0].parts if rooms else {}
    return sum(len({parts.get(device.id, device.id) for device in one.devices}) for _, one in pod.allocations)


def _at_most_one(one: WorkloadChange, pods: tuple[Pod, Pod], nodes: Iterable[str], everywhere: Snapshot) -> int | None:
    """1 if its pods never share a node; None if they can, or if some of them already do."""
    every = (*pods, *one.running, *one.waiting)
    there = [pod.spec.node_name for pod in one.running]
    if len(set(there)) < len(there) or not all(pod.spec.pod_anti_affinity for pod in every):
        return None
    if any(info is None or HOSTNAME not in info.node.labels for info in map(everywhere.node, nodes)):
        return None
    unlike = {(pod.meta.labels, pod.spec.pod_anti_affinity): pod for pod in every}
    return 1 if keep_apart(tuple(unlike.values()), everywhere) else None


def _in_domains(
    one: WorkloadChange,
    pods: tuple[Pod, Pod],
    nodes: frozenset[str],
    everywhere: Snapshot,
    alone: Callable[[LabelSelector], bool],
) -> FrozenMap[str, int]:
    """By topology key, an upper bound of its pods in one topology domain once nothing terminates.

    PodTopologySpread (kube-scheduler 1.33 to 1.35) takes a pod only if its domain then has at most maxSkew more than
    the one with the fewest, and that has no more than their mean. Terminating pods do not count.
    """
    if one.daemons or one.running or one.waiting or not nodes:
        return EMPTY
    every = max(one.before, one.replicas) + one.controller.surge(one.replicas)
    bounds: dict[str, int] = {}
    for rule in pods[1].spec.spread:
        if not rule.do_not_schedule or rule.match_label_keys or rule not in pods[0].spec.spread:
            continue
        # an empty selector counts no pods, although it matches them
        if rule.selector is None or not rule.selector.requirements:
            continue
        if not all(rule.selector.matches(pod.meta.labels) for pod in pods):
            continue
        domains = sum(not nodes.isdisjoint(names) for names in everywhere.values(rule.topology_key).values())
        if domains and alone(rule.selector):
            most = every // domains + rule.max_skew
            bounds[rule.topology_key] = min(most, bounds.get(rule.topology_key, most))
    return FrozenMap(bounds)


def rooms_of(
    participants: Sequence[WorkloadChange], pods: Sequence[tuple[Pod, Pod]], rest: Sequence[Pod], cluster: Cluster
) -> dict[int, list[DeviceRoom]]:
    """Return, for each workload with claims, the facts that bounds need about the devices of its old and new pods."""
    asking = [one for one in participants if one.old.spec.resource_claims or one.new.spec.resource_claims]
    if not asking or not cluster.devices_known or any(one.daemons for one in asking):
        return {}
    from kubelint_gpu.scheduler.plugins.dynamic_resources.device_room import device_rooms

    every, most = [pod for both in pods for pod in both], sum(one.before + one.replicas for one in asking)
    found = device_rooms(every, rest, cluster, most)
    return grouped((place // 2, room) for place, room in found.items())
