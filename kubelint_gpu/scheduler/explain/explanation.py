"""Why a pod fits where it fits: for each class of nodes the verdict, what is free, who holds it, what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from kubelint_gpu.budget import TOLD
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import pod_charge, quota_refusal, quota_usage
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.objects.taints import Taint
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.scheduler.attempt import held
from kubelint_gpu.scheduler.candidate import Candidate, best, victims_on
from kubelint_gpu.scheduler.explain.cluster_changes import (
    CapacityGrows,
    ChangedCluster,
    NodeJoins,
    PodsEnd,
    QuotaGrows,
    after,
)
from kubelint_gpu.scheduler.explain.extents import Extent, blocking, devices_of, extent
from kubelint_gpu.scheduler.explain.holders import Holder, holders, owner_of
from kubelint_gpu.scheduler.explain.placement_labels import actual
from kubelint_gpu.scheduler.explain.what_would_help import DISTANT, GATES, Remedy, RemedySearch, untolerated
from kubelint_gpu.scheduler.fit import FitResult, fit
from kubelint_gpu.scheduler.framework.equality import kind_of
from kubelint_gpu.scheduler.framework.facts import Held
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Code, Status
from kubelint_gpu.scheduler.framework.pod_memory import host_ports
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.message import message
from kubelint_gpu.scheduler.plugins import PLUGINS, node_affinity, node_ports, node_resources_fit
from kubelint_gpu.scheduler.plugins.node_ports import conflict
from kubelint_gpu.scheduler.plugins.node_resources_fit import INSUFFICIENT, TOO_MANY_PODS
from kubelint_gpu.scheduler.preemption import NOT_HELPFUL, Preemption, preempt
from kubelint_gpu.scheduler.relations import held as held_by
from kubelint_gpu.scheduler.relations import stock
from kubelint_gpu.values import dataclass

_RESOURCES, _PORTS, _LABELS = node_resources_fit.NAME, node_ports.NAME, node_affinity.NAME
_ORDER = {plugin.name: place for place, plugin in enumerate(PLUGINS)}
_INSUFFICIENT = INSUFFICIENT.format(resource="")
_UNTRIED = Status("DefaultPreemption", Code.UNRESOLVABLE, (NOT_HELPFUL,))
_Outcomes = tuple[Preemption | None, Mapping[str, Status | None]]


@dataclass(frozen=True, slots=True)
class Unmet:
    """A requirement on labels that the nodes of a class do not meet, and what they have instead, if that is short."""

    requirement: Requirement
    actual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExplainedClass:
    """Nodes of which the same can be said.

    Attributes:
        nodes: their names, sorted.
        status: why they do not take the pod; None where they do.
        allocatable: what each has of what the pod asks for, and of pod slots.
        free: what is left of it.
        taints: those that keep the pod away.
        unmet: requirements on labels that keep the pod away.
        holders: who holds what is lacking; where nothing is, who holds GPUs and their like.
        eviction: the best of the evictions that would make room on one of them; None where none would.
        spared: why none would, in the scheduler's words.
        remedies: what would make the pod fit on one of them, the likeliest first.
        joining: a node like them that would take the pod if it joined; None where none would, or they take it.
        examined: how many of them were looked at for remedies: those that come nearest, equal ones once.
        devices: of the devices that the pod could have there, how many are free, and how many there are; None where it
            asks for none.
    """

    nodes: tuple[str, ...]
    status: Status | None
    allocatable: Mapping[str, Extent]
    free: Mapping[str, Extent]
    taints: tuple[Taint, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    holders: tuple[Holder, ...] = ()
    eviction: Candidate | None = None
    spared: str = ""
    remedies: tuple[Remedy, ...] = ()
    joining: NodeJoins | None = None
    examined: int = 0
    devices: tuple[Extent, Extent] | None = None

    @property
    def fits(self) -> bool:
        """Whether they take the pod."""
        return self.status is None

    @property
    def lacking(self) -> tuple[str, ...]:
        """The resources that they have too little of, `pods` for pod slots, in the scheduler's order."""
        return lacking(self.status)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the scheduler makes of a pod, and why.

    Attributes:
        pod: the pod.
        requests: what it asks for, in the scheduler's units; a request of zero is left out.
        held: why no attempt is made at all; the classes say what would come of one. Empty where one is made.
        fit: what the filters say.
        preemption: whom it would evict; None where it fits, and in a cluster without nodes.
        message: the text of FailedScheduling; None where it fits or is held.
        classes: all nodes, those that take it first, then those that come nearest.
        refusal: the text with which a quota refuses the pod before the scheduler sees it; empty where none does.
        quotas: by how much quotas would have to grow so that none refuses it.
    """

    pod: Pod
    requests: Mapping[str, int]
    held: str
    fit: FitResult
    preemption: Preemption | None
    message: str | None
    classes: tuple[ExplainedClass, ...]
    refusal: str = ""
    quotas: tuple[QuotaGrows, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether any node takes the pod."""
        return self.fit.schedulable


