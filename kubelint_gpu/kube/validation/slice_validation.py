"""What the API server refuses of ResourceSlices and of DeviceTaintRules.

Fields behind a feature gate that is off by default are dropped before validation and ignored here. Attributes with
lists, whose gate is off in 1.36, are assumed to be from a cluster that has it on.
Source: `ValidateResourceSlice` and `ValidateDeviceTaintRule` of pkg/apis/resource/validation, and `dropDisabledFields`
of pkg/registry/resource/resourceslice, of Kubernetes, 1.34.1, 1.35.0 and 1.36.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from kubelint_gpu.kube.dra.device import ATTRIBUTE_KINDS
from kubelint_gpu.kube.dra.resource_api import (
    ALL_EFFECTS_SINCE,
    BETAS_SINCE,
    LONGEST_ATTRIBUTE,
    MOST_BINDING_CONDITIONS,
    MOST_CONSUMPTIONS,
    MOST_COUNTER_SETS,
    MOST_COUNTERS,
    MOST_DEVICES_OF_BETAS,
    MOST_DEVICES_OF_SLICE,
    MOST_PARTS_OF_DEVICE,
    MOST_TAINTS,
    MOST_VALUES_OF_DEVICE,
    is_flat,
)
from kubelint_gpu.kube.objects.taints import DEVICE_EFFECTS
from kubelint_gpu.kube.validation.capacity_policies import capacity_problems
from kubelint_gpu.kube.validation.field_checks import Keyed, Many, Problems, Shape, Word, problems_of
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer
from kubelint_gpu.kube.values.fields import (
    is_driver_name,
    is_identifier,
    is_label,
    is_label_value,
    is_qualified_name,
    is_subdomain,
)
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import replace

_LISTS = ATTRIBUTE_KINDS[4:]
_OF_DEVICE = ("nodeName", "nodeSelector", "allNodes")
_OF_SLICE = (*_OF_DEVICE, "perDeviceNodeSelection")
_CONDITIONS = ("bindingConditions", "bindingFailureConditions")
_PART = r"(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_NUMBER = r"(?:0|[1-9]\d*)"
_VERSION = pattern(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PART}(\.{_PART})*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?", re.ASCII
)


def rule_problems(value: dict[str, Any], minor: int) -> Problems:
    """Return the API server's errors for a DeviceTaintRule; device selectors, until 1.34, are not evaluated."""
    return problems_of(value.get("spec"), _RULE if minor >= ALL_EFFECTS_SINCE else _OLD_RULE, ("spec",))


def slice_problems(value: dict[str, Any], minor: int) -> Problems:
    """Return the errors for which the API server of a release refuses a slice, apart from values of a wrong type."""
    spec = value.get("spec")
    if spec is None:
        yield InvalidObject("is required", ("spec",), None)
    else:
        yield from problems_of(spec, _table(is_flat(value), minor >= BETAS_SINCE), ("spec",))


@lru_cache
def _table(flat: bool, betas: bool) -> Shape:
    """The table for the spec of a slice: in the shape of v1beta1 or not, with beta fields or without."""
    beta = {"sharedCounters": Many(Shape({"name": _LABEL, "counters": _COUNTERS}), MOST_COUNTER_SETS, "name")}
    device = Shape({**_DEVICE, **(_BETAS_OF_DEVICE if betas else {})}, _device_with_betas if betas else _device)

    def further(spec: dict[str, Any], pointer: Pointer) -> Problems:
        yield from _one_place(spec, pointer, _OF_SLICE if betas else _OF_DEVICE)
        yield from _terms(spec, pointer, 1)
        if betas:
            yield from _together(spec, pointer, flat=flat)

    return Shape(
        {
            "driver": replace(_DRIVER, required=True),
            "pool": Shape({"name": _POOL}, _count, required=True),
            "nodeName": _NODE,
            "devices": Many(
                Shape({"name": _LABEL, "basic": device})
                if flat
                else Shape({"name": _LABEL, **device.fields}, _of_this_version(device)),
                MOST_DEVICES_OF_SLICE,
                "name",
            ),
            **(beta if betas else {}),
        },
        further,
    )


def _of_this_version(device: Shape) -> Any:
    def further(value: dict[str, Any], pointer: Pointer) -> Problems:
        if "basic" in value:
            text = "is no field of this version: what is in it stands beside the name"
            yield InvalidObject(text, (*pointer, "basic"), None)
        if device.further is not None:
            yield from device.further(value, pointer)

    return further


