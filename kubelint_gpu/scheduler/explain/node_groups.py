"""Groups the nodes of an explanation by what a reader wants to see apart, and sorts them by nearness."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.objects.taints import Taint, untolerated
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.scheduler.explain.explained_class import ExplainedClass
from kubelint_gpu.scheduler.explain.what_would_help import RemedySearch
from kubelint_gpu.scheduler.fit import FitResult
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins import PLUGINS, node_affinity
from kubelint_gpu.scheduler.relations import stock
from kubelint_gpu.values import Value

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
