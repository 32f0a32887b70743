"""Which changes of objects the API server refuses, and the state that remains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest

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
            from kubelint_gpu.workspace.kind_validation import further_problems

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
