"""Explains a pod: the verdict of each class of nodes, what is free, who holds the rest, and what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from kubelint_gpu.budget import TOLD
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.attempt import held
from kubelint_gpu.scheduler.explain.cluster_changes import CapacityGrows, NodeJoins, PodsEnd, refused_by_quota
from kubelint_gpu.scheduler.explain.evictions import Outcomes, eviction_on, holders_on, outcomes_of
from kubelint_gpu.scheduler.explain.explained_class import (
    LABELS,
    ClassRows,
    ExplainedClass,
    Explanation,
    Unmet,
    devices_of,
    devices_taken,
    extent,
    free_on,
    groups_of,
    nearness,
    shortage,
)
from kubelint_gpu.scheduler.explain.pod_changes import DISTANT
from kubelint_gpu.scheduler.explain.what_would_help import GATES, Remedy, RemedySearch, actual
from kubelint_gpu.scheduler.fit import FitResult, fit
from kubelint_gpu.scheduler.framework.equality import kind_of
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Status
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


def remedies_on(
    search: RemedySearch, nodes: Sequence[NodeInfo], result: FitResult, share: int
) -> tuple[tuple[Remedy, ...], int]:
    """Remedies on the nearest nodes, and how many nodes were tried; equal nodes are tried once.

    Every node is tried by itself if the verdict can depend on more than its own load.
    """
    apart = bool(search.pod.spec.volumes) or any(plugin.name in DISTANT for plugin, _ in result.active)
    alike: dict[Hashable, list[str]] = {}
    for info in nodes:
        key = info.name if apart else (info.node.allocatable, _load(search, info))
        alike.setdefault(key, []).append(info.name)
    found: dict[Hashable, Remedy] = {}
    examined = 0
    for names in list(alike.values())[:share]:
        examined += len(names)
        for changes in search.on(names[0]):
            signature = tuple([getattr(change, "owners", change) for change in changes])
            known = found.get(signature)
            where = (*known.nodes, *names) if known is not None else tuple(names)
            found[signature] = Remedy(changes if known is None else known.changes, where)
    return tuple(sorted(found.values(), key=_likelihood)), examined


def _likelihood(remedy: Remedy) -> tuple[int, int, int]:
    """A sort key: first remedies without new capacity, then those with few changes, then few pods."""
    pods = sum(len(change.pods) for change in remedy.changes if isinstance(change, PodsEnd))
    return sum(isinstance(change, CapacityGrows) for change in remedy.changes), len(remedy.changes), pods


def _load(search: RemedySearch, info: NodeInfo) -> Hashable:
    memory = search.snapshot.memory
    return frozenset(Counter((kind_of(pod, memory), pod.meta.maker) for pod in info.pods).items())


def joining_node(search: RemedySearch, info: NodeInfo, status: Status) -> NodeJoins | None:
    """A node that would take the pod if it joined: a copy of a full node, or of any node with missing labels set."""
    if status.plugin not in ("", *GATES):
        return search.joining(info.node)
    if status.plugin in ("", LABELS) and not search.labels_exist:
        missing = search.labels.lack(info.node)
        return search.joining(info.node, missing) if missing is not None else None
    return None
