"""What the workloads of all units ask for at rest, and while Jobs run, beside what a cluster has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from kubelint_gpu.groups import grouped, summed
from kubelint_gpu.inventory.gpus.gpu_models import is_accelerator, model_of
from kubelint_gpu.kube.objects.quota import pod_charge
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.values.quantity import ONE
from kubelint_gpu.messages.wording import amount, bare, listed, owner_names, verb
from kubelint_gpu.scheduler.framework.plugin import Code
from kubelint_gpu.values import Value
from kubelint_gpu.work import UsedUp
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.workload_check import WorkloadCheck


class _Scope(NamedTuple):
    """A resource on one node, under one quota, or on all nodes with some models."""

    resource: str
    node: str
    quota: str
    models: tuple[str, ...]


class RestingDemand(Value):
    """The GPUs that a workload holds at rest.

    Attributes:
        workload: its key.
        resource: what its pods ask for.
        amount: how much all of them ask for.
        node: the only node that takes them; else empty.
        models: the GPU models of the nodes that take them.
        ends: whether its pods end by themselves, so that it holds them only for a time.
        quota: `namespace/name` of the quota that counts them; else empty.
        allowed: how much the quota allows.
    """

    workload: str
    resource: str
    amount: int
    node: str
    models: tuple[str, ...]
    ends: bool = False
    quota: str = ""
    allowed: int = 0


def demands_of(unit: ApplySet) -> tuple[RestingDemand, ...]:
    """Return what a unit surely asks for; nothing of what may go to nodes that are not declared.

    A DaemonSet asks for nothing: it has a pod where there is room.
    """
    found: list[RestingDemand] = []
    with suppress(UsedUp):
        for subject in unit.subjects:
            workload = subject.workload
            # how the pods of a known custom resource are replaced does not matter here
            unsure = workload.by_shape if workload.custom else workload.approximate
            if workload.replicas and subject.places_pods and subject.admitted and not unsure:
                found += () if subject.controller.node_bound else (*_of_quotas(unit, subject), *_of(unit, subject))
    return tuple(found)


def _of_quotas(unit: ApplySet, subject: WorkloadCheck) -> Iterator[RestingDemand]:
    workload, charge, ends = subject.workload, pod_charge(subject.pod.spec), subject.controller.runs_to_completion
    for quota in unit.cluster.quotas:
        name = f"{quota.meta.namespace}/{quota.meta.name}"
        for key in filter(charge.get, quota.counted if quota.covers(subject.pod) else ()):
            if is_accelerator(key.removeprefix("requests.")):
                asked = charge[key] // ONE * workload.replicas
                yield RestingDemand(workload.key, key, asked, "", (), ends, name, quota.hard[key] // ONE)


def _of(unit: ApplySet, subject: WorkloadCheck) -> Iterator[RestingDemand]:
    controller, workload = subject.controller, subject.workload
    asked = {name: number for name, number in pod_requests(subject.pod.spec).items() if is_accelerator(name) and number}
    if not unit.has_nodes or not asked or not unit.is_closed_to(subject):
        return
    fit = unit.alone(subject).fit
    if fit is None or any(one.status is not None and one.status.code is Code.UNKNOWN for one in fit.classes):
        return
    takers = set(fit.takers)
    nodes = [one for one in unit.world.base.nodes if one.name in takers]
    models = tuple(sorted({model_of(node) for node in nodes}))
    for resource, number in sorted(asked.items()):
        # what a node does not count may come of devices for claims
        if 0 < len(nodes) == len(takers) and all(node.allocatable.get(resource, 0) >= number for node in nodes):
            name = nodes[0].name if len(nodes) == 1 else ""
            yield RestingDemand(
                workload.key, resource, number * workload.replicas, name, models, controller.runs_to_completion
            )


def shortages(units: Sequence[ApplySet], demands: Sequence[Sequence[RestingDemand]]) -> tuple[str, ...]:
    """Return for each cluster a sentence if units together ask for more than it has, and none of them by itself.

    A workload that several units declare, such as the overlays of a base that keep its name and namespace, counts once,
    with the most that one of them asks for. Jobs alone queue.
    """
    worlds = grouped((unit.world, some) for unit, some in zip(units, demands, strict=True) if some)
    found = (_shortage(world, members) for world, members in worlds.items() if len(members) > 1)
    return tuple(text for text in found if text)


def _shortage(world: ClusterContext, members: Sequence[Sequence[RestingDemand]]) -> str:
    """Return the sentence about the fewest nodes that have too little, or about a quota; empty if all have enough."""
    nodes = {one.name: one for one in world.base.nodes}
    every = [(number, one) for number, demands in enumerate(members) for one in demands]
    counted = grouped((scope, (number, one)) for number, one in every for scope in _scopes(one))
    for scope in sorted(counted, key=lambda one: (bool(one.quota), not one.node, len(one.models), one)):
        resource, models = scope.resource, scope.models
        mine = [(number, one) for number, one in every if _is_inside(one, scope)] if models else counted[scope]
        inside = [one for one in nodes.values() if one.name == scope.node or model_of(one) in models]
        has = max(one.allowed for _, one in mine) or sum(one.allocatable.get(resource, 0) for one in inside)
        if max(summed((number, one.amount) for number, one in mine).values()) > has:
            continue
        most = {one.workload: (number, one) for number, one in sorted(mine, key=lambda pair: pair[1].amount)}
        needed = sum(one.amount for _, one in most.values())
        if has < needed and not all(one.ends for _, one in most.values()):
            where = f"on {scope.node}" if scope.node else f"on nodes with {listed(models, 'or')}"
            where = f"of ResourceQuota {scope.quota}" if scope.quota else where
            if has == sum(one.allocatable.get(resource, 0) for one in nodes.values()):
                where = "in the cluster"
            where = f"{where} {world.name}" if world.name else where
            return _sentence([*most.values()], resource, where, has)
    return ""


def _sentence(demands: Sequence[tuple[int, RestingDemand]], resource: str, where: str, has: int) -> str:
    """Return that demands, each with the number of its unit, are more than there is, and what Jobs hold of it."""
    units, runs = len({unit for unit, _ in demands}), [one for _, one in demands if one.ends]
    needed, held = sum(one.amount for _, one in demands), sum(one.amount for one in runs)
    names = list(dict.fromkeys(one.workload.partition(" (")[0] for one in runs))
    part = f" ({held} of them while {owner_names(names)} {verb('run', len(names))})" if runs else ""
    stay = "stay Pending" if has < needed - held else "wait until a Job ends"
    has_it, stay = ("allows", "are refused") if demands[0][1].quota else ("has", stay)
    return (
        f"{units} units together ask for {amount(resource, needed)}{part} {where}, which "
        f"{has_it} {bare(resource, has)}: if all are applied, pods {stay}. kubelint-gpu capacity says which."
    )


def _scopes(demand: RestingDemand) -> Iterator[_Scope]:
    if demand.quota:
        yield _Scope(demand.resource, "", demand.quota, ())
    if demand.node:
        yield _Scope(demand.resource, demand.node, "", ())
    if demand.models:
        yield _Scope(demand.resource, "", "", demand.models)


def _is_inside(demand: RestingDemand, scope: _Scope) -> bool:
    """Whether pods can go nowhere but to nodes with the models of a scope; false for what a quota counts."""
    return demand.resource == scope.resource and bool(demand.models) and set(demand.models) <= set(scope.models)
