"""Raw Kubernetes objects: which kinds describe a cluster, and whether they can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubelint_gpu.documents import Item, Pointer
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import error_about, warning_about
from kubelint_gpu.inventory.kubernetes_version import minor_version
from kubelint_gpu.inventory.reading import understood
from kubelint_gpu.kube.objects.node import Node, with_cordon_taint
from kubelint_gpu.kube.values.plain import shortened
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.inventory.declarations.inventory import InventoryError


# Kind to API group; of other kinds placement does not depend.
KINDS = {
    "CSIDriver": "storage.k8s.io",
    "CSINode": "storage.k8s.io",
    "CSIStorageCapacity": "storage.k8s.io",
    "DeviceClass": "resource.k8s.io",
    "DeviceTaintRule": "resource.k8s.io",
    "LimitRange": "",
    "Namespace": "",
    "Node": "",
    "PersistentVolume": "",
    "PersistentVolumeClaim": "",
    "Pod": "",
    "PodDisruptionBudget": "policy",
    "PriorityClass": "scheduling.k8s.io",
    "ResourceClaim": "resource.k8s.io",
    "ResourceClaimTemplate": "resource.k8s.io",
    "ResourceQuota": "",
    "ResourceSlice": "resource.k8s.io",
    "RuntimeClass": "node.k8s.io",
    "StorageClass": "storage.k8s.io",
    "VolumeAttachment": "storage.k8s.io",
}

_VERSIONS = {"": ("v1",), "resource.k8s.io": ("v1alpha2", "v1alpha3", "v1beta1", "v1beta2", "v1")}
_OF_OTHERS = ("v1alpha1", "v1beta1", "v1")


def is_cluster_object(value: dict[str, Any]) -> bool:
    """Whether an object is of a kind that describes a cluster, in an API version that Kubernetes has or had."""
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return False
    group, _, number = version.rpartition("/")
    return KINDS.get(kind) == group and number in _VERSIONS.get(group, _OF_OTHERS)


def raw_object(
    item: Item, problems: list[InventoryError], value: dict[str, Any] | None = None, pointer: Pointer = ()
) -> Declared | None:
    """Return a raw object, or None if it is broken; the error is then among the problems.

    `value` is given if the object is only a part of the item, at `pointer`.
    """
    value = item.value if value is None else value
    metadata = value.get("metadata")
    declared = Declared(value, item, pointer)
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name") or None, str):
        problems.append(error_about(declared, ("metadata",), f"{declared.kind} has no metadata.name"))
        return None
    return _checked(declared, problems)


def _checked(declared: Declared, problems: list[InventoryError]) -> Declared | None:
    if declared.kind == "Node":
        declared = replace(declared, value=with_cordon_taint(declared.value))
    found = understood(declared, problems)
    node = found.typed if found is not None else None
    if not isinstance(node, Node):
        return found
    if "pods" not in node.allocatable:
        sentence = f"Node {node.name} has no allocatable pods, so no pod at all can run on it"
        problems.append(warning_about(declared, ("status", "allocatable"), sentence, 'a usual value is pods: "110"'))
    version = node.kubelet_version
    if version and minor_version(version) is None:
        sentence = f'Node {node.name} has kubelet version "{shortened(version)}", which is none of Kubernetes'
        where = ("status", "nodeInfo", "kubeletVersion")
        problems.append(warning_about(declared, where, sentence, "nothing follows from it; a usual one is v1.34.1"))
    return found