def explain(pod: Pod, snapshot: Snapshot) -> Explanation:
    """Why a pod fits where it fits, and what would have to happen where it does not.

    Every remedy was tried: with its changes made, the filters let the pod pass on the node.
    The pod is taken as admission leaves it, see `resolved` and `merged`.
    """
    result = fit(pod, snapshot)
    waits = held(pod, snapshot)
    preemption = preempt(pod, snapshot, result) if result.total and not result.schedulable else None
    text = None if result.schedulable or waits else message(pod, snapshot, result, preemption)
    search = RemedySearch(pod, snapshot)
    groups = _groups(pod, snapshot, result, search)
    share = max(1, min(TOLD.examined, TOLD.examined_in_all // max(1, len(groups))))
    outcomes = _outcomes(preemption)
    found = [_explained(group, search, result, outcomes, share) for group in groups]
    found.sort(key=lambda one: _nearness(one, search.requests))
    refused = quota_refusal(pod, snapshot.cluster.quotas, snapshot.pods)
    refusal = refused.text if refused is not None else ""
    return Explanation(
        pod,
        search.requests,
        waits,
        result,
        preemption,
        text,
        tuple(found),
        refusal,
        _quotas(pod, snapshot) if refusal else (),
    )


def lacking(status: Status | None) -> tuple[str, ...]:
    """The resources that a rejection is about, `pods` for pod slots."""
    if status is None or status.plugin != _RESOURCES:
        return ()
    return tuple("pods" if reason == TOO_MANY_PODS else reason.removeprefix(_INSUFFICIENT) for reason in status.reasons)


class _ClassRows(NamedTuple):
    status: Status | None
    taints: tuple[Taint, ...]
    unmet: tuple[Requirement, ...]
    nodes: list[NodeInfo]


def _groups(pod: Pod, snapshot: Snapshot, result: FitResult, search: RemedySearch) -> list[_ClassRows]:
    """The nodes by verdict, and by what a reader wants to see apart."""
    verdicts: dict[str, Status | None] = {}
    for one in result.classes:
        verdicts.update(dict.fromkeys([node.name for node in one.nodes], one.status))
    shown = [name for name in search.requests if is_extended(name)]
    keeping: dict[tuple[Taint, ...], tuple[Taint, ...]] = {}
    groups: dict[Hashable, _ClassRows] = {}
    for info in snapshot.nodes:
        node = info.node
        status = verdicts.get(info.name, result.excluded or result.prefilter)
        if node.taints not in keeping:
            keeping[node.taints] = untolerated(pod.spec, node.taints)
        missing = search.lack(node) if status is not None and status.plugin in (_LABELS, "") else None
        unmet = missing.requirements if missing is not None else ()
        amounts = [(node.allocatable.get(name, 0), info.used.get(name, 0)) for name in shown]
        amounts.append(stock(pod, snapshot, info.name) or (0, 0))
        key = (status, keeping[node.taints], node.unschedulable, unmet, *amounts)
        groups.setdefault(key, _ClassRows(status, keeping[node.taints], unmet, [])).nodes.append(info)
    return list(groups.values())


def _explained(
    group: _ClassRows, search: RemedySearch, result: FitResult, outcomes: _Outcomes, share: int
) -> ExplainedClass:
    status, nodes = group.status, group.nodes
    names = [*search.requests, "pods"]
    remedies: tuple[Remedy, ...] = ()
    joining, examined = None, 0
    if status is not None and result.prefilter is None:
        # then the verdict may rest on more than the node's own load
        apart = bool(search.pod.spec.volumes) or any(plugin.name in DISTANT for plugin, _ in result.active)
        nearest = sorted(nodes, key=lambda info: (_shortage(info, search.requests), info.name))
        remedies, examined = _remedies(search, nearest, share, apart=apart)
        joining = _joining(search, nearest[0], status)
    eviction, spared = _eviction(search, nodes, result, outcomes)
    return ExplainedClass(
        nodes=tuple([info.name for info in nodes]),
        status=status,
        allocatable={name: extent([info.node.allocatable.get(name, 0) for info in nodes]) for name in names},
        free={name: extent([_free(info, name) for info in nodes]) for name in names},
        taints=group.taints,
        unmet=tuple([Unmet(one, actual(one, [info.node for info in nodes], TOLD.values)) for one in group.unmet]),
        holders=_holders(search, nodes, status),
        eviction=eviction,
        spared=spared,
        remedies=remedies,
        joining=joining,
        examined=examined,
        devices=devices_of(search.pod, search.snapshot, nodes),
    )


def _remedies(
    search: RemedySearch, nodes: Sequence[NodeInfo], share: int, *, apart: bool
) -> tuple[tuple[Remedy, ...], int]:
    """What helps on the nearest nodes; unless `apart`, those with equal pods of the same owners are looked at once."""
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
    """Few changes first; nobody adds GPUs to a node while pods come and go."""
    pods = sum(len(change.pods) for change in remedy.changes if isinstance(change, PodsEnd))
    return sum(isinstance(change, CapacityGrows) for change in remedy.changes), len(remedy.changes), pods


def _load(search: RemedySearch, info: NodeInfo) -> Hashable:
    memory = search.snapshot.memory
    return frozenset(Counter((kind_of(pod, memory), owner_of(pod)) for pod in info.pods).items())


def _joining(search: RemedySearch, info: NodeInfo, status: Status) -> NodeJoins | None:
    """A node like one of a class that is full, or, where no node has the right labels, like any that then has them."""
    if status.plugin not in ("", *GATES):
        return search.joining(info.node)
    if status.plugin in ("", _LABELS) and not search.labels_exist:
        missing = search.lack(info.node)
        return search.joining(info.node, missing) if missing is not None else None
    return None


def _eviction(
    search: RemedySearch, nodes: Sequence[NodeInfo], result: FitResult, outcomes: _Outcomes
) -> tuple[Candidate | None, str]:
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


def _outcomes(preemption: Preemption | None) -> _Outcomes:
    tried: dict[str, Status | None] = {}
    for one in preemption.outcomes if preemption is not None else ():
        tried.update(dict.fromkeys([node.name for node in one.nodes], one.status))
    return preemption, tried


def _holders(search: RemedySearch, nodes: Sequence[NodeInfo], status: Status | None) -> tuple[Holder, ...]:
    """Who holds what is lacking; of nodes that lack nothing, who holds what few have of."""
    memory = search.snapshot.memory
    resources = lacking(status) or tuple(name for name in search.requests if is_extended(name))
    placed = [(pod, info.name) for info in nodes for pod in info.pods]
    if status is not None and status.plugin == _PORTS:
        wanted = host_ports(search.pod.spec)
        placed = [
            one for one in placed if any(conflict(port, own) for own in memory.load(one[0]).ports for port in wanted)
        ]
    elif status is not None and held_by(status.plugin) == Held.DEVICE.value:
        placed = blocking(search.pod, search.snapshot, nodes[: TOLD.examined], status)
    elif status is not None and status.plugin in DISTANT:
        found = dict.fromkeys(one for info in nodes[: TOLD.examined] for one in search.culprits(info, status))
        placed = list(found)
    elif "pods" not in resources:
        wanted_names = frozenset(resources)
        placed = [one for one in placed if any(name in wanted_names for name, _ in memory.load(one[0]).requests)]
    return holders(placed, resources, search.pod.spec.priority or 0, memory)


def _quotas(pod: Pod, snapshot: Snapshot) -> tuple[QuotaGrows, ...]:
    """What would make room in every quota that is used up; nothing where that is not why the pod is refused."""
    found: list[QuotaGrows] = []
    charge = pod_charge(pod.spec)
    for quota in sorted(snapshot.cluster.quotas, key=lambda quota: quota.meta.name):
        if quota.covers(pod):
            used = quota_usage(quota, snapshot.pods)
            name = f"{quota.meta.namespace}/{quota.meta.name}"
            for key in quota.counted:
                needed = used[key] + charge.get(key, 0)
                if charge.get(key) and needed > quota.hard[key]:
                    found.append(QuotaGrows(name, key, needed, quota.hard[key]))
    scene = ChangedCluster(snapshot, "")
    for change in found:
        scene = after(scene, change)
    return () if quota_refusal(pod, scene.snapshot.cluster.quotas, snapshot.pods) else tuple(found)


def _nearness(found: ExplainedClass, requests: Mapping[str, int]) -> tuple[object, ...]:
    """Those that fit come first, then those that the later filters rejected, then those that miss by least."""
    status = found.status
    if status is None:
        return (0, -len(found.nodes), found.nodes[0])
    short = sum(max(0, amount - found.free[name].most) / amount for name, amount in requests.items())
    return (1, -_ORDER.get(status.plugin, -1), len(status.reasons), short, -len(found.nodes), found.nodes[0])


def _shortage(info: NodeInfo, requests: Mapping[str, int]) -> float:
    return sum(max(0, amount - _free(info, name)) / amount for name, amount in requests.items())


def _free(info: NodeInfo, resource: str) -> int:
    used = len(info.pods) if resource == "pods" else info.used.get(resource, 0)
    return max(0, info.node.allocatable.get(resource, 0) - used)
