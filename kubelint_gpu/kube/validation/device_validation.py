"""What the API server refuses of ResourceClaims, of their templates and of DeviceClasses.

`device_problems` are invalid values, `device_limits` exceeded limits of number and length.
Source: pkg/apis/resource/validation of Kubernetes, 1.36, and the constants of k8s.io/api/resource/v1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.dra.resource_api import (
    ALL_EFFECTS_SINCE,
    LONGEST_EXPRESSION,
    LONGEST_PARAMETERS,
    MOST_ALTERNATIVES,
    MOST_CONFIGS,
    MOST_CONSTRAINTS,
    MOST_REQUESTS,
    MOST_SELECTORS,
    is_flat,
)
from kubelint_gpu.kube.dra.selector import is_filled_in
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.validation.field_checks import NO_LABEL, NO_LABEL_KEY, NO_OBJECT_NAME, Problems, unlawful
from kubelint_gpu.kube.validation.template_validation import template_metadata
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import (
    is_driver_name,
    is_identifier,
    is_label,
    is_label_value,
    is_qualified_name,
    is_subdomain,
)
from kubelint_gpu.kube.values.plain import at, mapping, sequence, shortened, whole, written

_MODES = ("ExactCount", "All")
_ONE_OF = ("exactly", "firstAvailable")
_ATTRIBUTES = ("matchAttribute", "distinctAttribute")
_EFFECTS = ("NoSchedule", "NoExecute", "None")
_RESOURCES_SINCE = 36


def spec_pointer(value: dict[str, Any]) -> Pointer:
    """The pointer of the claim's spec in a claim or a template."""
    return ("spec", "spec") if value.get("kind") == "ResourceClaimTemplate" else ("spec",)


def queries(value: dict[str, Any]) -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """Yield each `exactly` and each alternative of a claim or a template, with its pointer."""
    for pointer, request in requests(value):
        alternatives = sequence(request.get("firstAvailable"))
        for number, one in enumerate(alternatives):
            if isinstance(one, dict):
                yield (*pointer, "firstAvailable", number), one
        if not is_flat(value):
            found = request.get("exactly")
            if isinstance(found, dict):
                yield (*pointer, "exactly"), found
        elif not alternatives:
            yield pointer, request


def requests(value: dict[str, Any]) -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """Yield the requests of a claim or a template, each with its pointer; null is read as an empty one."""
    base: Pointer = (*spec_pointer(value), "devices", "requests")
    for number, request in enumerate(sequence(at(value, base))):
        if isinstance(request, dict) or request is None:
            yield (*base, number), mapping(request)


def expressions(value: dict[str, Any]) -> Iterator[tuple[Pointer, str]]:
    """The CEL expressions of a claim, a template or a class, each with its pointer."""
    if value.get("kind") == "DeviceClass":
        owners: list[tuple[Pointer, dict[str, Any]]] = [(("spec",), mapping(value.get("spec")))]
    else:
        owners = list(queries(value))
    for pointer, owner in owners:
        for number, one in enumerate(sequence(owner.get("selectors"))):
            text = mapping(mapping(one).get("cel")).get("expression")
            if isinstance(text, str) and not is_filled_in(text):
                yield (*pointer, "selectors", number, "cel", "expression"), text


def device_problems(value: dict[str, Any], minor: int | None = None) -> Problems:
    """Yield every problem of a claim, a template or a class, except exceeded limits of number and length.

    `minor` is the release; None stands for any.
    """
    if value.get("kind") == "DeviceClass":
        spec = mapping(value.get("spec"))
        yield from _selectors(spec, ("spec",))
        yield from _configs(spec, ("spec",), None)
        if minor is not None and minor >= _RESOURCES_SINCE:
            # releases whose gate is off drop the field
            name, fault = spec.get("extendedResourceName") or None, "must be a valid extended resource name"
            yield from unlawful(name, is_extended, fault, ("spec", "extendedResourceName"))
        return
    if value.get("kind") == "ResourceClaimTemplate":
        yield from template_metadata(value, ("spec", "metadata"))
    base: Pointer = (*spec_pointer(value), "devices")
    devices = mapping(at(value, base))
    names: list[str] = []
    for pointer, request in requests(value):
        yield from _named(request, pointer, names)
        yield from _request(request, pointer, names, flat=is_flat(value))
        if minor is not None and minor < ALL_EFFECTS_SINCE:
            yield from _effects(request, pointer)
    if any(is_placeholder(name) for name in names):
        return
    for number, constraint in enumerate(sequence(devices.get("constraints"))):
        yield from _constraint(mapping(constraint), (*base, "constraints", number), names)
    yield from _configs(devices, base, names)


