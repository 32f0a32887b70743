"""What is too many or too long in a claim, a template or a class of devices."""

from __future__ import annotations

import json
from typing import Any

from kubelint_gpu.kube.dra.resource_api import (
    LONGEST_EXPRESSION,
    LONGEST_PARAMETERS,
    MOST_ALTERNATIVES,
    MOST_CONFIGS,
    MOST_CONSTRAINTS,
    MOST_REQUESTS,
    MOST_SELECTORS,
)
from kubelint_gpu.kube.validation.device_validation import expressions, queries, requests, spec_pointer
from kubelint_gpu.kube.validation.field_checks import Problems
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer
from kubelint_gpu.kube.values.plain import at, mapping, sequence


def device_limits(value: dict[str, Any]) -> Problems:
    """What is too many or too long in a claim, a template or a class."""
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
