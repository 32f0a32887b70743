"""Running pods of others that a workload can preempt: their replacements may take nodes that no other pod wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.relations import attends
from kubelint_gpu.simulation.prepare.demand import Demand, Residual, always_room, takes
from kubelint_gpu.simulation.prepare.workload_change import (
    WorkloadChange,
    anonymous,
    created_pod,
    identity,
    is_temporary,
    owner_of,
)
from kubelint_gpu.values import Value

Alike = Mapping[tuple[object, ...], Sequence[Pod]]


class Displaced(Value):
    """Equal pods that their owner creates again; `demand` is what their replacements can take, and where."""

    pod: Pod
    demand: Demand


def displaced(
    participants: Sequence[WorkloadChange],
    demands: Sequence[Demand],
    fixed: Sequence[Pod],
    residual: Residual,
    eligible: Callable[[Pod], frozenset[str]],
) -> tuple[tuple[Displaced, ...], ...]:
    """For each workload, the pods among `fixed` that it can preempt; none if it always finds room.

    Preempted pods can preempt others of still lower priority. `residual` is what `fixed` pods leave of the nodes,
    `eligible` returns the nodes that take a pod by itself.
    """
    above = [_evicts_below(one) for one in participants]
    highest = max((priority for priority in above if priority is not None), default=-(2**31))
    lower: dict[tuple[object, ...], list[Pod]] = {}
    # whose owner makes another one in its stead, on any node
    again = [pod for pod in fixed if pod.meta.owner is not None and pod.meta.owner.kind != "DaemonSet"]
    for pod in again:
        if (pod.spec.priority or 0) < highest and not is_temporary(pod):
            lower.setdefault((owner_of(pod), *identity(pod)), []).append(pod)
    known: dict[tuple[object, ...], Displaced] = {}

    def of(key: tuple[object, ...]) -> Displaced:
        if key not in known:
            pod, count = anonymous(lower[key][0]), len(lower[key])
            demand = Demand(eligible(pod), takes(pod), most=count, rest=count, whole=count, simple=False)
            known[key] = Displaced(pod, demand)
        return known[key]

    return tuple(
        _driven_by(demand.nodes, priority, lower, of)
        if lower and priority is not None and not always_room(number, demands, residual, at_rest=True)
        else ()
        for number, (priority, demand) in enumerate(zip(above, demands, strict=True))
    )


def concerns(
    gone: Sequence[Displaced], participant: WorkloadChange, position: int, demands: Sequence[Demand], residual: Residual
) -> bool:
    """Whether preempted pods can take a place from the workload at a position of `demands`."""
    pods = (created_pod(participant.old, "old"), created_pod(participant.new, "new"))
    if any(attends(pod, one.pod) or attends(one.pod, pod) for one in gone for pod in pods):
        return True
    near = [one.demand for one in gone if not one.demand.nodes.isdisjoint(demands[position].nodes)]
    return bool(near) and not always_room(position, [*demands, *near], residual, at_rest=True)


def _driven_by(
    nodes: frozenset[str], priority: int, lower: Alike, of: Callable[[tuple[object, ...]], Displaced]
) -> tuple[Displaced, ...]:
    found: dict[tuple[object, ...], Displaced] = {}
    stronger = [(nodes, priority)]
    while stronger:
        near, above = stronger.pop()
        for key, pods in lower.items():
            mine = pods[0].spec.priority or 0
            if key in found or mine >= above or not any(pod.spec.node_name in near for pod in pods):
                continue
            found[key] = of(key)
            if pods[0].spec.preemption_policy != "Never":
                stronger.append((found[key].demand.nodes, mine))
    return tuple(found.values())


def _evicts_below(participant: WorkloadChange) -> int | None:
    """The priority below which pods of a workload preempt others; None if they never preempt."""
    specs = (participant.old.spec, participant.new.spec)
    return max((spec.priority or 0 for spec in specs if spec.preemption_policy != "Never"), default=None)
