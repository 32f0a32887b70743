"""Concise nodes and pools as complete API nodes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kubelint_gpu.documents import Item, Pointer, value_at
from kubelint_gpu.inventory.declarations.declared import Declared, Routes
from kubelint_gpu.inventory.declarations.inventory import (
    MAY_BE,
    ONE_PER_CONTAINER,
    POOL,
    UNHEALTHY,
    UNLIMITED,
    Autoscaling,
    InventoryError,
    Pool,
    error_about,
    error_at,
    remark_at,
    warning_about,
)
from kubelint_gpu.inventory.gpus.advertised import Advertised, advertised
from kubelint_gpu.inventory.kubernetes_version import minor_version
from kubelint_gpu.inventory.reading import understood
from kubelint_gpu.kube.objects.node import Node, with_cordon_taint
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.plain import shortened
from kubelint_gpu.kube.values.quantity import difference, text
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.inventory.declarations.inventory import InventoryError

MOST_NODES = 30_000
HOSTNAME = "kubernetes.io/hostname"
# A resource that a concise node leaves out has no limit; the scheduler needs a number that no request reaches.
_NO_LIMIT = {"cpu": "1000000", "memory": "1Pi", "ephemeral-storage": "1Pi"}
_PODS = "110"
_TEMPLATE = "template-for-"


def node(item: Item, pointer: Pointer, problems: list[InventoryError]) -> Declared | None:
    """Return the API node of an entry of `nodes`; None if the entry is invalid, with the error added to `problems`."""
    entry = value_at(item.value, pointer)
    return _expanded(item, pointer, (*pointer, "name"), entry["name"], entry, problems)


def pool(item: Item, pointer: Pointer, room: int, problems: list[InventoryError]) -> tuple[Pool, list[Declared]] | None:
    """Return a pool and its nodes, which differ only in name; `room` is how many nodes may still be declared.

    None if its template is invalid; the error is then among the problems.
    """
    entry = value_at(item.value, pointer)
    name, scaling = entry["name"], entry.get("autoscaling")
    autoscaling = Autoscaling(scaling.get("min", 0), scaling["max"]) if scaling else None
    count: int = entry.get("count", autoscaling.minimum if autoscaling else 0)
    if autoscaling and not autoscaling.minimum <= count <= autoscaling.maximum:
        where = ("count",) if "count" in entry else ("autoscaling", "min")
        sentence = f"{count} nodes are outside the sizes of the pool, {autoscaling.minimum} to {autoscaling.maximum}"
        problems.append(error_at(item, (*pointer, *where), sentence))
    if count > room:
        sentence = f"the pool brings the cluster above {MOST_NODES:,} nodes, more than an inventory may have"
        problems.append(error_at(item, (*pointer, "count"), sentence))
        count = 0
    template_name = _TEMPLATE + name
    template = _expanded(
        item, (*pointer, "template"), (*pointer, "name"), template_name, entry["template"], problems, pool=name
    )
    if template is None:
        return None
    pattern = entry.get("namePattern", name + "-{}")
    nodes = [_named(template, pattern.replace("{}", str(number)), template_name) for number in range(1, count + 1)]
    return Pool(name, template, tuple(found.name for found in nodes), autoscaling), nodes


def pool_of_template(declared: Declared) -> str:
    """Return the pool of which a node is the template, as `pool gpu`; empty if it is no template."""
    pool = declared.value["metadata"].get("annotations", {}).get(POOL, "")
    return f"pool {pool}" if pool and declared.name == _TEMPLATE + pool else ""


def _expanded(
    item: Item,
    base: Pointer,
    name_at: Pointer,
    name: str,
    entry: dict[str, Any],
    problems: list[InventoryError],
    *,
    pool: str = "",
) -> Declared | None:
    gpus = advertised(entry["gpus"]) if "gpus" in entry else Advertised()
    problems += [remark_at(item, (*base, *where), sentence, hint) for where, sentence, hint in gpus.remarks]
    allocatable, capacity, unlimited = _resources(item, base, entry, gpus, problems)
    labels = {
        "kubernetes.io/arch": gpus.arch or "amd64",
        HOSTNAME: name,
        "kubernetes.io/os": "linux",
        **gpus.labels,
        **entry.get("labels", {}),
    }
    may_be = {key: values for key, values in gpus.may_be.items() if key not in entry.get("labels", {})}
    annotations = {
        MAY_BE: json.dumps({"model": _spelling(entry), "labels": may_be}) if may_be else "",
        POOL: pool,
        UNLIMITED: ",".join(unlimited),
        ONE_PER_CONTAINER: ",".join(gpus.one_per_container),
        UNHEALTHY: entry.get("reason", "declared unhealthy") if entry.get("unhealthy") else "",
    }
    taints = [_taint(taint) for taint in entry.get("taints", ())]
    value: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": labels,
            "annotations": {key: found for key, found in annotations.items() if found},
        },
        "spec": {
            **({"taints": taints} if taints else {}),
            **({"unschedulable": True} if entry.get("unschedulable") else {}),
        },
        "status": {"allocatable": allocatable, "capacity": capacity},
    }
    if "kubeletVersion" in entry:
        value["status"]["nodeInfo"] = {"kubeletVersion": "v" + entry["kubeletVersion"].removeprefix("v")}
    declared = Declared(with_cordon_taint(value), item, base, _routes(base, name_at, gpus))
    return understood(declared, problems)


def _spelling(entry: dict[str, Any]) -> str:
    """Return the GPU models of a node as written."""
    gpus = entry["gpus"] if isinstance(entry["gpus"], list) else [entry["gpus"]]
    return ", ".join(dict.fromkeys(one["model"] for one in gpus if "model" in one))


def _named(template: Declared, name: str, template_name: str) -> Declared:
    typed = template.typed
    assert isinstance(typed, Node)  # noqa: S101 - read two lines above in every path
    labels = typed.labels
    if labels[HOSTNAME] == template_name:
        labels = FrozenMap({**labels, HOSTNAME: name})
    metadata = {**template.value["metadata"], "name": name, "labels": labels}
    read = replace(typed, meta=replace(typed.meta, name=name, labels=labels))
    return replace(template, value={**template.value, "metadata": metadata}, typed=read)


def _resources(
    item: Item, base: Pointer, entry: dict[str, Any], gpus: Advertised, problems: list[InventoryError]
) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
    given = "capacity" if "capacity" in entry else "allocatable"
    own = entry.get(given, {})
    devices = {name: str(amount) for name, amount in gpus.resources.items() if name not in own}
    unlimited = tuple(name for name in _NO_LIMIT if name not in own)
    capacity = {name: text(amount) for name, amount in own.items()} | devices
    capacity |= {name: amount for name, amount in {**_NO_LIMIT, "pods": _PODS}.items() if name not in capacity}
    reserved = entry.get("reserved")
    if not reserved:
        return capacity, capacity, unlimited
    allocatable = dict(capacity)
    for name, amount in reserved.items():
        if name not in own:
            sentence = f"{name} is reserved, but 'capacity' does not say how much of it there is"
            problems.append(error_at(item, (*base, "reserved", name), sentence, role="key"))
            continue
        left = difference(name, own[name], amount)
        if left is None:
            sentence = f"more {name} is reserved ({text(amount)}) than there is ({text(own[name])})"
            problems.append(error_at(item, (*base, "reserved", name), sentence))
        else:
            allocatable[name] = left
    return allocatable, capacity, unlimited


def _taint(taint: dict[str, Any] | str) -> dict[str, Any]:
    if isinstance(taint, dict):
        return taint
    rest, _, effect = taint.rpartition(":")
    key, equals, value = rest.partition("=")
    return {"key": key, **({"value": value} if equals else {}), "effect": effect}


def _routes(base: Pointer, name_at: Pointer, gpus: Advertised) -> Routes:
    allocatable, labels = ("status", "allocatable"), ("metadata", "labels")
    return (
        (labels, (*base, "labels")),
        (allocatable, (*base, "allocatable")),
        (allocatable, (*base, "capacity")),
        (("status", "capacity"), (*base, "capacity")),
        *(((*allocatable, name), (*base, *gpus.origins[name])) for name in gpus.resources),
        *(((*labels, name), (*base, *gpus.origins[name])) for name in gpus.labels),
        (("spec", "taints"), (*base, "taints")),
        (("spec", "unschedulable"), (*base, "unschedulable")),
        (("metadata", "annotations", UNHEALTHY), (*base, "unhealthy")),
        (("status", "nodeInfo", "kubeletVersion"), (*base, "kubeletVersion")),
        ((), name_at),
    )


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