def _request(request: dict[str, Any], pointer: Pointer, names: list[str], *, flat: bool) -> Problems:
    name = written(request.get("name"))
    alternatives = sequence(request.get("firstAvailable"))
    given = [key for key in _ONE_OF if request.get(key)]
    inner: list[str] = []
    for number, one in enumerate(alternatives):
        where: Pointer = (*pointer, "firstAvailable", number)
        yield from _named(mapping(one), where, inner)
        yield from _query(mapping(one), where)
    names += [f"{name}/{one}" for one in inner]
    if flat:
        if not alternatives:
            yield from _query(request, pointer)
        return
    if len(given) != 1:
        much = "exactly one of them is required, but multiple are set" if given else "exactly one of them is required"
        yield InvalidObject(f"`exactly`, `firstAvailable`: {much}", pointer, None)
    if isinstance(request.get("exactly"), dict):
        yield from _query(request["exactly"], (*pointer, "exactly"))


def _named(value: dict[str, Any], pointer: Pointer, names: list[str]) -> Problems:
    name = value.get("name")
    if not name:
        yield InvalidObject("name is required", pointer, None)
    yield from unlawful(name or None, is_label, NO_LABEL, (*pointer, "name"))
    if isinstance(name, str):
        if name in names and written(name):
            yield InvalidObject(f'duplicate value "{name}"', (*pointer, "name"), name)
        names.append(name)


def _query(query: dict[str, Any], pointer: Pointer) -> Problems:
    of_class = query.get("deviceClassName")
    if not of_class:
        yield InvalidObject("deviceClassName is required", pointer, None)
    yield from unlawful(of_class or None, is_subdomain, NO_OBJECT_NAME, (*pointer, "deviceClassName"))
    yield from _selectors(query, pointer)
    mode, count = query.get("allocationMode"), whole(query.get("count"))
    if isinstance(mode, str) and mode not in ("", *_MODES) and not is_placeholder(mode):
        text = f'must be ExactCount or All, not "{shortened(mode)}"'
        yield InvalidObject(text, (*pointer, "allocationMode"), mode, allowed=_MODES)
    elif count is not None and not -(2**63) <= count < 2**63:
        yield InvalidObject(f"must be an int64, not {shortened(str(count))}", (*pointer, "count"), count)
    elif mode == "All" and count:
        yield InvalidObject("must not be specified when allocationMode is 'All'", (*pointer, "count"), count)
    elif mode != "All" and count is not None and count < 0:
        yield InvalidObject(f"must be greater than zero, not {count}", (*pointer, "count"), count)
    for number, one in enumerate(sequence(query.get("tolerations"))):
        yield from _toleration(mapping(one), (*pointer, "tolerations", number))


def _toleration(found: dict[str, Any], pointer: Pointer) -> Problems:
    key, operator, effect = found.get("key"), found.get("operator"), found.get("effect")
    yield from unlawful(key or None, is_qualified_name, NO_LABEL_KEY, (*pointer, "key"))
    if operator not in (None, "", "Exists", "Equal") and not is_placeholder(operator):
        yield InvalidObject("must be Exists or Equal", (*pointer, "operator"), operator, allowed=("Exists", "Equal"))
    elif operator != "Exists" and not is_label_value(written(found.get("value"))):
        text = f'"{shortened(written(found["value"]))}" is not a label value'
        yield InvalidObject(text, (*pointer, "value"), found["value"])
    elif operator == "Exists" and found.get("value"):
        text = "must be empty string when `operator` is `Exists`"
        yield InvalidObject(text, (*pointer, "value"), found.get("value"))
    if effect not in (None, "", *_EFFECTS) and not is_placeholder(effect):
        text = "must be NoSchedule, NoExecute or None"
        yield InvalidObject(text, (*pointer, "effect"), effect, allowed=_EFFECTS)


def _effects(request: dict[str, Any], pointer: Pointer) -> Problems:
    """Yield effects that tolerations of a request must not have in older releases."""
    exactly: Pointer = (*pointer, "exactly")
    places = [(exactly, request.get("exactly")), (pointer, request)]
    places += [((*pointer, "firstAvailable", n), one) for n, one in enumerate(sequence(request.get("firstAvailable")))]
    for where, query in places:
        for number, one in enumerate(sequence(mapping(query).get("tolerations"))):
            if mapping(one).get("effect") == "None":
                text = "must be NoSchedule or NoExecute"
                yield InvalidObject(text, (*where, "tolerations", number, "effect"), "None", allowed=_EFFECTS[:2])


