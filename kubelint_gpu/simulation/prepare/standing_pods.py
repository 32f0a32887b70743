"""Pods that run although no node would take them today: it was cordoned or tainted since, or lost its devices.

No filter looks at running pods. If the node of such a pod is not known, it is assumed to be where it could go before.
Pods that name an allocated claim run where its devices are: otherwise the claim would have been deallocated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.patterns import pattern
from kubelint_gpu.scheduler import Snapshot, behaviour, fit
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.ordinals import first_ordinal_of, ordinal_pod, with_claims
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod, own_pods
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import Allocation

_OF_CONDITIONS = "node.kubernetes.io/"
"""What the keys of those taints begin with that Kubernetes sets itself."""
_NUMBERED = pattern(r"(.*?-)(\d+)(-.*)?")
"""The name of a device or of a part of one, as of `gpu-0` and `gpu-0-mig-1g5gb-19-0`."""


def with_standing_pods(one: WorkloadChange, cluster: Cluster) -> WorkloadChange:
    """A workload with its pods that could not be on their nodes today, or that a claim binds to one node.

    Of pods that no claim binds, only those that a workload with ordinals keeps.
    """
    if not (one.known and one.existing) or one.daemons or one.temporary:
        return one
    allocated = _allocated(created_pod(one.old, "old"), cluster)
    if not allocated and not (one.keeps and one.controller.has_ordinals):
        return one
    cluster = _with_idle(cluster, allocated)
    today = Snapshot.of(replace(cluster, pods=()))
    before: Snapshot | None = None
    found: list[Pod] = []
    for pod in _unseen(one, (*one.running, *one.waiting), cluster):
        if not allocated and fit(pod, today).schedulable:
            continue
        before = as_before(pod, cluster) if before is None else before
        nodes = fit(pod, before).takers
        if nodes and (len(nodes) == 1 or not allocated):
            found.append(replace(_running(pod, nodes[0]), allocations=allocated))
            before = before.place(found[-1], nodes[0])
    return replace(one, running=(*one.running, *found)) if found else one


def _unseen(one: Transition | WorkloadChange, shown: Sequence[Pod], cluster: Cluster) -> Iterator[Pod]:
    """The old pods of a workload that the cluster does not show."""
    old, new = one.old, one.new
    there = {pod.meta.name for pod in shown}
    if not controller_of(new).has_ordinals:
        for number in range(len(there), old.replicas):
            yield created_pod(old, "old", f"{new.meta.name}-{number}")
        return
    first = first_ordinal_of(new)
    for ordinal in range(first, first + old.replicas):
        name = f"{new.meta.name}-{ordinal}"
        if name not in there:
            yield with_claims(ordinal_pod(created_pod(old, "old", name), name, ordinal), new, ordinal, cluster)


def _allocated(pod: Pod, cluster: Cluster) -> tuple[tuple[str, Allocation], ...]:
    """The allocations of the claims that a pod names, although the cluster shows no user of them."""
    if not pod.spec.resource_claims:
        return ()
    from kubelint_gpu.kube.dra.pod_claims import pod_claims

    names = {f"{pod.meta.namespace}/{claim.claim}" for claim in pod_claims(pod)}
    return tuple((one.key, one.idle) for one in cluster.resource_claims if one.idle is not None and one.key in names)


def _with_idle(cluster: Cluster, allocated: tuple[tuple[str, Allocation], ...]) -> Cluster:
    has = dict(allocated)
    claims = tuple(replace(one, allocation=has.get(one.key, one.allocation)) for one in cluster.resource_claims)
    return replace(cluster, resource_claims=claims) if has else cluster


def where_none_come(transitions: Sequence[Transition], cluster: Cluster) -> Cluster | None:
    """The cluster with old pods of unknown node on nodes that take no new pod; None if no such node exists.

    As many are placed as there is room for, which is one of the possible distributions. Taints other than those for
    node conditions are assumed to be older than the pods.
    """
    found: list[Pod] = []
    today = Snapshot.of(replace(cluster, pods=()))
    for one in transitions:
        controller, pod = controller_of(one.old), created_pod(one.old, "old")
        movable = controller.rolls and not controller.node_bound and one.known and one.existing
        if not movable or own_pods(one.new, cluster.pods) or _allocated(pod, cluster):
            # a claim says where they are
            continue
        takes = {*fit(pod, today).takers}
        if not any(name not in takes for name in fit(pod, as_before(pod, cluster, tainted=False)).takers):
            continue
        before = as_before(pod, cluster, (*cluster.pods, *found), tainted=False)
        for old in _unseen(one, (), cluster):
            name = next((name for name in fit(old, before).fits if name not in takes), None)
            if name is None:
                break
            found.append(_running(old, name))
            before = before.place(found[-1], name)
    return replace(cluster, pods=(*cluster.pods, *found)) if found else None


def _running(pod: Pod, node: str) -> Pod:
    meta, spec = replace(pod.meta, uid=pod.meta.name), replace(pod.spec, node_name=node)
    return replace(pod, meta=meta, spec=spec, phase="Running", ready=True)


def may_leave_devices(transitions: Sequence[Transition], cluster: Cluster) -> bool:
    """Whether pods hold devices only for some seconds, or devices that were tainted or withdrawn since."""
    unseen = any(one.existing and not own_pods(one.new, cluster.pods) for one in transitions)
    if unseen and _may_be_withdrawn(cluster):
        return True
    tainted = {taint for one in cluster.resource_slices for device in one.devices for taint in device.taints}
    tainted |= {rule.taint for rule in cluster.device_taint_rules}
    if not tainted:
        return False
    from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of

    specs = [*(one.spec for one in cluster.claim_templates), *(one.spec for one in cluster.resource_claims)]
    tolerations = [one for spec in specs for query in spec.queries for one in query.tolerations]
    return features_of(behaviour(cluster.version)).betas and any(
        any(one.seconds is not None and one.tolerates(taint) for one in tolerations)
        or (unseen and taint.effect == "NoSchedule")
        for taint in tainted
    )


def _may_be_withdrawn(cluster: Cluster) -> bool:
    """Whether a pool skips device numbers: drivers count devices from 0, and stop publishing an unhealthy one."""
    numbers: dict[tuple[str, str, int, str], set[int]] = {}
    for one in cluster.resource_slices:
        for device in one.devices:
            found = _NUMBERED().fullmatch(device.name)
            if found is not None:
                numbers.setdefault((one.driver, one.pool, one.generation, found[1]), set()).add(int(found[2]))
    return any(max(found) >= len(found) for found in numbers.values())


def as_before(pod: Pod, cluster: Cluster, pods: tuple[Pod, ...] = (), *, tainted: bool = True) -> Snapshot:
    """The cluster with some pods, before nodes were cordoned, `tainted`, or lost all of a device that the pod needs."""
    asked = pod_requests(pod.spec)
    nodes = tuple(_before(node, asked, tainted=tainted) for node in cluster.nodes)
    return Snapshot.of(replace(cluster, nodes=nodes, pods=pods))


def uncordoned(cluster: Cluster) -> Cluster:
    """The cluster before nodes were cordoned or got taints for conditions; other taints are older than the pods."""
    return replace(cluster, nodes=tuple(_before(node, {}, tainted=False) for node in cluster.nodes))


def _before(node: Node, asked: dict[str, int], *, tainted: bool) -> Node:
    lost = {name: amount for name, amount in asked.items() if "/" in name and node.allocatable.get(name) == 0}
    recent = [one for one in node.taints if tainted or one.key.startswith(_OF_CONDITIONS)]
    taints = tuple(one for one in node.taints if one.effect == "NoExecute" or one not in recent)
    allocatable = node.allocatable if not lost else type(node.allocatable)({**node.allocatable, **lost})
    return replace(node, unschedulable=False, taints=taints, allocatable=allocatable)
