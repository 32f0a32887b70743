"""The devices that NVIDIA's driver publishes for a GPU model: full GPUs, MIG devices, and dynamic MIG.

Source: cmd/gpu-kubelet-plugin of the DRA driver for NVIDIA GPUs.
UUIDs and PCI addresses are made up, one for each GPU, unless `attributes` gives them; so are other values of an unknown
model. `untold` returns which values are made up: no expression is evaluated with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kubelint_gpu.inventory.gpus import gpu_models
from kubelint_gpu.inventory.gpus.gpu_models import GpuModel, mebibytes, models_called, product_label
from kubelint_gpu.kube.dra.device import qualified
from kubelint_gpu.patterns import pattern

if TYPE_CHECKING:
    from kubelint_gpu.inventory.dra import partitions

DRIVER = "gpu.nvidia.com"
_ARCHITECTURES = {"ada-lovelace": "Ada Lovelace"}
# The driver's name has blanks where the label has dashes, but for those around the form factor.
_BLANK = pattern(r"-(?!SXM|PCIE-)(?<!SXM-)(?<!SXM[0-9]-)(?<!PCIE-)", re.ASCII)

_COMPUTE_DOMAIN = "compute-domain.nvidia.com"
_LABEL = "nvidia.com/gpu"
_MEMORY = "memory"
_OF_NO_MODEL = frozenset([(DRIVER, name) for name in ("uuid", "parentUUID", "driverVersion", "cudaDriverVersion")]) | {
    (DRIVER, "addressingMode"),
    ("resource.kubernetes.io", "pciBusID"),
    ("resource.kubernetes.io", "pcieRoot"),
}
_OF_ITS_MODEL = frozenset([(DRIVER, name) for name in ("architecture", "brand", "cudaComputeCapability")])


def _device_class(name: str, driver: str, kind: str, more: str = "", **spec: str) -> dict[str, Any]:
    expression = f"device.driver == '{driver}' && device.attributes['{driver}'].type == '{kind}'{more}"
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": [{"cel": {"expression": expression}}], **spec},
    }


CLASSES = (
    _device_class(DRIVER, DRIVER, "gpu", extendedResourceName="nvidia.com/gpu"),
    _device_class("mig.nvidia.com", DRIVER, "mig"),
    _device_class("vfio.gpu.nvidia.com", DRIVER, "vfio"),
    _device_class("compute-domain-daemon.nvidia.com", _COMPUTE_DOMAIN, "daemon"),
    _device_class(
        "compute-domain-default-channel.nvidia.com",
        _COMPUTE_DOMAIN,
        "channel",
        f" && device.attributes['{_COMPUTE_DOMAIN}'].id == 0",
    ),
)
"""The classes of its chart: those of GPUs, and those of compute domains."""

OPTIONAL = frozenset(one["metadata"]["name"] for one in CLASSES[2:])
"""Those whose devices are there or not whatever the GPU model is."""


def preset_objects() -> list[dict[str, Any]]:
    """Return a node for each MIG-capable model, with a whole GPU and with MIG devices, and NVIDIA's DeviceClasses."""
    found: list[dict[str, Any]] = [*CLASSES]
    for model in (one for one in gpu_models.MODELS if one.slices):
        whole, _ = gpu_devices(model.product, model, model.memory, (0,), None)
        divided, _ = gpu_devices(model.product, model, model.memory, (1,), {min(model.profiles)[0]: 2})
        meta = {"name": model.product.lower()}
        spec = {"driver": DRIVER, "nodeName": meta["name"], "pool": meta, "devices": [*whole, *divided]}
        found.append({"kind": "Node", "metadata": meta, "status": {"allocatable": {"pods": "110"}}})
        found.append({"kind": "ResourceSlice", "metadata": meta, "spec": spec})
    return found


def product_name(product: str) -> str:
    """Return the driver's name of a model, from the product label that GPU feature discovery makes of it."""
    return _BLANK().sub(" ", product)


