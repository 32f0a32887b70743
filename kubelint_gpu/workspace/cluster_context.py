"""What the manifests are checked against: the declared cluster, and what is deployed beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.documents import Pointer, Reading
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import Inventory, InventoryError
from kubelint_gpu.kube.objects.cluster import Cluster, read_cluster, read_object
from kubelint_gpu.kube.objects.relaxation import relaxed
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.placement.running_claims import with_allocations
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.manifest import CLUSTER_SCOPED, Manifest, place_of
from kubelint_gpu.workspace.shared_objects import NOTHING_BESIDE, Beside, SharedObjects

_SHARED = frozenset(("PriorityClass", "StorageClass", "RuntimeClass", "Namespace"))
_FROM_MANIFESTS = _SHARED | {
    "PodDisruptionBudget", "PersistentVolumeClaim", "PersistentVolume", "ResourceQuota", "LimitRange",
    "DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceTaintRule",
}  # fmt: skip
_CLASSES = frozenset(("PriorityClass", "RuntimeClass"))
_OF_EVERY_CLUSTER = frozenset(("kube-system", "system-cluster-critical", "system-node-critical"))
_KEPT_FROM_CLUSTER = frozenset(("claims", "resource_claims"))
_KEPT_FIELDS = {"PodDisruptionBudget": "status", "PriorityClass": "preemptionPolicy"}


class _Shared:
    """The declared cluster with the shared objects of a run, as if all of them belonged to other files."""

    def __init__(self, own: Cluster, others: Cluster) -> None:
        self._own = own
        self._others = others
        self._at = {("PriorityClass", one.name): place for place, one in enumerate(own.priority_classes)}
        self._at |= {("RuntimeClass", one.name): place for place, one in enumerate(own.runtime_classes)}

    def seen_by(self, classes: Collection[tuple[str, str]]) -> Cluster:
        """The cluster as seen by files that contain some of the classes themselves."""
        mine = [(one, self._at[one]) for one in classes if one in self._at]
        if not mine:
            return self._others
        priorities, runtimes = list(self._others.priority_classes), list(self._others.runtime_classes)
        for (kind, _), place in mine:
            if kind == "PriorityClass":
                priorities[place] = self._own.priority_classes[place]
            else:
                runtimes[place] = self._own.runtime_classes[place]
        return replace(self._others, priority_classes=tuple(priorities), runtime_classes=tuple(runtimes))


class ClusterContext:
    """The declared cluster.

    Attributes:
        readings: the files of the inventory.
        errors: the errors in these.
        name: its name in findings if there are several clusters; else empty.
        what_if: the differences from the files, in words.
        full: whether every node counts as full.
    """

    def __init__(
        self,
        inventory: Inventory | None = None,
        readings: Sequence[Reading] = (),
        errors: Sequence[InventoryError] = (),
        name: str = "",
        what_if: str = "",
        *,
        full: bool = False,
    ) -> None:
        self.full = full
        self.name = name
        self.what_if = what_if
        self._inventory = inventory
        self.readings = tuple(readings)
        self.errors = tuple(errors)
        self._shared: tuple[SharedObjects, _Shared] | None = None
        self._snapshots: list[tuple[Cluster, bool, Snapshot]] = []

    @property
    def inventory(self) -> Inventory | None:
        """The inventory; None if there is none."""
        return self._inventory

    @property
    def node_count(self) -> int:
        """The number of declared nodes."""
        return len(self.base.nodes)

    @cached_property
    def usable(self) -> bool:
        """Whether there is a usable inventory; single objects of it may be unreadable."""
        return self.inventory is not None and not any(error.fatal for error in self.errors)

    @property
    def whole(self) -> bool:
        """Whether there is an inventory without errors."""
        return self.usable and not any(error.of_object for error in self.errors)

    def without_objects(self) -> ClusterContext:
        """A cluster of which only the release and the settings are known."""
        if self.inventory is None:
            return self
        said = self.inventory
        known = Inventory(
            kubernetes_version=said.kubernetes_version, admission=said.admission, scheduler=said.scheduler
        )
        return ClusterContext(known, (), (InventoryError("", None, "nothing of it is known"),), self.name)

    @cached_property
    def digest(self) -> str | None:
        """A digest of the declaration; None if not all of it comes from readable files."""
        files = [one.source.digest for one in self.readings if one.source is not None and not one.problems]
        if len(files) < len(self.readings) or (not files and (self._inventory is not None or self.usable)):
            return None
        return digest_of((self.name, self.what_if, str(self.full), *map(repr, self.errors), "files", *files))

    @cached_property
    def has_slices(self) -> bool:
        """Whether any device is declared by a ResourceSlice."""
        if self.inventory is None:
            return False
        return any(pool.slices for pool in self.inventory.pools) or any(self.inventory.of_kind("ResourceSlice"))

    def ignores(self, resource: str) -> bool:
        """Whether the default profile of kube-scheduler is configured to ignore a resource."""
        if self.inventory is None:
            return False
        names, groups = map(self.inventory.scheduler.of_default, ("ignoredResources", "ignoredResourceGroups"))
        return resource in (names or ()) or resource.partition("/")[0] in (groups or ())

    @cached_property
    def base(self) -> Cluster:
        """The declared cluster alone; empty without a usable inventory.

        Its devices are known if a ResourceSlice is declared.
        """
        if self.inventory is None or not self.usable:
            return Cluster()
        objects, version = self.inventory.objects, self.inventory.kubernetes_version
        found = read_cluster([one.value for one in objects], known=[one.typed for one in objects], version=version)
        return with_allocations(replace(found, devices_known=self.has_slices))

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Declared]:
        found: dict[tuple[str, str], Declared] = {}
        for declared in self.inventory.objects if self.inventory is not None else ():
            found.setdefault((declared.kind, declared.name), declared)
        return found

    @cached_property
    def shows_all(self) -> bool:
        """Whether it was captured completely: then it has `kube-system`, and missing objects do not exist."""
        return bool(self.base.pods) and "kube-system" in [one.name for one in self.base.namespaces]

    @cached_property
    def captured(self) -> bool:
        """Whether it was captured: it has objects that every API server creates, or `kube-system`."""
        shown = {one.name for one in self.base.priority_classes} | {one.name for one in self.base.namespaces}
        return not shown.isdisjoint(_OF_EVERY_CLUSTER)

    @cached_property
    def _with_pods(self) -> frozenset[str]:
        return frozenset(pod.meta.namespace for pod in self.base.pods)

    def shows_pods_of(self, namespace: str) -> bool:
        """Whether pods of a namespace that the inventory does not contain do not exist."""
        return self.shows_all or (self.captured and namespace in self._with_pods)

    def declared(self, kind: str, name: str, namespace: str = "") -> Declared | None:
        """An object of the inventory; without a namespace, the first one of this name."""
        if not namespace:
            return self._by_name.get((kind, name))
        for declared in self.inventory.objects if self.inventory is not None else ():
            meta = declared.value.get("metadata", {})
            if (declared.kind, declared.name, meta.get("namespace", "default")) == (kind, name, namespace):
                return declared
        return None

    def place(self, declared: Declared, pointer: Pointer = ()) -> Place:
        """The place where a field of an object of the inventory was declared."""
        span = declared.locate(pointer) if pointer else declared.locate(("metadata", "name"))
        return place_of(declared.item.document.source.path, span)

    def cluster(self, mine: Sequence[Manifest], beside: Beside = NOTHING_BESIDE) -> Cluster:
        """The declared cluster with the objects of the manifests.

        If both have an object, the manifest's counts, because it will be applied; volumes and claims keep the state
        that the cluster gave them. Invalid values of manifests are left out; the rule for values reports them. Values
        that are filled in later restrict nothing. Objects in `beside` only count by name: they may go to another
        cluster, so they are no defaults.
        """
        shared = beside.shared
        own = [one for one in mine if one.kind in _SHARED and one.name]
        here = frozenset((one.kind, one.name) for one in own if one.kind in _CLASSES)
        if shared.are(own, beside.mine):
            found = self._with_shared(shared).seen_by(here)
        else:
            strangers = frozenset((one.kind, one.name) for one in beside.of_kinds(sorted(_CLASSES))) - here
            found = self._without_defaults(self._merged((*beside, *own)), strangers)
        brought = self._brought(one for one in mine if one.kind not in _SHARED)
        return with_allocations(merged_cluster(found, brought)) if brought else found

    def _merged(self, manifests: Iterable[Manifest]) -> Cluster:
        brought = self._brought(manifests)
        return merged_cluster(self.base, brought) if brought else self.base

    def _with_shared(self, shared: SharedObjects) -> _Shared:
        """The declared cluster with the shared objects of a run; computed once."""
        known = self._shared
        if known is None or known[0] is not shared:
            merged = self._merged(shared.every)
            strangers = frozenset((one.kind, one.name) for kind in _CLASSES for one in shared.by_kind.get(kind, ()))
            known = self._shared = (shared, _Shared(merged, self._without_defaults(merged, strangers)))
        return known[1]

    def _brought(self, manifests: Iterable[Manifest]) -> dict[tuple[str, str, str], tuple[Any, Any]]:
        """The objects that manifests bring to the cluster, by identity, with parsed values; of equal ones the last.

        DeviceTaintRules only have an effect if a gate is on (1.36), which is so if the cluster has some.
        """
        kinds = _FROM_MANIFESTS if self.base.device_taint_rules else _FROM_MANIFESTS - {"DeviceTaintRule"}
        brought: dict[tuple[str, str, str], tuple[Any, Any]] = {}
        for manifest in manifests:
            if manifest.kind in kinds and manifest.name:
                value, problems = self._applied(manifest), list[InvalidObject]()
                typed = read_object(value, problems)
                # how high a class is decides between pods, so that there is no least
                if problems and manifest.kind != "PriorityClass" and all(one.placeholder for one in problems):
                    value = relaxed(value, [one.pointer for one in problems])
                    problems.clear()
                    typed = read_object(value, problems)
                if not problems:
                    brought[_identity(value)] = value, typed
        return brought

    def _without_defaults(self, cluster: Cluster, strangers: Collection[tuple[str, str]]) -> Cluster:
        """The cluster with some classes as in the inventory or, if they are not there, not as defaults."""
        if not strangers:
            return cluster
        base = {found.name: found for found in self.base.priority_classes}
        classes = (
            base.get(found.name, replace(found, global_default=False))
            if ("PriorityClass", found.name) in strangers
            else found
            for found in cluster.priority_classes
        )
        declared = {found.name: found for found in self.base.runtime_classes}
        runtimes = (
            declared.get(found.name, found) if ("RuntimeClass", found.name) in strangers else found
            for found in cluster.runtime_classes
        )
        return replace(cluster, priority_classes=tuple(classes), runtime_classes=tuple(runtimes))

    def snapshot(self, cluster: Cluster, *, pods: bool) -> Snapshot:
        """The cluster as the scheduler sees it, with its running pods or without any; built once for each cluster."""
        for other, has_pods, found in self._snapshots:
            if other is cluster and has_pods is pods:
                return found
        if cluster is not self.base:
            self._snapshots = [one for one in self._snapshots if one[0] is self.base]
        made = Snapshot.of(cluster if pods else replace(cluster, pods=()))
        self._snapshots.append((cluster, pods, made))
        return made

    def _applied(self, manifest: Manifest) -> dict[str, Any]:
        """The object after a manifest is applied: an omitted immutable field keeps its value."""
        value = manifest.item.value
        field = _KEPT_FIELDS.get(manifest.kind)
        known = None if field is None or field in value else self.declared(manifest.kind, manifest.name)
        return value if known is None or field not in known.value else {**value, field: known.value[field]}


def merged_cluster(base: Cluster, brought: dict[tuple[str, str, str], tuple[Any, Any]]) -> Cluster:
    """A cluster with further objects, which replace those of the same name; bound claims and volumes stay bound."""
    values, typed = zip(*brought.values(), strict=True)
    added = read_cluster(values, known=typed)
    changes: dict[str, Any] = {}
    for field in Cluster.__struct_fields__:
        new = getattr(added, field)
        if field in ("version", "devices_known") or not new:
            continue
        known = {_key(found): found for found in getattr(base, field)}
        if field in _KEPT_FROM_CLUSTER:
            new = [found for found in new if _key(found) not in known]
        elif field == "volumes":
            new = [found.after(known.get(_key(found))) for found in new]
        mine = {_key(found) for found in new}
        changes[field] = (*(found for key, found in known.items() if key not in mine), *new)
    return replace(base, **changes)


def _key(found: Any) -> tuple[str, str]:
    meta = getattr(found, "meta", None)
    return ("", found.name) if meta is None else (meta.namespace, meta.name)


def _identity(value: dict[str, Any]) -> tuple[str, str, str]:
    kind = str(value.get("kind"))
    meta = value.get("metadata") or {}
    namespace = "" if kind in CLUSTER_SCOPED else str(meta.get("namespace") or "default")
    return kind, namespace, str(meta.get("name"))
