"""ResourceSlices and DeviceClasses derived from the `devices` of concise nodes and pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from kubelint_gpu.documents import Item, Pointer
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import InventoryError, error_at, remark_at
from kubelint_gpu.inventory.dra.nvidia import CLASSES, DRIVER, entries_of, gpu_devices, memory_of, model_of, untold
from kubelint_gpu.inventory.gpus.gpu_models import impossible, product_label, similar_model
from kubelint_gpu.inventory.reading import understood
from kubelint_gpu.kube.dra.resource_api import MOST_COUNTER_SETS, MOST_DEVICES_OF_BETAS, MOST_DEVICES_OF_SLICE
from kubelint_gpu.values import replace

_VERSION = "resource.k8s.io/v1"


def slices_of(
    item: Item, base: Pointer, entry: dict[str, Any], node: str, problems: list[InventoryError]
) -> list[Declared]:
    """Return the slices for the `devices` of a node's entry; none if one is wrong.

    Their pools are named like the node.
    """
    found = published(entries_of(entry))
    problems += [remark_at(item, (*base, *where), sentence, hint) for where, sentence, hint in found.remarks]
    declared = []
    for driver, one in found.drivers.items():
        names = [device["name"] for device in one.devices]
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            sentence = f'two devices of {driver} are called "{twice}"'
            problems.append(error_at(item, (*base, *one.at), sentence, "give them different 'names'"))
            continue
        parts = _bodies(one)
        pool = {"name": node, "generation": 1, "resourceSliceCount": len(parts)}
        for number, (part, entries) in enumerate(parts):
            value = {
                "apiVersion": _VERSION,
                "kind": "ResourceSlice",
                "metadata": {"name": f"{node}-{driver}-{number}"},
                "spec": {"driver": driver, "nodeName": node, "pool": pool, **part},
            }
            routes = [(("spec", "devices", index), (*base, *at)) for index, at in enumerate(entries)]
            made = understood(Declared(value, item, base, (*routes, ((), (*base, *one.at)))), problems)
            if made is None:
                return []
            declared.append(made)
    return declared


def on_node(one: Declared, node: str) -> Declared:
    """Return a node's slice, changed to belong to another node."""
    spec, name = one.value["spec"], f"{node}{one.name.removeprefix(one.value['spec']['nodeName'])}"
    spec = {**spec, "nodeName": node, "pool": {**spec["pool"], "name": node}}
    typed = replace(one.typed, name=name, node_name=node, pool=node)
    return replace(one, value={**one.value, "metadata": {"name": name}, "spec": spec}, typed=typed)


def classes_of(slices: Sequence[Declared], objects: Sequence[Declared]) -> list[Declared]:
    """Return NVIDIA's DeviceClasses that are not declared, if concise nodes have its devices."""
    first = next((one for one in slices if one.pointer and one.value["spec"]["driver"] == DRIVER), None)
    if first is None:
        return []
    known = {one.name for one in objects if one.kind == "DeviceClass"}
    return [
        Declared(value, first.item, first.pointer, first.routes)
        for value in CLASSES
        if value["metadata"]["name"] not in known
    ]


def _bodies(one: Published) -> list[tuple[dict[str, Any], list[Pointer]]]:
    """Split a pool into parts that each fit in one slice, with the entries of their devices.

    Counters get separate slices.
    """
    has_betas = one.counters or any(device.get("taints") for device in one.devices)
    most = MOST_DEVICES_OF_BETAS if has_betas else MOST_DEVICES_OF_SLICE
    counters = [
        ({"sharedCounters": one.counters[start : start + MOST_COUNTER_SETS]}, one.entries[:0])
        for start in range(0, len(one.counters), MOST_COUNTER_SETS)
    ]
    devices = [
        ({"devices": one.devices[start : start + most]}, one.entries[start : start + most])
        for start in range(0, len(one.devices), most)
    ]
    return [*counters, *devices]


class Published(Struct):
    """The devices that one driver publishes for a node.

    Attributes:
        driver: the name of the driver.
        at: the first entry that names the driver, below the node.
        devices: in the order of the entries.
        entries: for each device its entry, below the node.
        counters: the counter sets that the devices share.
    """

    driver: str
    at: Pointer
    devices: list[dict[str, Any]] = field(default_factory=list)
    entries: list[Pointer] = field(default_factory=list)
    counters: list[dict[str, Any]] = field(default_factory=list)


class Devices(Struct):
    """The result for `devices`: published devices by driver, and remarks as pointer below the node, sentence, hint."""

    drivers: dict[str, Published] = field(default_factory=dict)
    remarks: list[tuple[Pointer, str, str]] = field(default_factory=list)


def published(entries: list[dict[str, Any]]) -> Devices:
    """Return the devices that drivers publish for the `devices` of a node."""
    found = Devices()
    for index, entry in enumerate(entries):
        at: Pointer = ("devices", index)
        driver = entry.get("driver", DRIVER)
        one = found.drivers.setdefault(driver, Published(driver, at))
        if "model" in entry:
            _of_model(entry, at, one, found)
        else:
            _of_driver(entry, one)
        one.entries += [at] * (len(one.devices) - len(one.entries))
    return found


def _of_driver(entry: dict[str, Any], one: Published) -> None:
    start, count = len(one.devices), entry.get("count", 1)
    pattern = entry.get("names", "device-{}")
    for number in range(start, start + count):
        device: dict[str, Any] = {"name": pattern.replace("{}", str(number))}
        _add_own(device, entry, number - start)
        one.devices.append(device)


def _of_model(entry: dict[str, Any], at: Pointer, one: Published, found: Devices) -> None:
    model = model_of(entry)
    if model is None:
        similar = similar_model(entry["model"])
        sentence = f'unknown GPU model "{entry["model"]}", taken as product "{product_label(entry["model"])}"'
        found.remarks.append(((*at, "model"), sentence, f'did you mean "{similar}"?' if similar else ""))
    mig = entry.get("mig")
    if mig is not None and (model is None or not model.slices):
        found.remarks.append(((*at, "mig"), f"{entry['model']} cannot be divided by MIG", ""))
        mig = None
    if isinstance(mig, dict) and model is not None:
        wrong = impossible(model, mig)
        found.remarks += [((*at, "mig", profile), sentence, hint) for profile, sentence, hint in wrong]
    product = model.product if model is not None else product_label(entry["model"])
    size = memory_of(entry) or (model.memory if model is not None else 0)
    start = sum(1 for name in {device["name"].split("-mig-")[0] for device in one.devices} if name.startswith("gpu-"))
    numbers = range(start, start + entry.get("count", 1))
    devices, counters = gpu_devices(product, model, size, numbers, mig)
    for place, device in enumerate(devices):
        names = untold(entry, device["attributes"].get("profile", {}).get("string", ""))
        device["undeclared"] = ["/".join(name) for name in sorted(names)]
        _add_own(device, entry, place)
    one.devices += devices
    one.counters += counters


def _add_own(device: dict[str, Any], entry: dict[str, Any], place: int) -> None:
    """Override known values of a device by those in its entry; a list has one value for each device."""
    for name, value in entry.get("attributes", {}).items():
        one = value[place % len(value)] if isinstance(value, list) else value
        device.setdefault("attributes", {})[name] = _attribute(one)
    for name, value in entry.get("capacity", {}).items():
        device.setdefault("capacity", {})[name] = {"value": str(value)}
    for key in ("taints", "allowMultipleAllocations"):
        if key in entry:
            device[key] = entry[key]


def _attribute(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    kind = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "string"
    return {kind: value}
