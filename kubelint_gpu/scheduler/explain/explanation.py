"""Explains a pod: the verdict of each class of nodes, what is free, who holds the rest, and what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from kubelint_gpu.budget import TOLD
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.scheduler.attempt import held, message
from kubelint_gpu.scheduler.explain.cluster_changes import (
    CapacityGrows,
    Holder,
    NodeJoins,
    PodsEnd,
    holders,
    refused_by_quota,
)
from kubelint_gpu.scheduler.explain.explained_class import (
    LABELS,
    ClassRows,
    ExplainedClass,
    Explanation,
    Unmet,
    blocking,
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
from kubelint_gpu.scheduler.framework.facts import Held
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Code, Status
from kubelint_gpu.scheduler.framework.pod_memory import host_ports
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import node_ports
from kubelint_gpu.scheduler.plugins.node_ports import conflicting
from kubelint_gpu.scheduler.preemption import NOT_HELPFUL, Candidate, Preemption, best, preempt, victims_on
from kubelint_gpu.scheduler.relations import held as held_by

_PORTS = node_ports.NAME
_UNTRIED = Status("DefaultPreemption", Code.UNRESOLVABLE, (NOT_HELPFUL,))
Outcomes = tuple[Preemption | None, Mapping[str, Status | None]]


def eviction_on(
    search: RemedySearch, nodes: Sequence[NodeInfo], result: FitResult, outcomes: Outcomes
) -> tuple[Candidate | None, str]:
    """The best preemption on some nodes, or the reason why there is none."""
    preemption, tried = outcomes
    if preemption is None:
        return None, ""
    if preemption.ineligible:
        return None, preemption.ineligible
    helped = [info for info in nodes if tried.get(info.name, _UNTRIED) is None]
    if not helped:
        status = tried.get(nodes[0].name, _UNTRIED)
        return None, ", ".join(status.reasons) if status is not None else ""
    found = [victims_on(search.pod, info, search.snapshot, result.active) for info in helped[: TOLD.examined]]
    return best(found)[0], ""


def outcomes_of(preemption: Preemption | None) -> Outcomes:
    """A preemption, and the dry run's status for each node."""
    tried: dict[str, Status | None] = {}
    for one in preemption.outcomes if preemption is not None else ():
        tried.update(dict.fromkeys([node.name for node in one.nodes], one.status))
    return preemption, tried


def holders_on(search: RemedySearch, nodes: Sequence[NodeInfo], status: Status | None) -> tuple[Holder, ...]:
    """The holders of what is lacking; if nothing is lacking, the holders of extended resources."""
    memory = search.snapshot.memory
    resources = (status.short if status is not None else ()) or tuple(
        name for name in search.requests if is_extended(name)
    )
    placed = [(pod, info.name) for info in nodes for pod in info.pods]
    if status is not None and status.plugin == _PORTS:
        wanted = host_ports(search.pod.spec)
        placed = [one for one in placed if conflicting(wanted, memory.load(one[0]).ports)]
    elif status is not None and held_by(status.plugin) == Held.DEVICE.value:
        placed = blocking(search.pod, search.snapshot, nodes[: TOLD.examined], status)
    elif status is not None and status.plugin in DISTANT:
        found = dict.fromkeys(one for info in nodes[: TOLD.examined] for one in search.leaving.culprits(info, status))
        placed = list(found)
    elif "pods" not in resources:
        wanted_names = frozenset(resources)
        placed = [one for one in placed if any(name in wanted_names for name, _ in memory.load(one[0]).requests)]
    return holders(placed, resources, search.pod.spec.priority or 0, memory)


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
