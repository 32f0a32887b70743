"""Workloads as they are judged: with pods after admission, and with the replicas that they have after an apply."""

from __future__ import annotations

from kubelint_gpu.documents import value_at
from kubelint_gpu.kube.admission.pod_refusal import PodRefusal, pod_refusal
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.priority import HIGHEST_USER_PRIORITY, PREEMPT, UnknownPriorityClass
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.prepare.workload_change import own_pods, own_waiting, resolved_workload
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.autoscalers import SCALED, Autoscalers, scaled_at_once
from kubelint_gpu.workspace.field_pointers import REPLICAS
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.pod_admission import spec_as_admitted
from kubelint_gpu.workspace.resource_supply import ResourceSupply
from kubelint_gpu.workspace.workload_check import WorkloadCheck


def judged(
    manifest: Manifest,
    workload: Workload,
    autoscalers: Autoscalers,
    cluster: Cluster,
    supply: ResourceSupply | None,
    before: Manifest | None,
    *,
    earlier: bool,
) -> WorkloadCheck:
    """The workload as it is judged; `earlier` if it is the state before this change.

    `supply` is None without nodes; `before` is the manifest as it was applied last.
    """
    if not any(one.present(REPLICAS) for one in (manifest, before) if one is not None):
        workload = _as_scaled(workload, cluster)
    spec = spec_as_admitted(workload, cluster, supply)
    scaled = scaled_at_once(workload, autoscalers)
    workload = replace(
        workload,
        spec=spec,
        written=workload.spec if controller_of(workload).node_bound else None,
        replicas=scaled.replicas if scaled is not None else workload.replicas,
    )
    refusal = _refusal(manifest, workload, cluster)
    if earlier and refusal is not None and refusal.pointer:
        # what runs may have been made before its namespace enforced anything
        refusal = None
    try:
        found = resolved_workload(workload, cluster.priority_classes)
        return WorkloadCheck(manifest, found, scaled=scaled, refusal=refusal)
    except UnknownPriorityClass:
        # it is placed as if the class were there; with the highest that there may be it can evict whom it likes
        spec = replace(spec, priority=HIGHEST_USER_PRIORITY, preemption_policy=PREEMPT)
        return WorkloadCheck(manifest, replace(workload, spec=spec), known_class=False, scaled=scaled, refusal=refusal)


def _refusal(manifest: Manifest, workload: Workload, cluster: Cluster) -> PodRefusal | None:
    """Why the API server refuses its pods; None for custom resources, whose controllers may create other pods."""
    labels = next((one.labels for one in cluster.namespaces if one.name == workload.meta.namespace), EMPTY)
    spec = value_at(manifest.item.value, workload.spec_pointer)
    if workload.custom or not isinstance(spec, dict):
        return None
    return pod_refusal(workload, labels, spec)


def _as_scaled(workload: Workload, cluster: Cluster) -> Workload:
    """The workload with its present replicas, which an apply keeps if no manifest sets them.

    Pods of several ReplicaSets do not show the number.
    """
    if workload.kind not in SCALED or workload.custom or not cluster.pods:
        return workload
    pods = [*own_pods(workload, cluster.pods), *own_waiting(workload, cluster.pods)]
    alike = len({pod.meta.owner for pod in pods}) == 1
    return replace(workload, replicas=len(pods)) if alike else workload