def _selectors(owner: dict[str, Any], pointer: Pointer) -> Problems:
    for number, one in enumerate(sequence(owner.get("selectors"))):
        where: Pointer = (*pointer, "selectors", number)
        cel = mapping(one).get("cel")
        if not isinstance(cel, dict):
            yield InvalidObject("cel is required", where, None)
        elif not cel.get("expression"):
            yield InvalidObject("expression is required", (*where, "cel"), None)


def _constraint(found: dict[str, Any], pointer: Pointer, names: list[str]) -> Problems:
    yield from _of_requests(found, pointer, names)
    given = [key for key in _ATTRIBUTES if found.get(key)]
    if not given:
        known = ", ".join(f"`{key}`" for key in _ATTRIBUTES)
        yield InvalidObject(f"exactly one of {known} is required", pointer, None)
    for key in given:
        domain = "/" in str(found[key])
        fault = "must be a domain, `/` and an identifier of C" if domain else "must include a domain"
        yield from unlawful(found[key], is_attribute, fault, (*pointer, key))


def is_attribute(name: str) -> bool:
    """Whether a name is that of an attribute with its domain."""
    domain, slash, identifier = name.partition("/")
    return bool(slash) and is_driver_name(domain) and is_identifier(identifier)


def _configs(owner: dict[str, Any], pointer: Pointer, names: list[str] | None) -> Problems:
    for number, one in enumerate(sequence(owner.get("config"))):
        where: Pointer = (*pointer, "config", number)
        found = mapping(one)
        if names is not None:
            yield from _of_requests(found, where, names)
        opaque = found.get("opaque")
        if not isinstance(opaque, dict):
            yield InvalidObject("opaque is required", where, None)
            continue
        driver, parameters = opaque.get("driver"), opaque.get("parameters")
        if not driver:
            yield InvalidObject("driver is required", (*where, "opaque"), None)
        fault = "is not the name of a driver: a DNS subdomain of at most 63 characters"
        yield from unlawful(driver or None, is_driver_name, fault, (*where, "opaque", "driver"))
        if parameters is None:
            yield InvalidObject("parameters is required", (*where, "opaque"), None)
        elif not isinstance(parameters, dict) and not is_placeholder(parameters):
            yield InvalidObject("must be an object", (*where, "opaque", "parameters"), None)


def _of_requests(found: dict[str, Any], pointer: Pointer, names: list[str]) -> Problems:
    entries = sequence(found.get("requests"))
    for number, one in enumerate(entries):
        if isinstance(one, str) and one not in names and not is_placeholder(one):
            text = f'"{shortened(one)}" must be the name of a request in the claim, or of a request and a subrequest'
            yield InvalidObject(text, (*pointer, "requests", number), one, allowed=tuple(names))
        elif one in entries[:number]:
            yield InvalidObject(f'duplicate value "{shortened(one)}"', (*pointer, "requests", number), one)


def device_limits(value: dict[str, Any]) -> Problems:
    """Yield exceeded limits of number and length in a claim, a template or a class."""
    if value.get("kind") == "DeviceClass":
        spec = mapping(value.get("spec"))
        yield from _many(spec, "selectors", ("spec",), MOST_SELECTORS)
        yield from _many(spec, "config", ("spec",), MOST_CONFIGS)
        bases: list[tuple[Pointer, dict[str, Any]]] = [(("spec",), spec)]
    else:
        base: Pointer = (*spec_pointer(value), "devices")
        devices = mapping(at(value, base))
        yield from _many(devices, "requests", base, MOST_REQUESTS)
        yield from _many(devices, "constraints", base, MOST_CONSTRAINTS)
        yield from _many(devices, "config", base, MOST_CONFIGS)
        for pointer, request in requests(value):
            yield from _many(request, "firstAvailable", pointer, MOST_ALTERNATIVES)
        for pointer, query in queries(value):
            yield from _many(query, "selectors", pointer, MOST_SELECTORS)
        bases = [(base, devices)]
    for where, text in expressions(value):
        if len(text.encode()) > LONGEST_EXPRESSION:
            size = len(text.encode())
            yield InvalidObject(f"may not be more than {LONGEST_EXPRESSION} bytes, and has {size}", where, None)
    for where, owner in bases:
        for number, one in enumerate(sequence(owner.get("config"))):
            parameters = mapping(mapping(one).get("opaque")).get("parameters")
            if parameters is not None and len(json.dumps(parameters, separators=(",", ":"))) > LONGEST_PARAMETERS:
                text = f"may not be more than {LONGEST_PARAMETERS} bytes"
                yield InvalidObject(text, (*where, "config", number, "opaque", "parameters"), None)


def _many(owner: dict[str, Any], key: str, pointer: Pointer, most: int) -> Problems:
    number = len(sequence(owner.get(key)))
    if number > most:
        yield InvalidObject(f"must have at most {most} items, and has {number}", (*pointer, key), None)