def _count(pool: dict[str, Any], pointer: Pointer) -> Problems:
    if pool.get("resourceSliceCount") is None:
        text = "must be greater than zero: it is how many slices the pool has"
        yield InvalidObject(text, (*pointer, "resourceSliceCount"), None)


def _one_place(value: dict[str, Any], pointer: Pointer, places: tuple[str, ...]) -> Problems:
    """Yield a problem unless exactly one field gives the nodes of a slice or of a device."""
    for key in places[2:]:
        if value.get(key) is False:
            yield InvalidObject("must be true, or absent", (*pointer, key), False)
    given = [key for key in places if value.get(key)]
    if len(given) != 1:
        told = f"and not {' and '.join(given)}" if given else "and has none"
        where: Pointer = (*pointer, given[1]) if given else pointer
        yield InvalidObject(f"must have exactly one of {', '.join(places)}, {told}", where, None)


def _terms(value: dict[str, Any], pointer: Pointer, most: int | None = None) -> Problems:
    """Yield a problem unless a node selector has one or more terms, and at most `most`."""
    number = len(sequence(mapping(value.get("nodeSelector")).get("nodeSelectorTerms")))
    if value.get("nodeSelector") is not None and (not number or (most is not None and number > most)):
        text = f"must have {'at least' if most is None else 'exactly'} one node selector term"
        yield InvalidObject(text, (*pointer, "nodeSelector", "nodeSelectorTerms"), None)


def _together(spec: dict[str, Any], pointer: Pointer, *, flat: bool) -> Problems:
    """Yield problems between devices, counters and nodes of one slice."""
    devices = sequence(spec.get("devices"))
    if spec.get("sharedCounters") is not None and spec.get("devices") is not None:
        text = "may not stand beside devices: counters have a slice of their own in the pool"
        yield InvalidObject(text, (*pointer, "sharedCounters"), None)
    below: Pointer = ("basic",) if flat else ()
    bodies = [mapping(mapping(one).get("basic") if flat else one) for one in devices]
    if MOST_DEVICES_OF_BETAS < len(devices) <= MOST_DEVICES_OF_SLICE and has_advanced(bodies):
        why = "where one has taints, counters or attributes with lists"
        text = f"must have at most {MOST_DEVICES_OF_BETAS} items {why}, and has {len(devices)}"
        yield InvalidObject(text, (*pointer, "devices"), None)
    for number, body in enumerate(bodies):
        where: Pointer = (*pointer, "devices", number, *below)
        if spec.get("perDeviceNodeSelection"):
            yield from _one_place(body, where, _OF_DEVICE)
            yield from _terms(body, where)
            continue
        for key in _OF_DEVICE:
            if body.get(key) is not None:
                yield InvalidObject("may only be set where perDeviceNodeSelection of the slice is", (*where, key), None)


def has_advanced(devices: Iterable[dict[str, Any]]) -> bool:
    """Whether a device has taints, counters or attributes with lists: then the slice may have fewer devices."""
    for device in devices:
        attributes = mapping(device.get("attributes")).values()
        listed = any(key in one for one in attributes if isinstance(one, dict) for key in _LISTS)
        if listed or device.get("taints") or device.get("consumesCounters"):
            return True
    return False


def _device(device: dict[str, Any], pointer: Pointer) -> Problems:
    parts = len(mapping(device.get("attributes"))) + len(mapping(device.get("capacity")))
    if parts > MOST_PARTS_OF_DEVICE:
        text = f"must have at most {MOST_PARTS_OF_DEVICE} attributes and capacities together, and has {parts}"
        yield InvalidObject(text, pointer, None)


def _device_with_betas(device: dict[str, Any], pointer: Pointer) -> Problems:
    yield from _device(device, pointer)
    values = [1 for one in mapping(device.get("attributes")).values() for _ in _values(mapping(one))]
    if len(values) > MOST_VALUES_OF_DEVICE:
        text = f"must have at most {MOST_VALUES_OF_DEVICE} values of attributes, and has {len(values)}"
        yield InvalidObject(text, pointer, None)
    shared = bool(device.get("allowMultipleAllocations"))
    for name, capacity in mapping(device.get("capacity")).items():
        yield from capacity_problems(mapping(capacity), (*pointer, "capacity", name), shared=shared)
    given = {key: sequence(device.get(key)) for key in _CONDITIONS}
    for key, other in zip(_CONDITIONS, reversed(_CONDITIONS), strict=True):
        if given[key] and not given[other]:
            yield InvalidObject(f"is required beside {key}", (*pointer, other), None)
    for number, one in enumerate(given[_CONDITIONS[1]]):
        if one in given[_CONDITIONS[0]]:
            text = f'is among the {_CONDITIONS[0]} as well: "{one}"'
            yield InvalidObject(text, (*pointer, _CONDITIONS[1], number), one)


