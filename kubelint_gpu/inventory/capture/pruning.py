"""The fields of each kind that a captured inventory keeps: only those that decide placement.

Only listed fields are kept. Fields that decide no placement (images, environment, commands, secrets' names,
annotations, addresses, times of heartbeats) are not listed, so no field of a later Kubernetes release can slip through.
A claim's configuration for a driver is left out, because it may contain anything, even passwords.

The shapes stand in `kept.json`: a word is the role of the field's contents, `@name` is another shape, and `*` names the
shape whose fields are included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

REQUIREMENT_FIELDS = ("key", "operator", "value", "values", "effect", "tolerationSeconds")
# annotations that decide something, of any kind
ANNOTATIONS = frozenset(
    {
        "controller.kubernetes.io/pod-deletion-cost",
        "kubelint-gpu/one-per-container",
        "kubelint-gpu/pool",
        "kubelint-gpu/unhealthy",
        "kubelint-gpu/unlimited",
        "pv.kubernetes.io/bind-completed",
        "resource.kubernetes.io/extended-resource-claim",
        "storage.alpha.kubernetes.io/migrated-plugins",
        "storageclass.beta.kubernetes.io/is-default-class",
        "storageclass.kubernetes.io/is-default-class",
        "volume.beta.kubernetes.io/storage-class",
        "volume.kubernetes.io/selected-node",
    }
)
# labels that change without anybody's doing
NOISE = frozenset({"nvidia.com/gfd.timestamp"})
_TABLE = "kept.json"
_FINISHED = ("Succeeded", "Failed")
_CONDITIONS = {"Ready": (), "DisruptionTarget": ("PreemptionByScheduler",), "PodResizePending": ("Infeasible",)}
_OTHER_PLUGINS = ("hami.io/", "volcano.sh/")
_NOT_SOURCES = ("capacity", "claimRef", "nodeAffinity")


class Role(Enum):
    """The contents of a field that is kept.

    Attributes:
        PLAIN: words of Kubernetes, numbers, quantities: the same everywhere.
        NAME: the name of an object, or text that is built from names.
        KEY: the key of a label or taint, or the name of a resource.
        LABELS: labels by their keys.
        AMOUNTS: quantities by the names of resources.
        REQUIREMENT: a key with its operator and values, as in taints and tolerations.
        ATTRIBUTES: the attributes of a device by name: its model, and also its serial number.
        EXPRESSION: a condition on attributes, in the Common Expression Language.
    """

    PLAIN = "plain"
    NAME = "name"
    KEY = "key"
    LABELS = "labels"
    AMOUNTS = "amounts"
    REQUIREMENT = "requirement"
    ATTRIBUTES = "attributes"
    EXPRESSION = "expression"


Shape: TypeAlias = Role | Mapping[str, "Shape"]


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    return dict(json.loads(Path(__file__).with_name(_TABLE).read_text(encoding="utf-8")))


def _shape(value: Any) -> Shape:
    if isinstance(value, str):
        return _shape(_table()[value]) if value.startswith("@") else Role(value)
    return _fields(value)


def _fields(value: dict[str, Any]) -> Mapping[str, Shape]:
    every = {**_table()[value["*"]], **value} if "*" in value else value
    return {name: _shape(one) for name, one in every.items() if name != "*"}


SHAPES: Mapping[str, Mapping[str, Shape]] = {
    name: _fields(one) for name, one in _table().items() if not name.startswith("@")
}
# volumes of a pod by their field; others are mounted wherever the pod runs
VOLUMES = _fields(_table()["@volumes"])
# sources of a PersistentVolume; of others only the kind is kept
SOURCES = _fields(_table()["@sources"])


def pruned(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the kept part of an object, its keys sorted; None for finished pods and kinds that are not kept.

    Fields of a wrong type are kept unchanged: reading the inventory reports them.
    """
    kind, shape = value.get("kind"), shape_of(value)
    if shape is None or (kind == "Pod" and _part(value, "status").get("phase") in _FINISHED):
        return None
    return {"apiVersion": value.get("apiVersion"), "kind": kind, **_kept(_prepared(value), shape)}


def shape_of(value: dict[str, Any]) -> Mapping[str, Shape] | None:
    """Return the fields that are kept of an object; None if no inventory has its kind."""
    kind = value.get("kind")
    shape = SHAPES.get(kind) if isinstance(kind, str) else None
    if kind != "PersistentVolume" or shape is None:
        return shape
    spec = _part(value, "spec")
    source = next((key for key in spec if isinstance(spec[key], dict) and key not in _NOT_SOURCES), "")
    inner = shape["spec"]
    if not source or isinstance(inner, Role):
        return shape
    return {**shape, "spec": {**inner, source: SOURCES.get(source, {})}}


