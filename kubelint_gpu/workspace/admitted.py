"""What the API server makes of what is applied: changes that it refuses, and workloads as admission leaves their pods.

A workload is judged with as many replicas as it comes to have at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kubelint_gpu.kube.admission.defaults import admitted, without_resources
from kubelint_gpu.kube.admission.scheduler_profile import with_added_affinity, with_default_constraints
from kubelint_gpu.kube.objects.limit_range import with_defaults
from kubelint_gpu.kube.objects.priority import HIGHEST_USER_PRIORITY, PREEMPT, UnknownPriorityClass
from kubelint_gpu.kube.objects.runtime_class import with_runtime_class
from kubelint_gpu.kube.objects.taints import Toleration, read_toleration
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.prepare.workload_change import own_pods, own_waiting, resolved_workload
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.autoscalers import SCALED, Autoscalers, scaled_at_once
from kubelint_gpu.workspace.field_pointers import REPLICAS
from kubelint_gpu.workspace.workload_check import WorkloadCheck

if TYPE_CHECKING:
    from kubelint_gpu.inventory.declarations.inventory import Inventory
    from kubelint_gpu.kube.objects.cluster import Cluster
    from kubelint_gpu.kube.objects.workload import Workload
    from kubelint_gpu.workspace.cluster_context import ClusterContext
    from kubelint_gpu.workspace.manifest import Manifest
    from kubelint_gpu.workspace.resource_supply import ResourceSupply

_CAPTURED = ("PersistentVolumeClaim", "PriorityClass", "ResourceQuota", "RuntimeClass", "StorageClass")


def judged(
    manifest: Manifest,
    workload: Workload,
    autoscalers: Autoscalers,
    cluster: Cluster,
    supply: ResourceSupply | None,
    before: Manifest | None,
) -> WorkloadCheck:
    """A workload, or one as it was before, as it is judged.

    `supply` is None where there are no nodes to judge by; `before` is the manifest as it was applied last.
    """
    if not any(one.present(REPLICAS) for one in (manifest, before) if one is not None):
        workload = _as_scaled(workload, cluster)
    inventory = supply.world.inventory if supply is not None else None
    ranges = [found for found in cluster.limit_ranges if found.meta.namespace == workload.meta.namespace]
    spec = admitted(with_defaults(workload.spec, ranges), **_admission(inventory))  # type: ignore[arg-type]
    spec = with_runtime_class(spec, cluster.runtime_classes)
    if supply is not None and inventory is not None:
        spec = without_resources(spec, supply.given_out_elsewhere)
        settings = inventory.scheduler
        spec = with_added_affinity(spec, settings.of_default("addedAffinity") or {})
        constraints = settings.of_default("defaultConstraints") or settings.default_constraints
        spec = with_default_constraints(spec, workload, constraints)
    scaled = scaled_at_once(workload, autoscalers)
    workload = replace(
        workload,
        spec=spec,
        written=workload.spec if controller_of(workload).node_bound else None,
        replicas=scaled.replicas if scaled is not None else workload.replicas,
    )
    try:
        return WorkloadCheck(manifest, resolved_workload(workload, cluster.priority_classes), scaled=scaled)
    except UnknownPriorityClass:
        # it is placed as if the class were there; with the highest that there may be it can evict whom it likes
        spec = replace(spec, priority=HIGHEST_USER_PRIORITY, preemption_policy=PREEMPT)
        return WorkloadCheck(manifest, replace(workload, spec=spec), known_class=False, scaled=scaled)


def _as_scaled(workload: Workload, cluster: Cluster) -> Workload:
    """The workload with as many replicas as it has, which an apply leaves where no manifest says how many.

    Pods of several ReplicaSets do not tell the number.
    """
    if workload.kind not in SCALED or workload.custom or not cluster.pods:
        return workload
    pods = [*own_pods(workload, cluster.pods), *own_waiting(workload, cluster.pods)]
    alike = len({pod.meta.owner for pod in pods}) == 1
    return replace(workload, replicas=len(pods)) if alike else workload


def _admission(inventory: Inventory | None) -> dict[str, object]:
    if inventory is None:
        return {}
    tolerations: list[tuple[str, Toleration]] = [
        (str(value.get("resource", "")), read_toleration(Fields(value)))
        for value in inventory.admission.default_tolerations
    ]
    return {
        "extended_resource_toleration": inventory.admission.extended_resource_toleration,
        "tolerations": tolerations,
    }


def kept_objects(
    manifests: Iterable[Manifest], before: Mapping[str, Manifest], world: ClusterContext, minor: int | None
) -> dict[str, Manifest | None]:
    """What stays of the objects whose change is refused, by `kind/namespace/name`; None for what the inventory has.

    `kubectl apply` goes on with the others. What is refused in one way of applying only is taken to be accepted.
    """
    kept: dict[str, Manifest | None] = {}
    for one in manifests:
        value, old = existing(one, before, world), before.get(one.object)
        if value and value != one.item.value:
            from kubelint_gpu.kube.updates.object_updates import refused_changes

            changes = refused_changes(value, one.item.value, minor, captured=old is None)
            invalid = any(not found.placeholder for found in one.problems)
            if invalid or any(not found.where for found in changes):
                kept[one.object] = old
    return kept


def existing(manifest: Manifest, before: Mapping[str, Manifest], world: ClusterContext) -> dict[str, Any]:
    """An object as it was, or as the inventory has one of a kind that is captured; empty where neither is known."""
    old = before.get(manifest.object)
    if any(one is not None and one.workload is not None and one.workload.partial for one in (old, manifest)):
        return {}
    if old is not None:
        return old.item.value
    if manifest.kind not in _CAPTURED or world.declared(manifest.kind, manifest.name) is None:
        return {}
    found = world.declared(manifest.kind, manifest.name, manifest.namespace or "default")
    # what the API server filled in is there, too
    return {} if found is None else {**found.value, "metadata": {**found.value["metadata"], "uid": ""}}
