"""What the API server refuses of a capacity's request policy.

Source: `validateRequestPolicy` of pkg/apis/resource/validation of Kubernetes, 1.36.3.
"""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.dra.resource_api import MOST_VALID_VALUES
from kubelint_gpu.kube.validation.field_checks import Problems
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.kube.values.quantity import Amount, QuantityError, parse_quantity, whole


def capacity_problems(capacity: dict[str, Any], pointer: Pointer, *, shared: bool) -> Problems:
    """Yield every problem of the policy of a capacity; `shared` says whether its device allows multiple allocations."""
    policy = capacity.get("requestPolicy")
    if not isinstance(policy, dict):
        return
    where: Pointer = (*pointer, "requestPolicy")
    values, limits = sequence(policy.get("validValues")), policy.get("validRange")
    if not shared:
        yield InvalidObject("may only be set where the device has allowMultipleAllocations: true", where, None)
    elif values and limits is not None:
        yield InvalidObject("must have one of validValues and validRange, and not both", where, None)
    elif (values or limits is not None) and policy.get("default") is None:
        yield InvalidObject("is required beside validValues or validRange", (*where, "default"), None)
    elif values:
        yield from _values(capacity, policy, (*where, "validValues"))
    elif limits is not None:
        yield from _range(capacity, policy, (*where, "validRange"))


def _values(capacity: dict[str, Any], policy: dict[str, Any], pointer: Pointer) -> Problems:
    written = policy["validValues"]
    found = [one for one in map(_amount, written) if one is not None]
    most, default = _amount(capacity.get("value", 0)), _amount(policy["default"])
    if most is None or default is None or len(found) < len(written):
        return
    if len(found) > MOST_VALID_VALUES:
        yield InvalidObject(f"must have at most {MOST_VALID_VALUES} items, and has {len(found)}", pointer, None)
    for number, one in enumerate(found):
        where: Pointer = (*pointer, number)
        if one > most:
            yield InvalidObject(f"{written[number]} is more than the capacity", where, written[number])
        if number and one < found[number - 1]:
            yield InvalidObject("must be in ascending order", where, written[number])
        elif whole(one) in map(whole, found[:number]):
            yield InvalidObject(f"is given twice: {written[number]}", where, written[number])
    if default not in found:
        yield InvalidObject(f"must have the default, {policy['default']}", pointer, None)


def _range(capacity: dict[str, Any], policy: dict[str, Any], pointer: Pointer) -> Problems:
    limits, most, default = mapping(policy["validRange"]), _amount(capacity.get("value", 0)), _amount(policy["default"])
    least, largest, step = (_amount(limits.get(key)) for key in ("min", "max", "step"))
    if limits.get("min") is None:
        yield InvalidObject("is required", (*pointer, "min"), None)
        return
    if most is None or default is None or least is None:
        return
    ordered = [
        (least, most, "min", "min is more than the capacity"),
        (least, default, "min", "default is less than min"),
    ]
    if largest is not None:
        ordered += [
            (least, largest, "max", "min is more than max"),
            (largest, most, "max", "max is more than the capacity"),
            (default, largest, "max", "default is more than max"),
        ]
    for less, more, key, text in ordered:
        if less > more:
            yield InvalidObject(text, (*pointer, key), limits[key])
    if step is None:
        return
    where: Pointer = (*pointer, "step")
    if least + step > most:
        yield InvalidObject("min and one step are more than the capacity", where, limits["step"])
    for name, value in (("default", default), ("max", largest)):
        # the API server divides by zero and fails
        if value is not None and (whole(step) == 0 or (whole(value) - whole(least)) % whole(step)):
            text = f"{name} is not min and a multiple of step"
            yield InvalidObject(text if whole(step) else "may not be zero", where, limits["step"])
            return


def _amount(value: Any) -> Amount | None:
    try:
        return parse_quantity(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    except QuantityError:
        return None