def _kept(value: Any, shape: Shape) -> Any:
    if isinstance(value, list):
        return [_kept(element, shape) for element in value]
    if not isinstance(value, dict):
        return value
    if shape is Role.REQUIREMENT:
        return {key: value[key] for key in REQUIREMENT_FIELDS if value.get(key) is not None}
    if isinstance(shape, Role):
        return {key: value[key] for key in sorted(value, key=str)}
    found = {}
    for key in sorted(shape):
        if value.get(key) is None:
            continue
        part = _kept(value[key], shape[key])
        # what only held other things says nothing; an empty selector that was written as one selects everything
        if part not in ({}, []) or value[key] in ({}, []) or shape[key] == {}:
            found[key] = part
    return found


def _prepared(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object without entries of lists and mappings that carry no information."""
    kind = value["kind"]
    result = {**value, "metadata": _metadata(_part(value, "metadata"), kind)}
    if kind == "Pod":
        spec, status = _part(value, "spec"), _part(value, "status")
        result |= {"spec": _pod_spec(spec), "status": _pod_status(status, spec)}
    elif kind == "Node":
        status = _part(value, "status")
        if status.get("allocatable"):
            result["status"] = {key: found for key, found in status.items() if key != "capacity"}
    return result


def _metadata(metadata: dict[str, Any], kind: str) -> dict[str, Any]:
    annotations, labels = _part(metadata, "annotations"), _part(metadata, "labels")
    kept = {key: found for key, found in annotations.items() if key in ANNOTATIONS}
    if kind == "Node":
        # that another device plugin writes there is known by the key alone
        kept |= {key: "" for key in annotations if str(key).startswith(_OTHER_PLUGINS)}
    owners = metadata.get("ownerReferences")
    listed = [owner for owner in owners if isinstance(owner, dict)] if isinstance(owners, list) else []
    changed = {
        "annotations": kept,
        "labels": {key: found for key, found in labels.items() if key not in NOISE},
        "ownerReferences": [owner for owner in listed if owner.get("controller")],
    }
    return {**metadata, **{key: found or None for key, found in changed.items()}}


def _pod_spec(spec: dict[str, Any]) -> dict[str, Any]:
    result = dict(spec)
    host_network = spec.get("hostNetwork") is True
    for key in ("containers", "initContainers"):
        if isinstance(spec.get(key), list):
            result[key] = [_container(each, host_network=host_network) for each in spec[key]]
    if isinstance(spec.get("volumes"), list):
        volumes = [each for each in spec["volumes"] if isinstance(each, dict) and VOLUMES.keys() & each.keys()]
        result["volumes"] = volumes or None
    return result


def _container(container: Any, *, host_network: bool) -> Any:
    if not isinstance(container, dict) or not isinstance(container.get("ports"), list):
        return container
    ports = [each for each in container["ports"] if isinstance(each, dict) and (host_network or each.get("hostPort"))]
    return {**container, "ports": ports or None}


def _pod_status(status: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    result = dict(status)
    if isinstance(status.get("conditions"), list):
        result["conditions"] = [
            each if _CONDITIONS[each["type"]] else {**each, "reason": None}
            for each in status["conditions"]
            if _decides(each)
        ] or None
    for key, containers in (("containerStatuses", "containers"), ("initContainerStatuses", "initContainers")):
        if isinstance(status.get(key), list):
            listed = spec.get(containers)
            asked = {str(each.get("name")): each for each in listed or () if isinstance(each, dict)}
            statuses = (each for each in status[key] if isinstance(each, dict))
            resized = [
                each for each in statuses if _resized(each, _part(asked.get(str(each.get("name")), {}), "resources"))
            ]
            result[key] = resized or None
    return result


def _resized(status: dict[str, Any], resources: dict[str, Any]) -> bool:
    """Whether a container has, or is given, other resources than those in its spec."""
    requests = resources.get("requests")
    return status.get("allocatedResources", requests) != requests or status.get("resources", resources) != resources


def _decides(condition: Any) -> bool:
    if not isinstance(condition, dict) or str(condition.get("type")) not in _CONDITIONS:
        return False
    reasons = _CONDITIONS[condition["type"]]
    return condition.get("status") == "True" and (not reasons or condition.get("reason") in reasons)


def _part(value: dict[str, Any], key: str) -> dict[str, Any]:
    found = value.get(key)
    return found if isinstance(found, dict) else {}
