"""How many pods of a workload find places, and why no more do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from operator import ge

from kubelint_gpu.analysis.beyond.cluster_beyond import cluster_beyond
from kubelint_gpu.analysis.scaling import replicas_of
from kubelint_gpu.kube.objects.quota import QuotaRefusal, quota_refusal
from kubelint_gpu.scheduler import Attempt, Snapshot, Status, attempt
from kubelint_gpu.scheduler.placement.filling import first_without_node, reasons_of
from kubelint_gpu.simulation.controllers import daemon_nodes
from kubelint_gpu.simulation.growth import fully_grown
from kubelint_gpu.simulation.prepare.workload_change import created_pod, own_pods, owned_pod, pods_of_others
from kubelint_gpu.simulation.questions.most_pods import placed_beside
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import UsedUp, of_group
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


class Room(Value):
    """How many pods of a workload find places at most.

    Attributes:
        pods: their number, or all that were asked for if that is not known.
        known: whether this is certain.
        beside: workloads that are placed with it, because its pods must be near them, or away from them.
        refusal: how a quota refuses the next pod.
        scaled: the number of placed pods of each workload that is scaled with it.
    """

    pods: int
    known: bool = True
    beside: tuple[WorkloadCheck, ...] = ()
    refusal: QuotaRefusal | None = None
    scaled: tuple[int, ...] = ()


def room_for(unit: ApplySet, subject: WorkloadCheck, most: int) -> int:
    """Return how many of its pods, up to `most`, find nodes; `most` if that is unknown."""
    with suppress(UsedUp):
        return counted_room(unit, subject, most).pods
    return most


def room_beside(
    unit: ApplySet, subject: WorkloadCheck, most: int, fixed: Sequence[tuple[WorkloadCheck, int]]
) -> Room | None:
    """Return the room for its pods, up to `most`, beside workloads that keep a number of pods.

    None if they or its written replicas do not fit, or if that is not known.
    """
    least = (subject.workload.replicas, *(number for _, number in fixed))
    with suppress(UsedUp):
        found = counted_room(unit, subject, most, scaled=fixed)
        return found if found.known and all(map(ge, (found.pods, *found.scaled), least)) else None
    return None


def counted_room(
    unit: ApplySet,
    subject: WorkloadCheck,
    most: int,
    *,
    further: bool = False,
    scaled: Sequence[tuple[WorkloadCheck, int]] = (),
) -> Room:
    """How many of its pods, up to `most`, find places beside the running pods of the inventory.

    Pools have grown to their limits; with `further` there are nodes beyond the inventory, too. Other applied workloads
    count if its pods must be near them or away from them, with the best number of replicas for it, and if they are
    `scaled` to a number.
    """
    from kubelint_gpu.analysis import coupled

    declared = cluster_beyond(unit).cluster.nodes if further else unit.cluster.nodes
    enough = most + sum(number for _, number in scaled)
    cluster = fully_grown(replace(unit.cluster, nodes=declared), unit.growth, enough)
    at_once = [replace(one.workload, replicas=number) for one, number in scaled]
    bound = [one for one in coupled.bound_to(unit, subject) if one.key not in {other.key for other, _ in scaled}]
    room = Room(0, beside=tuple(bound))
    for end in (0, 1):
        numbers = [replicas_of(unit, one)[end] for one in bound]
        if end and all(low == high for low, high in (replicas_of(unit, one) for one in bound)):
            break
        beside = [replace(one.workload, replicas=number) for one, number in zip(bound, numbers, strict=True)]
        with of_group(1, 4):
            found = placed_beside(subject.workload, cluster, most, beside=[*at_once, *beside])
        if found is None:
            room = replace(room, pods=most, known=False)
        elif found.pods >= room.pods:
            numbers_there = found.beside[: len(at_once)]
            room = replace(room, pods=found.pods, known=room.known or found.pods == most, scaled=numbers_there)
    if room.pods < most and cluster.quotas:
        own = owned_pod(subject.workload, "new")
        others = [(owned_pod(one, "new"), number) for one, number in zip(at_once, room.scaled, strict=False)]
        stay = pods_of_others((subject.workload, *at_once), cluster.pods)
        quotas = [replace(quota, used=None) for quota in cluster.quotas]
        return replace(room, refusal=quota_refusal(own, quotas, stay, [(own, room.pods), *others]))
    return room


def lacking(
    unit: ApplySet, subject: WorkloadCheck, placed: int, nodes: Collection[str]
) -> tuple[str | None, dict[tuple[str, str], tuple[str, ...]], Snapshot]:
    """Why no more than `placed` pods of a workload find a node.

    Returns the scheduler's message, for each reason and short resource the nodes of `nodes` that refuse the pod, and
    the nodes with the placed pods. If pools have grown for this, there is no message: no scheduler reports it today.
    """
    growing = {pool.name for pool in unit.growing_for(subject)}
    whole = fully_grown(unit.cluster, [growth for growth in unit.growth if growth.name in growing], placed + 1)
    snapshot = unit.running if whole is unit.cluster else Snapshot.of(whole)
    found, after = first_without_node(subject.pod, snapshot, placed)
    if found.schedulable:
        return None, {}, after
    return found.message if whole is unit.cluster else None, reasons_of(found, nodes), after


def on_its_node(unit: ApplySet, subject: WorkloadCheck, name: str) -> Attempt:
    """The attempt to schedule its pod for a node beside a pod of each other DaemonSet."""
    mine = [(pod, pod.spec.node_name) for pod in own_pods(subject.workload, unit.cluster.pods)]
    beside = unit.running.without([one for one in mine if unit.running.node(one[1]) is not None])
    for one in unit.subjects:
        new = one is not subject and one.controller.node_bound and not own_pods(one.workload, unit.cluster.pods)
        if new and name in daemon_nodes.daemon_nodes(one.workload.choosing, unit.cluster.nodes):
            beside = beside.place(created_pod(one.workload, "old", one.workload.meta.name), name)
    return attempt(daemon_nodes.pinned_pod(created_pod(subject.workload, "new"), name), beside)


def kept_from(unit: ApplySet, subject: WorkloadCheck, name: str) -> Status | None:
    """Why that node refuses its pod; None if it takes it."""
    found = on_its_node(unit, subject, name)
    return found.fit.rejections.get(name) if found.fit is not None else None