def _values(attribute: dict[str, Any]) -> list[Any]:
    found = [one for kind in _LISTS if kind in attribute for one in sequence(attribute[kind])]
    return found or [None]


def _one_value(attribute: dict[str, Any], pointer: Pointer) -> Problems:
    kinds = [kind for kind in ATTRIBUTE_KINDS if kind in attribute and attribute[kind] is not None]
    if len(kinds) != 1:
        told = f"and not {' and '.join(kinds)}" if kinds else "and has none"
        yield InvalidObject(f"must have exactly one value, {told}", pointer, None)
    for kind in kinds:
        if attribute[kind] == []:
            yield InvalidObject("may not be empty", (*pointer, kind), [])


@lru_cache
def _is_attribute_name(name: str) -> bool:
    domain, slash, identifier = name.partition("/")
    # the API server looks at no name of three parts
    return "/" in identifier or (is_identifier(identifier) and is_driver_name(domain) if slash else is_identifier(name))


def _is_short(text: str) -> bool:
    return len(text.encode()) <= LONGEST_ATTRIBUTE


def _is_version(text: str) -> bool:
    return _is_short(text) and _VERSION().fullmatch(text) is not None


def _is_pool_name(name: str) -> bool:
    return len(name) <= 253 and all(map(is_subdomain, name.split("/")))


_LABEL = Word('a name: lower case letters, digits and "-", at most 63', is_label, required=True)
_DEVICE_NAME = replace(_LABEL, required=False, empty=False)
_DRIVER = Word("a DNS subdomain of at most 63 characters", is_driver_name, empty=False)
_NODE = Word("the name of a node", is_subdomain, empty=False)
_POOL = Word("one name of an object, or several with / between them", _is_pool_name, required=True)
_CONDITION = Word("the name of a condition, as a label key", is_qualified_name, required=True)
_COUNTERS = Keyed(_LABEL, MOST_COUNTERS, required=True)
_STRING = Word(f"at most {LONGEST_ATTRIBUTE} bytes", _is_short)
_SEMVER = Word(
    f"a version such as 1.2.3 (semver.org 2.0.0), at most {LONGEST_ATTRIBUTE} bytes", _is_version, empty=False
)
_PARTS = Word("a C identifier of at most 32 characters, with or without a domain before it", _is_attribute_name)
_ATTRIBUTE = Shape(
    {
        "string": _STRING,
        "version": _SEMVER,
        "strings": Many(_STRING, MOST_VALUES_OF_DEVICE, None),
        "versions": Many(_SEMVER, MOST_VALUES_OF_DEVICE, None),
    },
    _one_value,
)


def _taint(effects: tuple[str, ...]) -> Shape:
    return Shape(
        {
            "key": Word("a label key", is_qualified_name, required=True),
            "value": Word("a label value", is_label_value),
            "effect": Word(" or ".join(effects), effects.__contains__, required=True, allowed=effects),
        },
        required=True,
    )


_TAINT, _OLD_TAINT = _taint(DEVICE_EFFECTS), _taint(DEVICE_EFFECTS[1:])
_SELECTOR = {"driver": _DRIVER, "pool": replace(_POOL, required=False, empty=False), "device": _DEVICE_NAME}
_RULE = Shape({"deviceSelector": Shape(_SELECTOR), "taint": _TAINT}, required=True)
_OLD_RULE = Shape(
    {
        "deviceSelector": Shape(
            {**_SELECTOR, "deviceClassName": Word("the name of an object", is_subdomain, empty=False)}
        ),
        "taint": _OLD_TAINT,
    },
    required=True,
)
_DEVICE: dict[str, Any] = {
    "attributes": Keyed(replace(_PARTS, required=True), item=_ATTRIBUTE),
    "capacity": Keyed(replace(_PARTS, required=True)),
}
_BETAS_OF_DEVICE: dict[str, Any] = {
    "nodeName": _NODE,
    "taints": Many(_TAINT, MOST_TAINTS, None),
    "consumesCounters": Many(
        Shape({"counterSet": _LABEL, "counters": _COUNTERS}, required=True), MOST_CONSUMPTIONS, "counterSet"
    ),
    **dict.fromkeys(_CONDITIONS, Many(_CONDITION, MOST_BINDING_CONDITIONS)),
}
