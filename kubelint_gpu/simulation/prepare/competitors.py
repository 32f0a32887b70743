"""Who competes with whom: for something of a node, by what their pods look at, or by whom they drive away."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.relations import asks, meet, meet_on_a_node
from kubelint_gpu.simulation.prepare.demand import Groups, contended, join_contenders
from kubelint_gpu.simulation.prepare.displaced import concerns
from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun


def competing(run: PreparedRun, numbers: Sequence[int], fixed: Sequence[Pod]) -> Groups:
    """Workloads that can compete for something, or look at each other, are in one group."""
    groups = Groups(len(run.participants))
    residual = run.residual(fixed)
    demands = [run.demands[number] for number in numbers]
    scarce = contended(demands, residual, run.allocatable)
    among = Groups(len(numbers))
    join_contenders(among, scarce)
    for place, number in enumerate(numbers):
        groups.join(number, numbers[among.root(place)])
    marked = [number for number in numbers if _is_marked(run, number)]
    for one in marked:
        for other in numbers:
            if other != one and _meet(run, one, other):
                groups.join(one, other)
    for one in numbers:
        gone = run.driven[one]
        for place, other in enumerate(numbers if gone else ()):
            apart = groups.root(one) != groups.root(other)
            if apart and concerns(gone, run.participants[other], place, demands, residual):
                groups.join(one, other)
    return groups


def _is_marked(run: PreparedRun, number: int) -> bool:
    """Whether something other than the resources of a node can make the workload meet another."""
    if run.volumes[number]:
        return True
    return any(asks(pod) or any(quota.covers(pod) for quota in run.cluster.quotas) for pod in run.pods[number])


def _meet(run: PreparedRun, one: int, other: int) -> bool:
    if run.volumes[one] & run.volumes[other]:
        return True
    near = not run.demands[one].nodes.isdisjoint(run.demands[other].nodes)
    for mine in run.pods[one]:
        for theirs in run.pods[other]:
            if meet(mine, theirs) or (near and meet_on_a_node(mine, theirs)):
                return True
            if any(quota.covers(mine) and quota.covers(theirs) for quota in run.cluster.quotas):
                return True
    return False
