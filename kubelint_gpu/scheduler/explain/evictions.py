"""Which pods a pod would preempt on each class of nodes, and which pods hold what it lacks there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubelint_gpu.budget import TOLD
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.scheduler.explain.explained_class import blocking
from kubelint_gpu.scheduler.explain.holders import Holder, holders
from kubelint_gpu.scheduler.explain.pod_changes import DISTANT
from kubelint_gpu.scheduler.explain.what_would_help import RemedySearch
from kubelint_gpu.scheduler.fit import FitResult
from kubelint_gpu.scheduler.framework.facts import Held
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Code, Status
from kubelint_gpu.scheduler.framework.pod_memory import host_ports
from kubelint_gpu.scheduler.plugins import node_ports
from kubelint_gpu.scheduler.plugins.node_ports import conflicting
from kubelint_gpu.scheduler.preemption import NOT_HELPFUL, Candidate, Preemption, best, victims_on
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
