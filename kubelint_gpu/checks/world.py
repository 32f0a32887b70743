"""What the manifests are checked against: the declared cluster, and what is deployed beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kubelint_gpu.checks.finding import Place
from kubelint_gpu.checks.manifest import Manifest, place_of
from kubelint_gpu.documents import Pointer, Reading
from kubelint_gpu.inventory.declared import Declared
from kubelint_gpu.inventory.inventory import Inventory, InventoryError
from kubelint_gpu.kube.cluster import Cluster, read_cluster
from kubelint_gpu.kube.errors import InvalidObject

_FROM_MANIFESTS = frozenset(
    (
        "Namespace",
        "PriorityClass",
        "PodDisruptionBudget",
        "PersistentVolumeClaim",
        "PersistentVolume",
        "StorageClass",
        "ResourceQuota",
        "LimitRange",
        "RuntimeClass",
    )
)
_CLUSTER_SCOPED = frozenset(("Namespace", "PriorityClass", "PersistentVolume", "StorageClass", "RuntimeClass", "Node"))
_KEPT_FROM_CLUSTER = frozenset(("PersistentVolumeClaim", "PersistentVolume"))


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """The cluster that was declared.

    Attributes:
        inventory: what was declared; None without one.
        readings: the files of the inventory.
        errors: what is wrong with it.
    """

    inventory: Inventory | None = None
    readings: tuple[Reading, ...] = ()
    errors: tuple[InventoryError, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether there is an inventory and it is free of errors."""
        return self.inventory is not None and not any(error.severity == "error" for error in self.errors)

    def declared(self, kind: str, name: str) -> Declared | None:
        """An object of the inventory."""
        if self.inventory is None:
            return None
        return next((found for found in self.inventory.of_kind(kind) if found.name == name), None)

    def place(self, declared: Declared, pointer: Pointer = ()) -> Place:
        """Where a field of an object of the inventory was declared."""
        span = declared.locate(pointer) if pointer else declared.locate(("metadata", "name"))
        return place_of(declared.item.document.source.path, span)

    def cluster(self, mine: Sequence[Manifest], beside: Iterable[Manifest] = ()) -> Cluster:
        """The declared cluster with what the manifests bring to it.

        Of an object that both have, the manifest's counts: it is what will be applied; volumes and claims keep the
        state that the cluster gave them.
        What a manifest says wrongly is left out here; the rule for values reports it.
        """
        inventory = self.inventory if self.usable else None
        objects: dict[tuple[str, str, str], Any] = {}
        version = None
        if inventory is not None:
            version = inventory.kubernetes_version
            for declared in inventory.objects:
                objects[_identity(declared.value)] = declared.value
        for manifest in (*beside, *mine):
            if manifest.kind not in _FROM_MANIFESTS or not manifest.name:
                continue
            key = _identity(manifest.item.value)
            if key in objects and manifest.kind in _KEPT_FROM_CLUSTER:
                continue
            if _lawful(manifest.item.value):
                objects[key] = _with_status(manifest.item.value, objects.get(key))
        return replace(read_cluster(objects.values(), version=version))


def _identity(value: dict[str, Any]) -> tuple[str, str, str]:
    kind = str(value.get("kind"))
    meta = value.get("metadata") or {}
    namespace = "" if kind in _CLUSTER_SCOPED else str(meta.get("namespace") or "default")
    return kind, namespace, str(meta.get("name"))


def _lawful(value: dict[str, Any]) -> bool:
    try:
        read_cluster([value])
    except InvalidObject:
        return False
    return True


def _with_status(value: dict[str, Any], known: Any) -> dict[str, Any]:
    """A manifest has no status; the cluster's knows how many disruptions are allowed."""
    if isinstance(known, dict) and "status" in known and "status" not in value and value.get("kind") != "ResourceQuota":
        return {**value, "status": known["status"]}
    return value
