"""The pods of a workload at a moment, and where they are put."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.meta import OwnerReference
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler import Snapshot, assume, fit, merged
from kubelint_gpu.scheduler.explain.holders import PlacedPod
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_MOST_PLACED = 100


def with_daemons(unit: ApplySet, subject: WorkloadCheck, running: Snapshot) -> Snapshot:
    """The same with the pods of DaemonSets that are judged with the workload: in a rollout they run already."""
    from kubelint_gpu.simulation.model.at_full_replicas import daemon_pods, standing_participants

    daemons = [one.workload for one in unit.subjects if one.controller.node_bound and one is not subject]
    if not daemons:
        return running
    participants, rest = standing_participants(daemons, unit.cluster)
    there = {pod.key for pod in unit.cluster.pods}
    found = daemon_pods(participants, unit.cluster, rest)
    return with_placed(running, [(pod, pod.spec.node_name) for pod in found if pod.key not in there])


def filled(workload: Workload, snapshot: Snapshot) -> tuple[list[PlacedPod], bool]:
    """The replicas, each on the first node that takes it, and whether the nodes were full before all were placed."""
    placed: list[PlacedPod] = []
    for number in range(min(workload.replicas, _MOST_PLACED)):
        pod = created_like(workload, "old", number)
        result = fit(pod, snapshot)
        if not result.schedulable:
            return placed, True
        placed.append((pod, result.fits[0]))
        snapshot = assume(placed[-1][0], snapshot, placed[-1][1])
    return placed, False


def with_placed(snapshot: Snapshot, pods: Sequence[PlacedPod]) -> Snapshot:
    """The snapshot with some more pods on nodes."""
    for pod, name in pods:
        snapshot = assume(pod, snapshot, name)
    return snapshot


def created_like(workload: Workload, revision: str, number: int | None = None) -> Pod:
    """A pod as the workload's controller creates it; `revision` tells old from new."""
    controller = controller_of(workload)
    name = f"{workload.meta.name}-{revision}" if controller.replaces_lost else workload.meta.name
    pod = merged(controller.pod(revision, name if number is None else f"{name}-{number}"))
    if not controller.replaces_lost:
        return pod
    return replace(pod, meta=replace(pod.meta, owner=OwnerReference(workload.kind, workload.meta.name)))
