"""A cluster as the scheduling core sees it: all objects that decide where a pod may go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from kubelint_gpu.kube.objects.disruption import PodDisruptionBudget, read_disruption_budget
from kubelint_gpu.kube.objects.limit_range import LimitRange, read_limit_range
from kubelint_gpu.kube.objects.meta import Meta, Namespace, named, read_namespace
from kubelint_gpu.kube.objects.node import Node, read_node
from kubelint_gpu.kube.objects.pod import Pod, read_pod
from kubelint_gpu.kube.objects.priority import PriorityClass, read_priority_class
from kubelint_gpu.kube.objects.quota import ResourceQuota, read_resource_quota
from kubelint_gpu.kube.objects.runtime_class import RuntimeClass, read_runtime_class
from kubelint_gpu.kube.objects.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
    read_csi_driver,
    read_csi_node,
    read_csi_storage_capacity,
    read_persistent_volume,
    read_persistent_volume_claim,
    read_storage_class,
    read_volume_attachment,
)
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.values import Value, replace

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import ResourceClaim, ResourceClaimTemplate
    from kubelint_gpu.kube.dra.device_class import DeviceClass
    from kubelint_gpu.kube.dra.resource_slice import DeviceTaintRule, ResourceSlice


def _of_devices(module: str, reader: str) -> Callable[..., Any]:
    """A reader of `kube.dra` whose module is imported with the first object."""

    def read(*asked: Any) -> Any:
        return getattr(import_module(f"kubelint_gpu.kube.dra.{module}"), reader)(*asked)

    return read


_READERS: dict[str, tuple[str, bool, Callable[..., Any]]] = {
    "Node": ("nodes", False, read_node),
    "Pod": ("pods", True, read_pod),
    "Namespace": ("namespaces", False, read_namespace),
    "PriorityClass": ("priority_classes", False, read_priority_class),
    "PodDisruptionBudget": ("disruption_budgets", True, read_disruption_budget),
    "PersistentVolumeClaim": ("claims", True, read_persistent_volume_claim),
    "PersistentVolume": ("volumes", False, read_persistent_volume),
    "StorageClass": ("storage_classes", False, read_storage_class),
    "CSINode": ("csi_nodes", False, read_csi_node),
    "CSIDriver": ("csi_drivers", False, read_csi_driver),
    "CSIStorageCapacity": ("storage_capacities", True, read_csi_storage_capacity),
    "VolumeAttachment": ("volume_attachments", False, read_volume_attachment),
    "ResourceQuota": ("quotas", True, read_resource_quota),
    "LimitRange": ("limit_ranges", True, read_limit_range),
    "RuntimeClass": ("runtime_classes", False, read_runtime_class),
    "DeviceClass": ("device_classes", False, _of_devices("device_class", "read_device_class")),
    "ResourceSlice": ("resource_slices", False, _of_devices("resource_slice", "read_resource_slice")),
    "ResourceClaim": ("resource_claims", True, _of_devices("claim", "read_resource_claim")),
    "ResourceClaimTemplate": ("claim_templates", True, _of_devices("claim", "read_resource_claim_template")),
    "DeviceTaintRule": ("device_taint_rules", False, _of_devices("resource_slice", "read_device_taint_rule")),
}

_OF_DEVICES = ("device_classes", "resource_slices", "resource_claims")


class Cluster(Value):
    """All objects of a cluster that scheduling looks at; pods with a node name are on that node.

    `version` is that of the control plane, `1.34` or `1.34.1`, None if unknown.
    `devices_known` says that it has all DeviceClasses, ResourceSlices and claims; otherwise claims keep no pod away.
    """

    nodes: tuple[Node, ...] = ()
    pods: tuple[Pod, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    priority_classes: tuple[PriorityClass, ...] = ()
    disruption_budgets: tuple[PodDisruptionBudget, ...] = ()
    claims: tuple[PersistentVolumeClaim, ...] = ()
    volumes: tuple[PersistentVolume, ...] = ()
    storage_classes: tuple[StorageClass, ...] = ()
    csi_nodes: tuple[CSINode, ...] = ()
    csi_drivers: tuple[CSIDriver, ...] = ()
    storage_capacities: tuple[CSIStorageCapacity, ...] = ()
    volume_attachments: tuple[VolumeAttachment, ...] = ()
    quotas: tuple[ResourceQuota, ...] = ()
    limit_ranges: tuple[LimitRange, ...] = ()
    runtime_classes: tuple[RuntimeClass, ...] = ()
    device_classes: tuple[DeviceClass, ...] = ()
    resource_slices: tuple[ResourceSlice, ...] = ()
    resource_claims: tuple[ResourceClaim, ...] = ()
    claim_templates: tuple[ResourceClaimTemplate, ...] = ()
    device_taint_rules: tuple[DeviceTaintRule, ...] = ()
    devices_known: bool = False
    version: str | None = None


def read_cluster(
    objects: Iterable[Any], *, known: Iterable[Any] = (), version: str | None = None, complete: bool = False
) -> Cluster:
    """The cluster made of some plain API objects; kinds that scheduling does not look at are left out.

    `known` has the parsed value for each object, None if it was not parsed.
    With `complete` these are all existing objects, so that no object of `resource.k8s.io` means no devices.

    Raises:
        InvalidObject: a field has a value the API server would refuse, an object has no name, or it is given twice.
    """
    found: dict[str, list[Any]] = {field: [] for field, _, _ in _READERS.values()}
    seen: set[tuple[str, str, str]] = set()
    for value, typed in zip(objects, chain(known, repeat(None)), strict=False):
        kind = value.get("kind") if isinstance(value, dict) else None
        reader = _READERS.get(kind) if isinstance(kind, str) else None
        if reader is None:
            continue
        field, _, read = reader
        try:
            mine = identity(value)
        except InvalidObject as error:
            raise named(error, value) from None
        if mine in seen:
            raise named(InvalidObject("is given twice", ("metadata", "name"), mine[2]), value)
        seen.add(mine)
        found[field].append(read(value) if typed is None else typed)
    fields = {field: tuple(values) for field, values in found.items()}
    devices_known = complete or any(fields[field] for field in _OF_DEVICES)
    return Cluster(version=version, devices_known=devices_known, **fields)


def read_object(value: dict[str, Any], problems: list[InvalidObject]) -> Any:
    """One object as `read_cluster` parses it, None for other kinds; errors are appended to `problems`."""
    kind = value.get("kind")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        return None
    try:
        identity(value)
        return reader[2](value, problems)
    except InvalidObject as error:
        problems.append(error)
        return None


def identity(value: dict[str, Any]) -> tuple[str, str, str]:
    """Kind, namespace and name, which are unique in a cluster.

    A kind that scheduling does not look at counts as namespaced.

    Raises:
        InvalidObject: the object has no name.
    """
    reader = _READERS.get(value["kind"])
    meta = value.get("metadata")
    name = meta.get("name") if isinstance(meta, dict) else None
    if not isinstance(meta, dict) or not isinstance(name, str) or not name:
        raise InvalidObject("must be the name of the object", ("metadata", "name"), name)
    namespaced = reader is None or reader[1]
    return value["kind"], str(meta.get("namespace") or "default") if namespaced else "", name


def with_former_limits(cluster: Cluster, before: Cluster) -> Cluster:
    """The cluster with quotas that also have their limits of `before`; a new quota had none.

    The usage of an applied quota stays that of its status.
    """
    known = {(one.meta.namespace, one.meta.name): one for one in before.quotas}
    quotas = (one.instead_of(known.get((one.meta.namespace, one.meta.name))) for one in cluster.quotas)
    return replace(cluster, quotas=tuple(quotas))


def with_labels(cluster: Cluster, written: Mapping[tuple[str, str], Meta]) -> Cluster:
    """The cluster with new labels for its bare pods, by namespace and name, as after an update in place."""

    def updated(pod: Pod) -> Pod:
        found = written.get((pod.meta.namespace, pod.meta.name), pod.meta).labels
        return pod if pod.meta.owner or found == pod.meta.labels else replace(pod, meta=replace(pod.meta, labels=found))

    pods = tuple(map(updated, cluster.pods)) if written else cluster.pods
    return cluster if pods == cluster.pods else replace(cluster, pods=pods)
