"""What the API server refuses of ResourceSlices, as far as it decides where devices are and how they are told apart.

Behaviour: pkg/apis/resource/validation, 1.34 to 1.36. The number of slices of a pool, numbers of attributes and
capacities, shared counters beside devices, and nodes of single devices are not judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.dra.device import ATTRIBUTE_KINDS
from kubelint_gpu.kube.dra.resource_api import LONGEST_ATTRIBUTE, MOST_DEVICES_OF_SLICE, is_flat
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer
from kubelint_gpu.kube.values.names import is_label
from kubelint_gpu.kube.values.plain import mapping, sequence, shortened

_PLACES = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")


def slice_problems(value: dict[str, Any]) -> Iterator[InvalidObject]:
    """Every problem of a slice that its reader does not know."""
    spec = value.get("spec")
    if not isinstance(spec, dict):
        if spec is None:
            yield InvalidObject("is required", ("spec",), None)
        return
    if not spec.get("driver"):
        yield InvalidObject("is required", ("spec", "driver"), None)
    if not mapping(spec.get("pool")).get("name"):
        yield InvalidObject("is required", ("spec", "pool", "name"), None)
    given = [key for key in _PLACES if spec.get(key)]
    if len(given) != 1:
        told = f"and not {' and '.join(given)}" if given else "and has none"
        where: Pointer = ("spec", given[1]) if given else ("spec",)
        yield InvalidObject(f"must have exactly one of {', '.join(_PLACES)}, {told}", where, None)
    devices = sequence(spec.get("devices"))
    if len(devices) > MOST_DEVICES_OF_SLICE:
        text = f"must have at most {MOST_DEVICES_OF_SLICE} items, and has {len(devices)}"
        yield InvalidObject(text, ("spec", "devices"), None)
    names: set[str] = set()
    for number, device in enumerate(devices):
        yield from _device(device, ("spec", "devices", number), names, flat=is_flat(value))


def _device(device: Any, pointer: Pointer, names: set[str], *, flat: bool) -> Iterator[InvalidObject]:
    if not isinstance(device, dict):
        return
    name = device.get("name")
    if not isinstance(name, str) or not is_label(name):
        text = 'must be a name: lower case letters, digits and "-", at most 63'
        yield InvalidObject(text, (*pointer, "name") if "name" in device else pointer, name)
    elif name in names:
        yield InvalidObject(f'is given twice: "{name}"', (*pointer, "name"), name)
    else:
        names.add(name)
    if not flat and "basic" in device:
        yield InvalidObject(
            "is no field of this version: what is in it stands beside the name", (*pointer, "basic"), None
        )
    body, where = (mapping(device.get("basic")), (*pointer, "basic")) if flat else (device, pointer)
    for key, attribute in mapping(body.get("attributes")).items():
        kinds = [kind for kind in ATTRIBUTE_KINDS if mapping(attribute).get(kind) is not None]
        place = (*where, "attributes", key)
        if len(kinds) != 1:
            told = f"and not {' and '.join(kinds)}" if kinds else "and has none"
            yield InvalidObject(f"must have exactly one value, {told}", place, None)
        for kind in kinds:
            found = mapping(attribute)[kind]
            for text in (one for one in (found if isinstance(found, list) else [found]) if isinstance(one, str)):
                if len(text.encode()) > LONGEST_ATTRIBUTE:
                    much = f'must be at most {LONGEST_ATTRIBUTE} bytes, not {len(text.encode())}: "{shortened(text)}"'
                    yield InvalidObject(much, (*place, kind), text)
