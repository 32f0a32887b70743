"""Limits replicas that are built pod by pod: to the most that the nodes can ever hold, plus one.

If a workload has more replicas than that, it lacks places: one waiting pod stands for all.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import BUDGET, Budget
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.simulation.prepare.workload_change import created_pod, own_pods, own_waiting
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


def bounded(transition: Transition, cluster: Cluster, nodes: Sequence[Node], budget: Budget = BUDGET) -> Transition:
    """The transition with replicas limited, before and after, to the number that makes a difference on these nodes."""
    old, new = transition.old, transition.new
    if max(old.replicas, new.replicas) <= budget.replicas:
        return transition
    known = len(own_pods(new, cluster.pods)) + len(own_waiting(new, cluster.pods))
    held = max(places(created_pod(one, "new"), nodes) for one in (old, new))
    most = max(budget.replicas, held + known + 1)
    after = _with(new, most)
    return replace(transition, new=after, old=after if old is new else _with(old, most))


def places(pod: Pod, nodes: Sequence[Node]) -> int:
    """Return an upper bound of these pods on these nodes at once, by the allocatable amount of each resource."""
    asks = [(name, amount) for name, amount in takes(pod).items() if amount]
    return sum(min(max(0, node.allocatable.get(name, 0)) // amount for name, amount in asks) for node in nodes)


def _with(workload: Workload, most: int) -> Workload:
    return workload if workload.replicas <= most else replace(workload, replicas=most)
