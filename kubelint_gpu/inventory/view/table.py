"""The table of `kubelint-gpu inventory show`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from kubelint_gpu.inventory.declarations.inventory import Inventory, Pool
from kubelint_gpu.inventory.view.node_rows import NodeRow, Tenant, abbreviated, amount_text, node_classes
from kubelint_gpu.kube.objects.quota import ResourceQuota
from kubelint_gpu.kube.objects.taints import CORDONED
from kubelint_gpu.kube.values.quantity import canonical, shown

_HEADINGS = ("NODES", "COUNT", "GPUS PER NODE", "CPU", "MEMORY", "FREE GPUS", "FREE CPU", "FREE MEM")
_LEFT = (0, 2)
_NARROWEST, _WIDE = 72, 100
_GAP = 2
_NAMES, _TENANTS, _LABELS = 4, 6, 8
_GPU = "nvidia.com/gpu"
_MIG = "nvidia.com/mig"
# Labels that say again what the columns say, or what no person chose.
_MACHINE_LABELS = ("nvidia.com/", "feature.node.kubernetes.io/", "beta.kubernetes.io/", "beta.amd.com/", "amd.com/")
_TIMES, _DOT = "\u00d7", "\u00b7"
_ASCII = str.maketrans({_TIMES: "x", _DOT: "-"})


def priorities(inventory: Inventory) -> list[tuple[str, int]]:
    """Return each PriorityClass with its value, the highest first."""
    found = [(one.name, one.value.get("value")) for one in inventory.of_kind("PriorityClass")]
    known = [(name, value) for name, value in found if isinstance(value, int)]
    return sorted(known, key=lambda one: (-one[1], one[0]))


def names_of(inventory: Inventory, kind: str) -> list[str]:
    """Return the names of the objects of a kind, sorted."""
    return sorted(one.name for one in inventory.of_kind(kind))


def quotas(inventory: Inventory) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return each ResourceQuota as `namespace/name`, with its hard limits as quantities."""
    found = []
    for one in inventory.of_kind("ResourceQuota"):
        quota = one.typed
        if isinstance(quota, ResourceQuota):
            amounts = [(key, canonical(amount)) for key, amount in sorted(quota.hard.items())]
            found.append((f"{quota.meta.namespace}/{quota.meta.name}", amounts))
    return sorted(found)


def render(inventory: Inventory, *, width: int = 80, ascii_only: bool = False) -> str:
    """Return the cluster as text: for each row of equal nodes its properties and its running workloads.

    `width` is in characters, at least 72.
    """
    width = max(width, _NARROWEST)
    classes = node_classes(inventory)
    lines = [*textwrap.wrap(_summary(inventory, classes), width), ""]
    if classes:
        lines += _rows(classes, width)
    lines += _pools(inventory.pools, width)
    lines += _listed(inventory, width)
    text = "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"
    return _printable(text.translate(_ASCII)) if ascii_only else _escaped(text)


def to_json(inventory: Inventory) -> dict[str, Any]:
    """Return the table as plain data: amounts as quantities, `allocatable` for one node, `free` for all of a row."""
    return {
        "name": inventory.name or None,
        "kubernetesVersion": inventory.kubernetes_version,
        "complete": inventory.complete,
        "classes": [_class_json(found) for found in node_classes(inventory)],
        "pools": [
            {
                "name": pool.name,
                "nodes": list(pool.nodes),
                "min": pool.autoscaling.minimum if pool.autoscaling else None,
                "max": pool.autoscaling.maximum if pool.autoscaling else None,
            }
            for pool in inventory.pools
        ],
        "priorityClasses": dict(priorities(inventory)),
        "runtimeClasses": names_of(inventory, "RuntimeClass"),
        "storageClasses": names_of(inventory, "StorageClass"),
        "resourceQuotas": {name: dict(hard) for name, hard in quotas(inventory)},
        "ignored": dict(inventory.ignored),
    }


def _class_json(found: NodeRow) -> dict[str, Any]:
    return {
        "nodes": list(found.nodes),
        "count": len(found.nodes),
        "labels": dict(found.labels),
        "taints": list(found.taints),
        "unschedulable": found.unschedulable,
        "unhealthy": found.unhealthy or None,
        "allocatable": _quantities(found, found.allocatable),
        **({"devices": _devices_json(found)} if found.devices else {}),
        "free": _quantities(found, found.free),
        "running": [
            {"owner": tenant.name, "pods": tenant.pods, "requests": _texts(tenant.requests)} for tenant in found.tenants
        ],
    }


