"""PodDisruptionBudgets and ResourceQuotas while pods come and go.

The number of pods that a budget expects does not change meanwhile. If a quota's status counts more than the known pods,
the difference stays used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.dra.device_class import DeviceClass, is_charged_for_claims
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.disruption import PodDisruptionBudget, Share
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import ResourceQuota, pod_charge, quota_refusal, quota_usage
from kubelint_gpu.kube.objects.storage import claims_charge, of_claims
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import served_by_classes
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod, own_pods
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

_NEVER = 10**9


def with_unknown_use(cluster: Cluster, participants: Sequence[WorkloadChange], waiting: Sequence[Pod]) -> Cluster:
    """The cluster with quotas that contain the usage of pods that are unknown or wait for a node.

    A status counts the pods before the change: those of the inventory and those of the old workloads. `waiting` are
    pods that belong to none of these workloads.
    """
    before = [
        (created_pod(one.old, "old"), max(0, one.before - len(one.running) - len(one.waiting)))
        for one in participants
        if one.existing
    ]
    stay = frozenset(waiting)

    def told(quota: ResourceQuota) -> ResourceQuota:
        if quota.used is None:
            return replace(quota, unknown=_with_standing_claims(quota_usage(quota, waiting), quota, cluster))
        known = quota_usage(replace(quota, used=None), [pod for pod in cluster.pods if pod not in stay], before)
        unknown = {name: max(0, quota.used.get(name, 0) - amount) for name, amount in known.items()}
        return replace(quota, unknown=FrozenMap(unknown))

    return replace(cluster, quotas=tuple(map(told, cluster.quotas)))


def _with_standing_claims(use: FrozenMap[str, int], quota: ResourceQuota, cluster: Cluster) -> FrozenMap[str, int]:
    """The usage of a quota, plus the claims of its namespace that are not generated for pods."""
    keys = [key for key in use if of_claims(key)]
    stay = [one for one in cluster.claims if one.meta.namespace == quota.meta.namespace] if keys else ()
    lasting = [one for one in stay if one.meta.owner is None or one.meta.owner.kind != "Pod"]
    return FrozenMap({**use, **{key: use[key] + claims_charge(lasting, key) for key in keys}})


def without_idle_quotas(cluster: Cluster, participants: Sequence[WorkloadChange], rest: Sequence[Pod]) -> Cluster:
    """The cluster without quotas that refuse no pod in any state, because they admit all pods that can exist at once.

    `rest` are the pods that belong to no participant.
    """
    if not cluster.quotas:
        return cluster
    served = served_by_classes(cluster)
    # a pod of nobody that is evicted is made again while it terminates
    alive: list[tuple[tuple[Pod, ...], int]] = [((pod,), 2) for pod in rest if not pod.finished]
    for one in participants:
        most = 2 * (one.before + one.replicas) + one.controller.surge(one.replicas) + len(one.waiting)
        alive.append(((*one.pods, *one.waiting), most))
    by_namespace = grouped((pods[0].meta.namespace, (pods, most)) for pods, most in alive)
    quotas = tuple(
        quota for quota in cluster.quotas if not _is_idle(quota, by_namespace.get(quota.meta.namespace, ()), served)
    )
    return cluster if len(quotas) == len(cluster.quotas) else replace(cluster, quotas=quotas)


def _is_idle(
    quota: ResourceQuota, alive: Iterable[tuple[Sequence[Pod], int]], served: Mapping[str, DeviceClass]
) -> bool:
    # nobody knows how many pods will have ended, and those count as objects
    if any(key == "count/pods" or of_claims(key) or is_charged_for_claims(key, served) for key in quota.hard):
        return False
    used, blank = dict(quota.unknown or {}), replace(quota, used=None)
    for pods, most in alive:
        covered = [pod for pod in pods if quota.covers(pod)]
        if any(quota_refusal(pod, [blank], ()) is not None for pod in covered):
            return False
        charges = [pod_charge(pod.spec) for pod in covered]
        for name in quota.counted if charges else ():
            used[name] = used.get(name, 0) + most * max(charge.get(name, 0) for charge in charges)
    return all(used.get(name, 0) <= quota.hard[name] for name in quota.counted)


def is_refused_before(one: WorkloadChange, cluster: Cluster) -> bool:
    """Whether no pod of a workload has been created yet: none is shown, and no quota's status counts one."""
    if not (one.known and one.existing and one.old.replicas) or one.daemons or one.temporary:
        return False
    if one.running or one.waiting or one.old is one.new:
        return False
    pod = created_pod(one.old, "old")
    charge = pod_charge(pod.spec)
    for quota in cluster.quotas:
        if quota.used is not None and quota.covers(pod):
            shown = quota_usage(replace(quota, used=None), cluster.pods)
            if any(charge.get(name, 0) and quota.used.get(name, 0) <= shown.get(name, 0) for name in quota.counted):
                return True
    return False


