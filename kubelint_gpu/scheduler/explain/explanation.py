"""Explains a pod: the verdict of each class of nodes, what is free, who holds the rest, and what would help."""

from __future__ import annotations

from kubelint_gpu.budget import TOLD
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.attempt import held
from kubelint_gpu.scheduler.explain.cluster_changes import refused_by_quota
from kubelint_gpu.scheduler.explain.evictions import Outcomes, eviction_on, holders_on, outcomes_of
from kubelint_gpu.scheduler.explain.explained_class import ExplainedClass, Explanation, Unmet
from kubelint_gpu.scheduler.explain.extents import devices_of, devices_taken, extent
from kubelint_gpu.scheduler.explain.nearest_remedies import joining_node, remedies_on
from kubelint_gpu.scheduler.explain.node_groups import ClassRows, free_on, groups_of, nearness, shortage
from kubelint_gpu.scheduler.explain.what_would_help import Remedy, RemedySearch, actual
from kubelint_gpu.scheduler.fit import FitResult, fit
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.message import message
from kubelint_gpu.scheduler.preemption import preempt


def explain(pod: Pod, snapshot: Snapshot) -> Explanation:
    """Explain why a pod fits, or what must change so that it fits.

    Every remedy was tried: after its changes, the filters let the pod pass on the node.
    The pod must be as admission leaves it, see `resolved` and `merged`.
    """
    result = fit(pod, snapshot)
    waits = held(pod, snapshot)
    failed = result.error
    preemption = preempt(pod, snapshot, result) if result.total and not result.schedulable and not failed else None
    text = ", ".join(failed.reasons) if failed is not None else message(pod, snapshot, result, preemption)
    search = RemedySearch(pod, snapshot)
    groups = groups_of(pod, snapshot, result, search)
    share = max(1, min(TOLD.examined, TOLD.examined_in_all // max(1, len(groups))))
    outcomes = outcomes_of(preemption)
    found = [_explained(group, search, result, outcomes, share) for group in groups]
    found.sort(key=lambda one: nearness(one, search.requests))
    return Explanation(
        pod,
        search.requests,
        waits,
        result,
        preemption,
        None if waits else text,
        tuple(found),
        *refused_by_quota(pod, snapshot),
    )


def _explained(
    group: ClassRows, search: RemedySearch, result: FitResult, outcomes: Outcomes, share: int
) -> ExplainedClass:
    status, nodes = group.status, group.nodes
    names = [*search.requests, "pods"]
    remedies: tuple[Remedy, ...] = ()
    joining, examined = None, 0
    if status is not None and result.prefilter is None:
        nearest = sorted(nodes, key=lambda info: (shortage(info, search.requests), info.name))
        remedies, examined = remedies_on(search, nearest, result, share)
        joining = joining_node(search, nearest[0], status)
    eviction, spared = eviction_on(search, nodes, result, outcomes)
    return ExplainedClass(
        nodes=tuple([info.name for info in nodes]),
        status=status,
        allocatable={name: extent([info.node.allocatable.get(name, 0) for info in nodes]) for name in names},
        free={name: extent([free_on(info, name) for info in nodes]) for name in names},
        taints=group.taints,
        unmet=tuple([Unmet(one, actual(one, [info.node for info in nodes], TOLD.values)) for one in group.unmet]),
        holders=holders_on(search, nodes, status),
        eviction=eviction,
        spared=spared,
        remedies=remedies,
        joining=joining,
        examined=examined,
        devices=devices_of(search.pod, search.snapshot, nodes),
        takes=devices_taken(search.pod, search.snapshot, nodes[0]) if status is None else (),
    )
