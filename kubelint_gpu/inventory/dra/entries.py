"""The entries of `devices:` as the devices of `resource.k8s.io/v1`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubelint_gpu.inventory.dra.nvidia import DRIVER, gpu_devices
from kubelint_gpu.inventory.gpus.gpu_models import models_called, product_label, similar_model
from kubelint_gpu.inventory.gpus.mig import impossible
from kubelint_gpu.kube.values.quantity import parse_quantity
from kubelint_gpu.values import dataclass, field

if TYPE_CHECKING:
    from kubelint_gpu.documents import Pointer

_MIB = 2**20


@dataclass(slots=True)
class Published:
    """What one driver publishes for a node.

    Attributes:
        driver: its name.
        at: the entry, below the node, that named it first.
        devices: in the order of the entries.
        counters: counter sets that they share.
    """

    driver: str
    at: Pointer
    devices: list[dict[str, Any]] = field(default_factory=list)
    counters: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Devices:
    """What follows from `devices`: by driver, and remarks as pointer below the node, sentence, hint."""

    drivers: dict[str, Published] = field(default_factory=dict)
    remarks: list[tuple[Pointer, str, str]] = field(default_factory=list)


def published(entries: list[dict[str, Any]]) -> Devices:
    """What drivers publish for the `devices` of a node."""
    found = Devices()
    for index, entry in enumerate(entries):
        at: Pointer = ("devices", index)
        driver = entry.get("driver", DRIVER)
        one = found.drivers.setdefault(driver, Published(driver, at))
        if "model" in entry:
            _of_model(entry, at, one, found)
        else:
            _of_driver(entry, one)
    return found


def _of_driver(entry: dict[str, Any], one: Published) -> None:
    start, count = len(one.devices), entry.get("count", 1)
    pattern = entry.get("names", "device-{}")
    for number in range(start, start + count):
        device: dict[str, Any] = {"name": pattern.replace("{}", str(number))}
        _add_own(device, entry, number - start)
        one.devices.append(device)


def _of_model(entry: dict[str, Any], at: Pointer, one: Published, found: Devices) -> None:
    memory = entry.get("memory")
    wanted = memory if memory is None or isinstance(memory, int) else int(parse_quantity(memory) / _MIB)
    models = models_called(entry["model"])
    if not models:
        similar = similar_model(entry["model"])
        sentence = f'unknown GPU model "{entry["model"]}", taken as product "{product_label(entry["model"])}"'
        found.remarks.append(((*at, "model"), sentence, f'did you mean "{similar}"?' if similar else ""))
    if wanted is not None and models:
        models = tuple(sorted(models, key=lambda model: abs((model.memory or 0) - wanted)))
    model = models[0] if models else None
    mig = entry.get("mig")
    if mig is not None and (model is None or not model.slices):
        found.remarks.append(((*at, "mig"), f"{entry['model']} cannot be divided by MIG", ""))
        mig = None
    if isinstance(mig, dict) and model is not None:
        wrong = impossible(model, mig)
        found.remarks += [((*at, "mig", profile), sentence, hint) for profile, sentence, hint in wrong]
    product = model.product if model is not None else product_label(entry["model"])
    size = wanted or (model.memory if model is not None else None)
    start = sum(1 for name in {device["name"].split("-mig-")[0] for device in one.devices} if name.startswith("gpu-"))
    numbers = range(start, start + entry.get("count", 1))
    devices, counters = gpu_devices(product, model, size, numbers, mig)
    for place, device in enumerate(devices):
        _add_own(device, entry, place)
    one.devices += devices
    one.counters += counters


def _add_own(device: dict[str, Any], entry: dict[str, Any], place: int) -> None:
    """Put what an entry says of its devices over what is known of them; a list has a value for each."""
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