def with_use_after(cluster: Cluster, transitions: Sequence[Transition]) -> Cluster:
    """The cluster with quotas whose status counts the pods of some workloads after all changes."""
    if not any(quota.used for quota in cluster.quotas):
        return cluster
    own = [own_pods(one.new, cluster.pods) for one in transitions]
    running = [pod for pods in own for pod in pods]
    made = [
        (created_pod(one.old, "old"), max(0, one.old.replicas - len(pods)) if one.existing else 0)
        for one, pods in zip(transitions, own, strict=True)
    ]
    later = [(created_pod(one.new, "new"), one.new.replicas) for one in transitions]

    def told(quota: ResourceQuota) -> ResourceQuota:
        if quota.used is None:
            return quota
        blank = replace(quota, used=None)
        before, after = quota_usage(blank, running, made), quota_usage(blank, (), later)
        used = {name: max(0, amount + after.get(name, 0) - before.get(name, 0)) for name, amount in quota.used.items()}
        return replace(quota, used=FrozenMap(used))

    return replace(cluster, quotas=tuple(map(told, cluster.quotas)))


def without_use(cluster: Cluster, pods: Sequence[Pod]) -> Cluster:
    """The cluster with quotas that do not count some waiting pods, because the simulation counts them."""

    def told(quota: ResourceQuota) -> ResourceQuota:
        use = quota_usage(replace(quota, used=None), pods)
        left = {name: amount - use[name] for name, amount in (quota.unknown or {}).items()}
        return replace(quota, unknown=FrozenMap(left))

    return replace(cluster, quotas=tuple(map(told, cluster.quotas)))


def with_counted_budgets(cluster: Cluster, participants: Sequence[WorkloadChange], rest: Sequence[Pod]) -> Cluster:
    """The cluster with budgets that say how many pods must be healthy, by the scale of the workloads they cover.

    A status only holds until pods of the budget move.
    Behaviour: getExpectedPodCount of the disruption controller, 1.34. It adds up the scales of the pods' controllers,
    so pods without a controller do not count. For a kind without a scale it accepts no percentage and no
    `maxUnavailable`, and the budget then allows no disruption.
    """
    if not cluster.disruption_budgets:
        return cluster
    budgets = tuple([_counted(budget, participants, rest) for budget in cluster.disruption_budgets])
    return replace(cluster, disruption_budgets=budgets)


def _counted(
    budget: PodDisruptionBudget, participants: Sequence[WorkloadChange], rest: Sequence[Pod]
) -> PodDisruptionBudget:
    mine = [one for one in participants if any(map(budget.selects, one.pods))]
    if not mine:
        return budget
    others = sum(1 for pod in rest if pod.meta.owner is not None and not pod.finished and budget.selects(pod))
    needed = _needed(budget, [one for one in mine if one.controller.replaces_lost], others)
    return replace(budget, min_available=Share(needed), max_unavailable=None, disruptions_allowed=None)


def _needed(budget: PodDisruptionBudget, mine: Sequence[WorkloadChange], others: int) -> int:
    """How many pods of the budget must be healthy."""
    minimum = budget.min_available
    if minimum is not None and not minimum.percent:
        return minimum.amount
    if not all(one.controller.has_scale for one in mine):
        return _NEVER
    total = others + sum(one.replicas for one in mine)
    if budget.max_unavailable is not None:
        return max(0, total - budget.max_unavailable.of(total))
    return minimum.of(total) if minimum is not None else 1
