"""A simulation without rollouts: workloads with all their pods beside the running pods."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.controllers.daemon_nodes import daemon_nodes
from kubelint_gpu.simulation.model.pod_types import build_pod_types
from kubelint_gpu.simulation.model.simulation import Simulation, build_simulation
from kubelint_gpu.simulation.prepare.daemon_pods import standing_daemons
from kubelint_gpu.simulation.prepare.participants import bounded
from kubelint_gpu.simulation.prepare.pods_by_owner import pods_by_owner
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod, running_pods
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


def full_simulation(
    workloads: Sequence[Workload | Transition], cluster: Cluster, outsiders: Sequence[Pod] = ()
) -> Simulation:
    """Simulate workloads without rollouts, beside the pods of the cluster.

    A transition is a scaled workload: its additional pods come after all others. Pods that are known to run do so.
    Daemon pods stay if they find room, and DaemonSets are no members. `outsiders` are running pods of others that may
    change.
    """
    changes = [Transition(one, one) if isinstance(one, Workload) else one for one in workloads]
    participants, rest = standing_participants([bounded(one, cluster, cluster.nodes) for one in changes], cluster)
    away = {pod.identifier for pod in outsiders}
    fixed = [pod for pod in rest if pod.identifier not in away]
    fixed += daemon_pods(participants, cluster, rest)
    steady = [one for one in participants if not one.daemons]
    return build_simulation(build_pod_types(steady, frozenset(), outsiders, cluster), cluster, fixed)


def standing_participants(
    workloads: Sequence[Workload | Transition], cluster: Cluster
) -> tuple[list[WorkloadChange], list[Pod]]:
    """The workloads with their running pods, and the running pods of others."""
    rest = tuple(pod for pod in cluster.pods if pod.spec.node_name and not pod.finished and not pod.meta.terminating)
    pods, gone, found = pods_by_owner(rest), set[PodIdentifier](), []
    for workload in workloads:
        new, old = (workload, workload) if isinstance(workload, Workload) else (workload.new, workload.old)
        controller = controller_of(new)
        own = running_pods(controller, pods.own(controller, gone))
        gone.update(pod.identifier for pod in own)
        one = WorkloadChange(new, old, own, rolls=False, known=new is not old)
        found.append(replace(one, nodes=daemon_nodes(new.choosing, cluster.nodes)) if one.daemons else one)
    return found, [pod for pod in rest if pod.identifier not in gone]


def daemon_pods(participants: Sequence[WorkloadChange], cluster: Cluster, rest: Sequence[Pod]) -> list[Pod]:
    """The daemon pods that find room beside the running pods of others."""
    if not any(one.daemons for one in participants):
        return []
    pods = [(created_pod(one.old, "old"), created_pod(one.new, "new")) for one in participants]
    placed = standing_daemons(participants, pods, cluster, rest)[0]
    return [pod for found in placed.values() for pod in found if pod.spec.node_name]
