"""What the API server refuses beyond the schema, by kind: objects, and changes of objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kubelint_gpu.kube.objects.priority import read_priority_class
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.validation.policy_validation import budget_problems, limit_range_problems, quota_problems
from kubelint_gpu.kube.validation.resource_validation import sum_problems
from kubelint_gpu.kube.validation.template_validation import (
    claim_problems,
    name_problems,
    pod_problems,
    workload_problems,
)
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.field_pointers import at
from kubelint_gpu.workspace.manifest import Manifest

DEVICE_GROUP = "resource.k8s.io"
DEVICE_KINDS = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate")


def further_problems(manifest: Manifest, minor: int | None) -> Iterator[InvalidObject]:
    """The problems of the whole object, or of the pod template inside a custom resource."""
    workload, value = manifest.workload, manifest.item.value
    if workload is not None and workload.custom:
        if workload.is_template and not workload.partial and not workload.extended:
            spec = at(manifest, workload.spec_pointer)
            yield from pod_problems(spec if isinstance(spec, dict) else {}, workload.spec_pointer, volumes=None)
    elif workload is not None and not workload.partial:
        yield from name_problems(workload.kind, value)
        yield from workload_problems(workload.kind, value, workload.template_pointer)
        yield from sum_problems(workload.spec, workload.spec_pointer)
    elif api_group(value) == DEVICE_GROUP and manifest.kind in DEVICE_KINDS:
        from kubelint_gpu.kube.validation.device_validation import device_problems

        yield from name_problems(manifest.kind, value)
        yield from device_problems(value, minor)
    elif api_group(value) == DEVICE_GROUP and manifest.kind in ("ResourceSlice", "DeviceTaintRule"):
        from kubelint_gpu.kube.dra.resource_slice import read_device_taint_rule, read_resource_slice

        wrong: list[InvalidObject] = []
        (read_resource_slice if manifest.kind == "ResourceSlice" else read_device_taint_rule)(value, wrong)
        yield from wrong
    elif (further := _OTHERS.get((api_group(value), manifest.kind))) is not None:
        yield from name_problems(manifest.kind, value)
        yield from further(value)
    elif (api_group(value), manifest.kind) == ("autoscaling", "HorizontalPodAutoscaler"):
        from kubelint_gpu.kube.validation.autoscaler_validation import autoscaler_problems

        yield from name_problems(manifest.kind, value)
        yield from autoscaler_problems(value, minor)


def _of_class(value: dict[str, Any]) -> Iterator[InvalidObject]:
    """Values of a PriorityClass that do not fit into 32 bits; KLG303 reports the rest."""
    problems: list[InvalidObject] = []
    read_priority_class(value, problems)
    yield from (problem for problem in problems if problem.pointer == ("value",))
    if value.get("preemptionPolicy") == "":
        yield InvalidObject("preemptionPolicy may not be empty", ("preemptionPolicy",), "")


_OTHERS: dict[tuple[str, str], Callable[[dict[str, Any]], Iterator[InvalidObject]]] = {
    ("", "ResourceQuota"): quota_problems,
    ("", "LimitRange"): limit_range_problems,
    ("", "PersistentVolumeClaim"): lambda value: claim_problems(mapping(value.get("spec")), ("spec",), whole=False),
    ("policy", "PodDisruptionBudget"): budget_problems,
    ("scheduling.k8s.io", "PriorityClass"): _of_class,
}


_CAPTURED = frozenset((
    "PersistentVolumeClaim", "PriorityClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceQuota", "RuntimeClass",
    "StorageClass",
))  # fmt: skip


def kept_objects(
    manifests: Iterable[Manifest], before: Mapping[str, Manifest], world: ClusterContext, minor: int | None
) -> dict[str, Manifest | None]:
    """The remaining state of objects whose change is refused, by `kind/namespace/name`; None if the inventory has it.

    `kubectl apply` continues with the other objects. A change that only some ways of applying refuse counts as
    accepted.
    """
    kept: dict[str, Manifest | None] = {}
    for one in manifests:
        value, old = existing(one, before, world), before.get(one.object)
        if value and value != one.item.value:
            from kubelint_gpu.kube.updates.object_updates import refused_changes

            changes = refused_changes(value, one.item.value, minor, captured=old is None)
            invalid = any(not found.placeholder for found in (*one.problems, *further_problems(one, minor)))
            if invalid or any(not found.where for found in changes):
                kept[one.object] = old
    return kept


def existing(manifest: Manifest, before: Mapping[str, Manifest], world: ClusterContext) -> dict[str, Any]:
    """An object before this change, or from the inventory if its kind is captured; empty if neither is known."""
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
