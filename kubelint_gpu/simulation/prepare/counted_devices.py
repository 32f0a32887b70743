"""Claims in whose place a resource says the same: where devices only count, bounds can count them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.quantity import ONE
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.node_info import has_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


def with_counted_devices(
    transitions: Sequence[Transition], cluster: Cluster
) -> tuple[list[Transition], Cluster] | None:
    """The same with an amount of a resource in the place of claims; None where claims say more than that.

    What ends so ends with claims, too. None as well where there are no claims, where quotas count them, or where a pod
    that has devices could be evicted: a resource would be free then, a device is not.
    """
    if not cluster.devices_known or not any(one.spec.resource_claims for both in transitions for one in _both(both)):
        return None
    from kubelint_gpu.kube.dra.claim_charge import is_charged_for_claims
    from kubelint_gpu.scheduler.plugins.dynamic_resources.device_sets import device_sets

    waiting = [pod for pod in cluster.pods if pod.spec.resource_claims and not pod.spec.node_name]
    if waiting or any(is_charged_for_claims(key) for quota in cluster.quotas for key in quota.hard):
        return None
    if any(claim.allocation is not None for claim in cluster.resource_claims) or _may_evict(transitions, cluster):
        return None
    workloads = [one for both in transitions for one in _both(both)]
    snapshot = Snapshot.of(replace(cluster, pods=()))
    allocations = [one for pod in cluster.pods for _, one in pod.allocations]
    taken = frozenset(device.id for one in allocations for device in one.devices if not device.admin)
    sets = device_sets([created_pod(one, "new") for one in workloads], snapshot, taken)
    if sets is None:
        return None
    asked = iter(sets.asked)
    found = []
    for one in transitions:
        new = _counted(one.new, next(asked))
        found.append(replace(one, new=new, old=new if one.old is one.new else _counted(one.old, next(asked))))
    pods = []
    for pod in cluster.pods:
        held = sets.held(pod.allocations) if has_claims(pod) else {}
        if held is None:
            return None
        pods.append(replace(pod, spec=_with(pod.spec, held), allocations=()) if has_claims(pod) else pod)
    nodes = tuple(
        replace(node, allocatable=FrozenMap({**node.allocatable, **sets.on_nodes.get(node.name, {})}))
        for node in cluster.nodes
    )
    return found, replace(cluster, nodes=nodes, pods=tuple(pods), devices_known=False)


def _both(one: Transition) -> Iterable[Workload]:
    return (one.new,) if one.old is one.new else (one.new, one.old)


def _may_evict(transitions: Sequence[Transition], cluster: Cluster) -> bool:
    """Whether a pod of some workload is above one that has devices, or is to have them."""
    specs = [one.spec for both in transitions for one in _both(both)]
    holding = [spec for spec in specs if spec.resource_claims]
    holding += [pod.spec for pod in cluster.pods if has_claims(pod) and pod.spec.node_name]
    lowest = min((spec.priority or 0 for spec in holding), default=0)
    return any((spec.priority or 0) > lowest and spec.preemption_policy != "Never" for spec in specs)


def _counted(workload: Workload, amounts: Mapping[str, int]) -> Workload:
    return replace(workload, spec=_with(workload.spec, amounts)) if workload.spec.resource_claims else workload


def _with(spec: PodSpec, amounts: Mapping[str, int]) -> PodSpec:
    more = {name: amount * ONE for name, amount in amounts.items() if amount}
    return replace(spec, resource_claims=(), overhead=FrozenMap({**spec.overhead, **more}))
