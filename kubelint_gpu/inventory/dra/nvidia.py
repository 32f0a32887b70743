"""What NVIDIA's driver publishes for GPUs of a model: full GPUs, MIG devices, and GPUs that are divided on demand.

Source: cmd/gpu-kubelet-plugin of the DRA driver for NVIDIA GPUs.
UUIDs and PCI addresses are made up, one for each GPU, unless `attributes` say otherwise; and so is what a model would
tell where it is not known. `told_values.py` says which values these are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from kubelint_gpu.inventory.dra import partitions
from kubelint_gpu.inventory.gpus import gpu_models
from kubelint_gpu.patterns import pattern

DRIVER = "gpu.nvidia.com"
_ARCHITECTURES = {"ada-lovelace": "Ada Lovelace"}
# The driver's name has blanks where the label has dashes, but for those around the form factor.
_BLANK = pattern(r"-(?!SXM|PCIE-)(?<!SXM-)(?<!SXM[0-9]-)(?<!PCIE-)", re.ASCII)

_COMPUTE_DOMAIN = "compute-domain.nvidia.com"


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
    """A node for each model that can be divided, with a whole GPU and with MIG devices, and NVIDIA's classes."""
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
    """The driver's name of a model, of which GPU feature discovery makes the product label."""
    return _BLANK.sub(" ", product)


def gpu_devices(
    product: str,
    model: gpu_models.GpuModel | None,
    memory: int,
    numbers: Iterable[int],
    mig: dict[str, int] | str | None,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Devices and counter sets of some GPUs, each by its number on the node; `memory` is in MiB.

    `mig` is a layout of profiles for each GPU, or `dynamic`: then the driver makes what is asked for.
    """
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