def _devices_json(found: NodeRow) -> list[dict[str, Any]]:
    """Return the devices of one node; `free` is for all nodes of the row."""
    return [
        {"name": label, "count": number, "free": number * len(found.nodes) - held, **_parts_json(parts)}
        for (label, number), held, parts in zip(found.devices, found.held, found.parts, strict=True)
    ]


def _parts_json(parts: Iterable[tuple[str, int]]) -> dict[str, Any]:
    found = [{"name": label, "most": most} for label, most in parts]
    return {"partitions": found} if found else {}


def _quantities(found: NodeRow, amounts: Any) -> dict[str, str | None]:
    return {**_texts(amounts), **dict.fromkeys(sorted(found.unlimited), None)}


def _texts(amounts: Any) -> dict[str, str | None]:
    return {resource: shown(resource, amount) for resource, amount in sorted(amounts.items())}


def _summary(inventory: Inventory, classes: Sequence[NodeRow]) -> str:
    nodes = sum(len(found.nodes) for found in classes)
    gpus = sum(found.total(name) for found in classes for name in found.accelerators)
    free = sum(found.free.get(name, 0) for found in classes for name in found.accelerators)
    pods = sum(tenant.pods for found in classes for tenant in found.tenants)
    shared = any(
        name.startswith(f"{_MIG}-") or found.labels.get(f"{_GPU}.sharing-strategy") in ("time-slicing", "mps")
        for found in classes
        for name in found.accelerators
    )
    parts = [
        inventory.name,
        f"Kubernetes {inventory.kubernetes_version}" if inventory.kubernetes_version else "Kubernetes version unknown",
        _counted(nodes, "node") + ("" if inventory.complete else ", and there may be others"),
        *_counted_gpus(classes, "GPU device" if shared else "GPU", gpus, free),
        _counted(pods, "running pod"),
    ]
    return f" {_DOT} ".join(part for part in parts if part)


def _counted_gpus(classes: Sequence[NodeRow], noun: str, gpus: int, free: int) -> Iterable[str]:
    devices = sum(found.device_total for found in classes)
    if gpus or not devices:
        yield f"{_counted(gpus, noun)}, {free} free" if gpus else "no GPUs"
    if devices:
        held = sum(sum(found.held) for found in classes)
        yield f"{_counted(devices, 'device')} for claims, {devices - held} free"


def _rows(classes: Sequence[NodeRow], width: int) -> list[str]:
    columns = len(_HEADINGS) if width >= _WIDE else len(_HEADINGS) - 2
    cells = [[[heading] for heading in _HEADINGS[:columns]], *(_cells(found)[:columns] for found in classes)]
    widths = _widths(cells, width)
    common = _common_labels(classes)
    lines = _line(cells[0], widths)
    for found, row in zip(classes, cells[1:], strict=True):
        lines += _line(row, widths)
        for heading, text in _details(found, common, narrow=columns < len(_HEADINGS)):
            lines += textwrap.wrap(
                text, width, initial_indent=f"  {heading:<11}", subsequent_indent=" " * 13, break_on_hyphens=False
            )
    return lines


def _cells(found: NodeRow) -> list[list[str]]:
    names = _some(abbreviated(found.nodes), _NAMES, "group")
    free = sum(found.free.get(name, 0) for name in found.accelerators)
    total = sum(found.total(name) for name in found.accelerators)
    return [
        names.split(", "),
        [str(len(found.nodes))],
        [_gpu_text(found, name) for name in found.accelerators] or ["-"],
        [_amount(found, "cpu", found.allocatable)],
        [_amount(found, "memory", found.allocatable)],
        [f"{free} of {total}" if total else "-"],
        [_amount(found, "cpu", found.free)],
        [_amount(found, "memory", found.free)],
    ]


def _gpu_text(found: NodeRow, resource: str) -> str:
    amount, name = found.allocatable[resource], resource.removeprefix("nvidia.com/")
    if name not in ("gpu", "gpu.shared"):
        return f"{amount} {_TIMES} {name}"
    text = f"{amount} {_TIMES} {found.labels.get(f'{_GPU}.product', resource)}"
    strategy, replicas = found.labels.get(f"{_GPU}.sharing-strategy"), found.labels.get(f"{_GPU}.replicas")
    return f"{text} ({strategy}, {replicas} per GPU)" if strategy in ("time-slicing", "mps") else text


def _amount(found: NodeRow, resource: str, amounts: Any) -> str:
    return "no limit" if resource in found.unlimited else amount_text(resource, amounts.get(resource, 0))


