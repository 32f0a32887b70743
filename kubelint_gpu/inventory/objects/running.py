"""Concise running pods as complete API pods.

Priority is resolved as admission does it (kube-apiserver, plugin Priority).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kubelint_gpu.documents import Item, Pointer
from kubelint_gpu.inventory.declarations.declared import Declared, Routes
from kubelint_gpu.inventory.declarations.did_you_mean import MOST_HINTS, did_you_mean
from kubelint_gpu.inventory.declarations.inventory import error_about, error_at
from kubelint_gpu.inventory.reading import understood
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.priority import SYSTEM_CLASSES, PriorityClass, UnknownPriorityClass, resolve_priority
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.values.quantity import text
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.inventory.declarations.inventory import InventoryError


MOST_PODS = 200_000
_GPU = "nvidia.com/gpu"
_REQUESTS = ("spec", "containers", 0, "resources", "requests")
_OWNER_VERSIONS = {
    "DaemonSet": "apps/v1",
    "Deployment": "apps/v1",
    "Job": "batch/v1",
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
}
_STATUS = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def running_pods(
    item: Item,
    pointer: Pointer,
    nodes: Mapping[str, Declared],
    classes: tuple[PriorityClass, ...],
    problems: list[InventoryError],
    broken: frozenset[str] = frozenset(),
) -> list[Declared]:
    """Return the API pods of an entry of `running`, which differ only in name.

    `broken` are the names of unreadable classes; the empty name is included if a class has no readable name.
    """
    entry: dict[str, Any] = item.value["running"][pointer[-1]]
    found = nodes.get(entry["node"])
    if found is None:
        sentence = f'running pod "{entry["name"]}" is on node "{entry["node"]}", which is not declared'
        hint = did_you_mean(entry["node"], nodes) if len(problems) < MOST_HINTS else ""
        problems.append(error_at(item, (*pointer, "node"), sentence, hint))
        return []
    namespace, owner = _owner(item, pointer, entry, problems)
    requests = {name: text(amount) for name, amount in entry.get("requests", {}).items()}
    if "gpus" in entry:
        resource = _gpu_resource(item, pointer, entry, found, problems)
        if resource in requests:
            problems.append(error_at(item, (*pointer, "gpus"), f"'gpus' and 'requests' both give {resource}"))
        requests[resource] = str(entry["gpus"])
    extended = {name: amount for name, amount in requests.items() if is_extended(name)}
    resources = {"requests": requests, **({"limits": extended} if extended else {})}
    container: dict[str, Any] = {"name": "main", "resources": resources}
    if entry.get("hostPorts"):
        container["ports"] = [_port(port) for port in entry["hostPorts"]]
    value: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": entry["name"],
            "namespace": namespace,
            "labels": entry.get("labels", {}),
            **({"ownerReferences": [owner]} if owner else {}),
        },
        "spec": {
            "nodeName": entry["node"],
            "containers": [container],
            **{key: entry[key] for key in ("priority", "priorityClassName") if key in entry},
        },
        "status": _STATUS,
    }
    read = understood(Declared(value, item, pointer, _routes(pointer, resources)), problems)
    if read is None:
        return []
    declared = admitted(read, classes, problems, broken=broken)
    if "count" not in entry:
        return [declared]
    return [_named(declared, f"{entry['name']}-{number}") for number in range(1, entry["count"] + 1)]


def admitted(
    declared: Declared,
    classes: tuple[PriorityClass, ...],
    problems: list[InventoryError],
    *,
    raw: bool = False,
    broken: frozenset[str] = frozenset(),
) -> Declared:
    """Return a pod with the priority that admission gives it; without one if its class is `broken`.

    A raw pod without a class stays unchanged: a class that became the default later does not change it.
    """
    pod = declared.typed
    assert isinstance(pod, Pod)  # noqa: S101 - only pods are running
    if pod.spec.priority is not None or (raw and not pod.spec.priority_class_name):
        return declared
    try:
        priority = resolve_priority(pod.spec, classes)
    except UnknownPriorityClass as error:
        if broken & {error.name, ""}:
            return declared
        known = [known.name for known in (*SYSTEM_CLASSES, *classes)]
        sentence = f'pod "{pod.key}" has priority class "{error.name}", which is not declared'
        hint = did_you_mean(error.name, known) or "declare it under priorityClasses"
        problems.append(error_about(declared, ("spec", "priorityClassName"), sentence, hint))
        return declared
    admission = {"priority": priority.value, "preemptionPolicy": priority.preemption_policy}
    if priority.name:
        admission["priorityClassName"] = priority.name
    read = replace(
        pod.spec,
        priority=priority.value,
        preemption_policy=priority.preemption_policy,
        priority_class_name=priority.name,
    )
    value = {**declared.value, "spec": {**declared.value.get("spec", {}), **admission}}
    return replace(declared, value=value, typed=replace(pod, spec=read))


def _owner(
    item: Item, pointer: Pointer, entry: dict[str, Any], problems: list[InventoryError]
) -> tuple[str, dict[str, Any] | None]:
    parts = entry.get("owner", "").split("/")
    namespace = entry.get("namespace") or (parts[1] if len(parts) == 3 else "default")
    if len(parts) < 2:
        return namespace, None
    if len(parts) == 3 and parts[1] != namespace:
        sentence = f'the owner is in namespace "{parts[1]}", its pod in "{namespace}": they must be the same'
        problems.append(error_at(item, (*pointer, "owner"), sentence))
    version = _OWNER_VERSIONS.get(parts[0], "v1")
    return namespace, {"apiVersion": version, "kind": parts[0], "name": parts[-1], "controller": True}


def _gpu_resource(
    item: Item, pointer: Pointer, entry: dict[str, Any], node: Declared, problems: list[InventoryError]
) -> str:
    read = node.typed
    assert isinstance(read, Node)  # noqa: S101 - only nodes are looked up
    names = [name for name, amount in read.allocatable.items() if amount and is_extended(name)]
    names = [name for name in names if name.startswith("nvidia.com/") or name.endswith("/gpu")]
    if _GPU in names or not names:
        return _GPU
    if len(names) > 1 and entry["gpus"]:
        sentence = f"node {node.name} has several GPU resources, {', '.join(names)}, so 'gpus' does not say which"
        problems.append(error_at(item, (*pointer, "gpus"), sentence, "name the resource under 'requests'"))
    return names[0]


def _port(port: dict[str, Any] | int) -> dict[str, Any]:
    if isinstance(port, int):
        return {"containerPort": port, "hostPort": port, "protocol": "TCP"}
    found = {"containerPort": port["port"], "hostPort": port["port"], "protocol": port.get("protocol", "TCP")}
    return found | ({"hostIP": port["hostIP"]} if "hostIP" in port else {})


def _named(declared: Declared, name: str) -> Declared:
    pod = declared.typed
    assert isinstance(pod, Pod)  # noqa: S101 - only pods are running
    metadata = {**declared.value["metadata"], "name": name}
    read = replace(pod, meta=replace(pod.meta, name=name))
    return replace(declared, value={**declared.value, "metadata": metadata}, typed=read)


def _routes(pointer: Pointer, resources: dict[str, Any]) -> Routes:
    limits = (*_REQUESTS[:-1], "limits")
    return (
        (_REQUESTS, (*pointer, "requests")),
        (limits, (*pointer, "requests")),
        *(((*_REQUESTS, name), (*pointer, "gpus")) for name in resources["requests"] if is_extended(name)),
        (("spec", "containers", 0, "ports"), (*pointer, "hostPorts")),
        (("spec", "nodeName"), (*pointer, "node")),
        (("spec", "priority"), (*pointer, "priority")),
        (("spec", "priority"), (*pointer, "priorityClassName")),
        (("spec", "priorityClassName"), (*pointer, "priorityClassName")),
        (("metadata", "labels"), (*pointer, "labels")),
        (("metadata", "ownerReferences"), (*pointer, "owner")),
        (("metadata", "namespace"), (*pointer, "namespace")),
        ((), (*pointer, "name")),
    )
