"""ResourceQuotas while pods come and go: what their status counts beyond the pods that are known stays used."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import ResourceQuota, quota_usage
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod
from kubelint_gpu.values import replace


def with_unknown_use(cluster: Cluster, participants: Sequence[WorkloadChange], waiting: Sequence[Pod]) -> Cluster:
    """The cluster with quotas that say what is used of them by pods that are not known, or that wait for a node.

    A status counts the pods that there are before anything changes: those of the inventory, and those of the workloads
    as they were. `waiting` are pods of nobody among these.
    """
    before = [
        (created_pod(one.old, "old"), max(0, one.before - len(one.running) - len(one.waiting)))
        for one in participants
        if one.existing
    ]
    stay = frozenset(waiting)

    def told(quota: ResourceQuota) -> ResourceQuota:
        if quota.used is None:
            return replace(quota, unknown=quota_usage(quota, waiting))
        known = quota_usage(replace(quota, used=None), [pod for pod in cluster.pods if pod not in stay], before)
        unknown = {name: max(0, quota.used.get(name, 0) - amount) for name, amount in known.items()}
        return replace(quota, unknown=FrozenMap(unknown))

    return replace(cluster, quotas=tuple(map(told, cluster.quotas)))


def without_use(cluster: Cluster, pods: Sequence[Pod]) -> Cluster:
    """The cluster with quotas that leave it to the simulation to count some pods that wait."""

    def told(quota: ResourceQuota) -> ResourceQuota:
        use = quota_usage(replace(quota, used=None), pods)
        left = {name: amount - use[name] for name, amount in (quota.unknown or {}).items()}
        return replace(quota, unknown=FrozenMap(left))

    return replace(cluster, quotas=tuple(map(told, cluster.quotas)))