def _details(found: NodeRow, common: frozenset[tuple[str, str]], *, narrow: bool) -> Iterable[tuple[str, str]]:
    if found.unhealthy:
        yield "unhealthy", found.unhealthy
    if found.unschedulable:
        yield "cordoned", "takes no new pods"
    if narrow and not {"cpu", "memory"} <= found.unlimited:
        yield "free", f"{_amount(found, 'cpu', found.free)} CPU, {_amount(found, 'memory', found.free)} memory"
    if found.devices:
        yield (
            "devices",
            ", ".join(
                f"{number} {_TIMES} {label} ({number * len(found.nodes) - held} of {number * len(found.nodes)} free)"
                for (label, number), held in zip(found.devices, found.held, strict=True)
            ),
        )
    for (label, _), parts in zip(found.devices, found.parts, strict=True):
        if parts:
            ways = ", ".join(f"{most} {_TIMES} {name}" for name, most in parts)
            yield "partitions", f"{label}: {ways}" if len(found.devices) > 1 else ways
    if found.others:
        yield "also", ", ".join(f"{found.allocatable[name]} {_TIMES} {name}" for name in found.others)
    labels = [f"{key}={value}" for key, value in found.labels.items() if (key, value) not in common]
    labels = [label for label in labels if not label.startswith(_MACHINE_LABELS)]
    if labels:
        yield "labels", _some(labels, _LABELS, "label")
    taints = [taint for taint in found.taints if not (found.unschedulable and taint == CORDONED)]
    if taints:
        yield "taints", ", ".join(taints)
    if found.tenants:
        yield "runs", _some([_tenant(tenant) for tenant in found.tenants], _TENANTS, "owner")


def _tenant(tenant: Tenant) -> str:
    times = f" {_TIMES} {tenant.pods}" if tenant.pods > 1 else ""
    return tenant.name + times + (f" ({_counted(tenant.accelerators, 'GPU')})" if tenant.accelerators else "")


def _pools(pools: Sequence[Pool], width: int) -> list[str]:
    lines = [""] if pools else []
    for pool in pools:
        text = f"pool {pool.name}: {_counted(len(pool.nodes), 'node')}"
        if pool.autoscaling:
            text += f", autoscaling from {pool.autoscaling.minimum} to {pool.autoscaling.maximum}"
        lines += textwrap.wrap(text, width, subsequent_indent="  ")
    return lines


def _listed(inventory: Inventory, width: int) -> list[str]:
    """Return the lines for the classes and quotas of the inventory."""
    told = {
        "priority classes": [f"{name} ({value})" for name, value in priorities(inventory)],
        "runtime classes": names_of(inventory, "RuntimeClass"),
        "storage classes": names_of(inventory, "StorageClass"),
        **{f"quota {name}": [f"{key} {amount}" for key, amount in hard] for name, hard in quotas(inventory)},
    }
    lines = [f"{what}: {', '.join(names)}" for what, names in told.items() if names]
    wrapped = [textwrap.wrap(line, width, subsequent_indent="  ", break_on_hyphens=False) for line in lines]
    return [""] * bool(wrapped) + [row for rows in wrapped for row in rows]


def _common_labels(classes: Sequence[NodeRow]) -> frozenset[tuple[str, str]]:
    # With a single class every label is common, and nothing needs telling apart.
    common = set(classes[0].labels.items())
    for found in classes[1:]:
        common &= set(found.labels.items())
    return frozenset(common)


def _widths(rows: Sequence[Sequence[list[str]]], width: int) -> list[int]:
    widths = [max(len(line) for row in rows for line in row[index]) for index in range(len(rows[0]))]
    over = sum(widths) + _GAP * (len(widths) - 1) - width
    for index, least in ((2, 20), (0, 12)):
        if over > 0:
            less = min(over, max(0, widths[index] - least))
            widths[index] -= less
            over -= less
    return widths


def _line(cells: Sequence[list[str]], widths: Sequence[int]) -> list[str]:
    wrapped = [
        [piece for line in cell for piece in textwrap.wrap(line, widths[index])] for index, cell in enumerate(cells)
    ]
    lines = []
    for number in range(max(len(cell) for cell in wrapped)):
        pieces = [cell[number] if number < len(cell) else "" for cell in wrapped]
        aligned = [
            piece.ljust(widths[index]) if index in _LEFT else piece.rjust(widths[index])
            for index, piece in enumerate(pieces)
        ]
        lines.append((" " * _GAP).join(aligned))
    return lines


def _some(texts: Sequence[str], most: int, noun: str) -> str:
    if len(texts) <= most:
        return ", ".join(texts)
    return f"{', '.join(texts[:most])}, and {_counted(len(texts) - most, 'other ' + noun)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _printable(text: str) -> str:
    return "".join(character if character == "\n" or " " <= character <= "~" else "?" for character in text)


def _escaped(text: str) -> str:
    # Names come from files: no control character reaches a terminal.
    return "".join(character if character == "\n" or character.isprintable() else "?" for character in text)