def gpu_devices(
    product: str,
    model: gpu_models.GpuModel | None,
    memory: int,
    numbers: Iterable[int],
    mig: dict[str, int] | str | None,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the devices and counter sets of GPUs, each by its number on the node; `memory` is in MiB.

    `mig` is the MIG layout of each GPU, or `dynamic`: then the driver creates MIG devices on demand.
    """
    from kubelint_gpu.inventory.dra import partitions

    devices: list[dict[str, Any]] = []
    counters: list[dict[str, Any]] = []
    for number in numbers:
        common = _common(product, model, number)
        if isinstance(mig, dict) and model is not None:
            devices += [_mig(number, place, common, model) for place in partitions.layout(model, mig)]
            continue
        gpu = _gpu(number, common, memory)
        if mig == "dynamic" and model is not None and model.slices:
            counter_set = f"gpu-{number}-counter-set"
            whole = {f"memory-slice-{place}": "1" for place in range(partitions.memory_slices(model))}
            whole |= {partitions.COMPUTE: str(model.slices), partitions.MEDIA: "1"}
            counters.append({"name": counter_set, "counters": _values(whole)})
            gpu["consumesCounters"] = [{"counterSet": counter_set, "counters": _values(whole)}]
            devices.append(gpu)
            for profile, most in model.profiles:
                for place in partitions.partitions(model, profile, most):
                    device = _mig(number, place, common, model)
                    device["consumesCounters"] = [{"counterSet": counter_set, "counters": _values(place.takes)}]
                    devices.append(device)
            continue
        devices.append(gpu)
    return devices, counters


def _common(product: str, model: gpu_models.GpuModel | None, number: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "productName": {"string": product_name(product)},
        "brand": {"string": "GeForce" if "GeForce" in product else "Nvidia"},
        "driverVersion": {"version": "580.65.6"},
        "cudaDriverVersion": {"version": "13.0.0"},
        "addressingMode": {"string": "None"},
        "resource.kubernetes.io/pciBusID": {"string": f"0000:{number + 1:02x}:00.0"},
        "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{number + 1:02x}"},
    }
    family, (major, minor) = (model.family, model.compute) if model is not None else ("unknown", (0, 0))
    found["architecture"] = {"string": _ARCHITECTURES.get(family, family.capitalize())}
    found["cudaComputeCapability"] = {"version": f"{major}.{minor}.0"}
    return found


def _gpu(number: int, common: dict[str, Any], memory: int) -> dict[str, Any]:
    attributes = {"type": {"string": "gpu"}, "uuid": {"string": _uuid(number)}, **common}
    return {"name": f"gpu-{number}", "attributes": attributes, "capacity": {"memory": {"value": f"{memory}Mi"}}}


def _mig(
    number: int, place: partitions.MigPartition, common: dict[str, Any], model: gpu_models.GpuModel
) -> dict[str, Any]:
    from kubelint_gpu.inventory.dra import partitions

    attributes = {
        "type": {"string": "mig"},
        "parentUUID": {"string": _uuid(number)},
        "profile": {"string": place.profile},
        **common,
    }
    slices = {f"memorySlice{slot}": {"value": "1"} for slot in range(place.start, place.start + place.size)}
    others = {name: {"value": str(count)} for name, count in partitions.engines(model, place).items()}
    capacity = {"memory": {"value": f"{place.memory}Mi"}, **others, **slices}
    return {"name": f"gpu-{number}-{place.name}", "attributes": attributes, "capacity": capacity}


def _uuid(number: int) -> str:
    return f"GPU-00000000-0000-0000-0000-{number:012d}"


def _values(counters: dict[str, str]) -> dict[str, Any]:
    return {name: {"value": value} for name, value in counters.items()}


def entries_of(node: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the `devices` of a concise node or template, with the GPUs' memory from GPU feature discovery's labels.

    Without a product label, the memory label counts only if the node's GPUs are all from one entry.
    """
    entries: list[dict[str, Any]] = node["devices"]
    labels = node.get("labels", {})
    memory, product = labels.get(f"{_LABEL}.memory", ""), labels.get(f"{_LABEL}.product", "")
    if not memory.isdecimal() or not int(memory):
        return entries
    lone = sum("model" in one for one in entries) == 1

    def labelled(entry: dict[str, Any]) -> dict[str, Any]:
        spelling = entry.get("model", "")
        products = [one.product for one in models_called(spelling)] or [product_label(spelling)]
        if not spelling or isinstance(entry.get("mig"), dict) or not (product in products if product else lone):
            return entry
        return {_MEMORY: int(memory), **entry, "model": product or spelling}

    return [labelled(one) for one in entries]


def memory_of(entry: Mapping[str, Any]) -> int | None:
    """Return the memory of each of an entry's GPUs in MiB, None if it is not declared."""
    return mebibytes(entry.get(_MEMORY))


def model_of(entry: Mapping[str, Any]) -> GpuModel | None:
    """Return the model of an entry's GPUs; of an ambiguous spelling the closest by memory; None if unknown."""
    models, memory = models_called(entry["model"]), memory_of(entry)
    if memory is None:
        return next(iter(models), None)
    return min(models, key=lambda model: abs(model.memory - memory), default=None)


def untold(entry: Mapping[str, Any], profile: str) -> frozenset[tuple[str, str]]:
    """Return the attributes and capacities of an entry's devices whose values are assumed, by domain and identifier.

    These follow neither from the entry nor from its model. `profile` is that of MIG devices, empty for whole GPUs.
    """
    from kubelint_gpu.inventory.dra.partitions import published_memory

    model = model_of(entry)
    found = _OF_NO_MODEL if model is not None else _OF_NO_MODEL | _OF_ITS_MODEL
    if profile:
        known = model is not None and published_memory(model, profile) is not None
    else:
        known = _MEMORY in entry or (model is not None and model.exact)
    if not known:
        found |= {(DRIVER, _MEMORY)}
    return found - {qualified(name, DRIVER) for name in (*entry.get("attributes", ()), *entry.get("capacity", ()))}
