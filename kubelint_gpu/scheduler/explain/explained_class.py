"""The explanation of a pod: the nodes that share one verdict, in the groups that a reader wants to see."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.objects.taints import Taint, untolerated
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.scheduler.attempt import reservations
from kubelint_gpu.scheduler.explain.cluster_changes import Holder, NodeJoins, QuotaGrows
from kubelint_gpu.scheduler.explain.what_would_help import Remedy, RemedySearch
from kubelint_gpu.scheduler.fit import FitResult
from kubelint_gpu.scheduler.framework.facts import nobody_blocks
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import PLUGINS, node_affinity
from kubelint_gpu.scheduler.preemption import Candidate, Preemption
from kubelint_gpu.scheduler.relations import facts_of, stock
from kubelint_gpu.values import Value


class Extent(NamedTuple):
    """The least and the most that one node of a class has of a resource, in the scheduler's units."""

    least: int
    most: int


def extent(amounts: Sequence[int]) -> Extent:
    """The least and the most of some amounts."""
    return Extent(min(amounts), max(amounts))


def devices_of(pod: Pod, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> tuple[Extent, Extent] | None:
    """How many devices that the pod can have are free on the nodes, and how many there are; None without claims."""
    found = [one for one in (stock(pod, snapshot, info.name) for info in nodes) if one is not None]
    return (extent([free for free, _ in found]), extent([there for _, there in found])) if found else None


def devices_taken(pod: Pod, snapshot: Snapshot, node: NodeInfo) -> tuple[str, ...]:
    """The devices that a pod gets on a node that takes it, including those of shared claims."""
    had = reservations(pod, snapshot, node.name)[0].allocations
    return tuple([str(device.id) for _, allocation in had for device in allocation.devices])


def blocking(pod: Pod, snapshot: Snapshot, nodes: Sequence[NodeInfo], status: Status) -> list[tuple[Pod, str]]:
    """The pods with claims that keep the pod off some nodes by a filter's verdict, each with its node's name."""
    keeps = (facts_of(status.plugin).blockers or nobody_blocks)(pod, snapshot, status.reasons[0])
    every = [(other, info, keeps(other)) for info in snapshot.nodes for other in info.claimants]
    return [(other, info.name) for other, info, reach in every if any(reach(one.node, info.node) for one in nodes)]


class Unmet(Value):
    """A requirement on labels that the nodes of a class do not meet, and their actual values, if these are few."""

    requirement: Requirement
    actual: tuple[str, ...] = ()


class ExplainedClass(Value):
    """Nodes with the same explanation.

    Attributes:
        nodes: their names, sorted.
        status: why they do not take the pod; None if they do.
        allocatable: the allocatable amount of each resource that the pod requests, and of `pods`.
        free: the free amount of each.
        taints: taints that keep the pod away.
        unmet: requirements on labels that keep the pod away.
        holders: the holders of what is lacking; if nothing is, those of GPUs and other extended resources.
        eviction: the best preemption that makes room on one of them; None if there is none.
        spared: why there is none, in the scheduler's words.
        remedies: what would make the pod fit on one of them, the most likely first.
        joining: a similar node that would take the pod if it joined; None if none would, or if they take it.
        examined: how many of them were tried for remedies: the nearest ones, equal ones once.
        devices: how many of the devices that the pod can have there are free, and how many there are; None if it has no
            claims.
        takes: the devices that it would get on the first of them; empty if they do not take it.
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
    takes: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether these nodes take the pod."""
        return self.status is None

    @property
    def lacking(self) -> tuple[str, ...]:
        """The resources that are short on these nodes, in the scheduler's order; `pods` is the number of pods."""
        return self.status.short if self.status is not None else ()


class Explanation(Value):
    """The explanation of a scheduling attempt.

    Attributes:
        pod: the pod.
        requests: its requests, in the scheduler's units, without those of zero.
        held: why no attempt is made; empty if one is made. The classes describe the attempt in any case.
        fit: the verdict of the filters.
        preemption: the result of preemption; None if the pod fits, the attempt fails, or there are no nodes.
        message: the text of FailedScheduling, or the error that ends the attempt; None if the pod fits or is held.
        classes: all nodes, first those that take it, then the nearest ones.
        refusal: the message of a quota that refuses the pod at admission; empty if none does.
        quotas: by how much quotas must grow to admit it.
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


LABELS = node_affinity.NAME
_ORDER = {plugin.name: place for place, plugin in enumerate(PLUGINS)}


class ClassRows(Value):
    """Nodes with one verdict, and what keeps the pod off them."""

    status: Status | None
    taints: tuple[Taint, ...]
    unmet: tuple[Requirement, ...]
    nodes: list[NodeInfo]


def groups_of(pod: Pod, snapshot: Snapshot, result: FitResult, search: RemedySearch) -> list[ClassRows]:
    """Group the nodes by verdict, and by the properties that a reader wants to see apart."""
    verdicts: dict[str, Status | None] = {}
    for one in result.classes:
        verdicts.update(dict.fromkeys([node.name for node in one.nodes], one.status))
    shown = [name for name in search.requests if is_extended(name)]
    keeping: dict[tuple[Taint, ...], tuple[Taint, ...]] = {}
    groups: dict[Hashable, ClassRows] = {}
    for info in snapshot.nodes:
        node = info.node
        status = verdicts.get(info.name, result.excluded or result.prefilter)
        if node.taints not in keeping:
            keeping[node.taints] = untolerated(node.taints, pod.spec.tolerations)
        missing = search.labels.lack(node) if status is not None and status.plugin in (LABELS, "") else None
        unmet = missing.requirements if missing is not None else ()
        amounts = [(node.allocatable.get(name, 0), info.used.get(name, 0)) for name in shown]
        amounts.append(stock(pod, snapshot, info.name) or (0, 0))
        key = (status, keeping[node.taints], node.unschedulable, unmet, *amounts)
        groups.setdefault(key, ClassRows(status, keeping[node.taints], unmet, [])).nodes.append(info)
    return list(groups.values())


def nearness(found: ExplainedClass, requests: Mapping[str, int]) -> tuple[object, ...]:
    """A sort key: nodes that fit, then nodes rejected by later filters, then nodes with the smallest shortage."""
    status = found.status
    if status is None:
        return (0, -len(found.nodes), found.nodes[0])
    short = sum(max(0, amount - found.free[name].most) / amount for name, amount in requests.items())
    return (1, -_ORDER.get(status.plugin, -1), len(status.reasons), short, -len(found.nodes), found.nodes[0])


def shortage(info: NodeInfo, requests: Mapping[str, int]) -> float:
    """The sum of the shortages of a node, each as a fraction of the request."""
    return sum(max(0, amount - free_on(info, name)) / amount for name, amount in requests.items())


def free_on(info: NodeInfo, resource: str) -> int:
    """The free amount of a resource on a node."""
    used = info.pod_count if resource == "pods" else info.used.get(resource, 0)
    return max(0, info.node.allocatable.get(resource, 0) - used)
