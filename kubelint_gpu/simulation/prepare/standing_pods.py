"""Pods that run although no node would take them today: it was cordoned or tainted since, or lost its devices.

No filter looks at a pod that runs. Where it is not known where such a pod runs, it is taken to be where it could be
before that.
"""

from __future__ import annotations

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler import Snapshot, fit
from kubelint_gpu.simulation.controllers.ordinals import ordinal_pod, with_claims
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod
from kubelint_gpu.values import replace


def with_standing_pods(one: WorkloadChange, cluster: Cluster) -> WorkloadChange:
    """A workload of numbered pods that keeps some of them, with those that could not be where they run today."""
    if not (one.known and one.existing and one.keeps and one.controller.has_ordinals):
        return one
    there = {pod.meta.name for pod in (*one.running, *one.waiting)}
    today = Snapshot.of(replace(cluster, pods=()))
    found: list[Pod] = []
    first = one.controller.first_ordinal
    for ordinal in range(first, first + one.old.replicas):
        name = f"{one.new.meta.name}-{ordinal}"
        if name in there:
            continue
        pod = with_claims(ordinal_pod(created_pod(one.old, "old", name), name, ordinal), one.new, ordinal, cluster)
        if fit(pod, today).schedulable:
            continue
        nodes = fit(pod, as_before(pod, cluster)).takers
        if nodes:
            meta = replace(pod.meta, uid=name)
            found.append(
                replace(pod, meta=meta, spec=replace(pod.spec, node_name=nodes[0]), phase="Running", ready=True)
            )
    return replace(one, running=(*one.running, *found)) if found else one


def as_before(pod: Pod, cluster: Cluster) -> Snapshot:
    """The empty cluster before nodes were cordoned, were tainted, or lost all of a device that the pod asks for."""
    asked = pod_requests(pod.spec)
    return Snapshot.of(replace(cluster, nodes=tuple(_before(node, asked) for node in cluster.nodes), pods=()))


def _before(node: Node, asked: dict[str, int]) -> Node:
    lost = {name: amount for name, amount in asked.items() if "/" in name and node.allocatable.get(name) == 0}
    taints = tuple(taint for taint in node.taints if taint.effect == "NoExecute")
    allocatable = node.allocatable if not lost else type(node.allocatable)({**node.allocatable, **lost})
    return replace(node, unschedulable=False, taints=taints, allocatable=allocatable)
