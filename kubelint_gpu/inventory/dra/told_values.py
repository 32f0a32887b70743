"""Which values of NVIDIA's devices follow from what a concise node says of them, and which nothing tells."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from kubelint_gpu.documents import value_at
from kubelint_gpu.inventory.declarations.inventory import Inventory
from kubelint_gpu.inventory.dra.nvidia import DRIVER
from kubelint_gpu.inventory.gpus.gpu_models import GpuModel, mebibytes, models_called, product_label
from kubelint_gpu.kube.dra.device import Device, attribute_of, qualified

_LABEL = "nvidia.com/gpu"
_MEMORY = "memory"
_OF_NO_MODEL = frozenset([(DRIVER, name) for name in ("uuid", "parentUUID", "driverVersion", "cudaDriverVersion")]) | {
    (DRIVER, "addressingMode"),
    ("resource.kubernetes.io", "pciBusID"),
    ("resource.kubernetes.io", "pcieRoot"),
}
_OF_ITS_MODEL = frozenset([(DRIVER, name) for name in ("architecture", "brand", "cudaComputeCapability")])


def entries_of(node: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The `devices` of a concise node or template; the labels of GPU feature discovery tell the memory of whole GPUs.

    Without a label for the product they do so where the node has GPUs of one entry.
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
    """The memory of each of an entry's GPUs in MiB, where it says so."""
    return mebibytes(entry.get(_MEMORY))


def model_of(entry: Mapping[str, Any]) -> GpuModel | None:
    """The model of an entry's GPUs: of those that its spelling may mean the nearest by memory; None if unknown."""
    models, memory = models_called(entry["model"]), memory_of(entry)
    if memory is None:
        return next(iter(models), None)
    return min(models, key=lambda model: abs(model.memory - memory), default=None)


def untold(entry: Mapping[str, Any], profile: str) -> frozenset[tuple[str, str]]:
    """The attributes and capacities, by domain and identifier, of an entry's devices whose values are assumed.

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


def assumed(inventory: Inventory) -> Mapping[tuple[str, str], frozenset[tuple[str, str]]]:
    """The attributes and capacities, by domain and identifier, whose values are assumed, and of which devices."""
    found: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for one in chain(inventory.of_kind("ResourceSlice"), *(pool.slices for pool in inventory.pools)):
        if one.value["spec"]["driver"] != DRIVER:
            continue
        told = set()
        for field, where in [route for route in one.routes if route[0]]:
            attributes = value_at(one.value, (*field, "attributes"))
            kind = _text(attributes, "productName"), _text(attributes, "profile")
            if (where, kind) not in told:
                told.add((where, kind))
                entry = entries_of(value_at(one.item.value, where[:-2]))[int(where[-1])]
                for name in untold(entry, kind[1]) if "model" in entry else ():
                    found.setdefault(name, set()).add(kind)
    return {name: frozenset(kinds) for name, kinds in found.items()}


def _text(attributes: Mapping[str, Any], name: str) -> str:
    return str(attributes.get(name, {}).get("string", ""))


def kind_of(device: Device) -> tuple[str, str]:
    """The product of a device and the profile of a MIG device: what tells whether values of it are assumed."""
    product, profile = [attribute_of(device, DRIVER, f"{DRIVER}/{name}") for name in ("productName", "profile")]
    return str(product.value) if product else "", str(profile.value) if profile else ""
