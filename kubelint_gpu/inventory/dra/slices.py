"""ResourceSlices and DeviceClasses that follow from the `devices` of concise nodes and pools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubelint_gpu.inventory.declarations.complaint import error_at, remark_at
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.dra.entries import Published, published
from kubelint_gpu.inventory.dra.nvidia import CLASSES, DRIVER
from kubelint_gpu.inventory.reading import understood
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubelint_gpu.documents import Item, Pointer
    from kubelint_gpu.inventory.declarations.inventory import InventoryError

_MOST_DEVICES, _MOST_WITH_COUNTERS, _MOST_COUNTER_SETS = 128, 64, 8
_VERSION = "resource.k8s.io/v1"


def slices_of(
    item: Item, base: Pointer, entry: dict[str, Any], node: str, problems: list[InventoryError]
) -> list[Declared]:
    """The slices of a node that has the `devices` of an entry; none if one is wrong. Their pools have its name."""
    found = published(entry["devices"])
    problems += [remark_at(item, (*base, *where), sentence, hint) for where, sentence, hint in found.remarks]
    bodies: list[tuple[str, Pointer, list[dict[str, Any]]]] = []
    for driver, one in found.drivers.items():
        names = [device["name"] for device in one.devices]
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            sentence = f'two devices of {driver} are called "{twice}"'
            problems.append(error_at(item, (*base, *one.at), sentence, "give them different 'names'"))
            continue
        bodies.append((driver, (*base, *one.at), _bodies(one)))
    declared = []
    for driver, at, parts in bodies:
        pool = {"name": node, "generation": 1, "resourceSliceCount": len(parts)}
        for number, part in enumerate(parts):
            value = {
                "apiVersion": _VERSION,
                "kind": "ResourceSlice",
                "metadata": {"name": f"{node}-{driver}-{number}"},
                "spec": {"driver": driver, "nodeName": node, "pool": pool, **part},
            }
            made = understood(Declared(value, item, base, (((), at),)), problems)
            if made is None:
                return []
            declared.append(made)
    return declared


def on_node(one: Declared, node: str) -> Declared:
    """A slice of one node as it is of another."""
    spec, name = one.value["spec"], f"{node}{one.name.removeprefix(one.value['spec']['nodeName'])}"
    spec = {**spec, "nodeName": node, "pool": {**spec["pool"], "name": node}}
    return replace(one, value={**one.value, "metadata": {"name": name}, "spec": spec})


def classes_of(slices: Sequence[Declared], objects: Sequence[Declared]) -> list[Declared]:
    """The DeviceClasses of NVIDIA's driver, where concise nodes have its devices and nobody declares them."""
    first = next((one for one in slices if one.pointer and one.value["spec"]["driver"] == DRIVER), None)
    if first is None:
        return []
    known = {one.name for one in objects if one.kind == "DeviceClass"}
    return [
        Declared(value, first.item, first.pointer, first.routes)
        for value in CLASSES
        if value["metadata"]["name"] not in known
    ]


def _bodies(one: Published) -> list[dict[str, Any]]:
    """The parts of a pool, each of which one slice can hold; counters have slices of their own."""
    most = _MOST_WITH_COUNTERS if one.counters or any("taints" in device for device in one.devices) else _MOST_DEVICES
    counters = [
        {"sharedCounters": one.counters[start : start + _MOST_COUNTER_SETS]}
        for start in range(0, len(one.counters), _MOST_COUNTER_SETS)
    ]
    devices = [{"devices": one.devices[start : start + most]} for start in range(0, len(one.devices), most)]
    return [*counters, *devices]
