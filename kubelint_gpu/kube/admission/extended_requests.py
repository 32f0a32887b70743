"""Amounts of extended resources as API validation wants them.

Behaviour: `ValidateResourceRequirements` of pkg/apis/core/validation, about 1.33.
Names are judged in `template_validation`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity, thousandths
from kubelint_gpu.values import Value

NOT_WHOLE = "not whole"
NO_LIMIT = "no limit"
UNEQUAL = "unequal"
_PARTS = ("limits", "requests")
_CONTAINERS = ("containers", "initContainers")


class RequestProblem(Value):
    """An amount that the API server refuses.

    Attributes:
        kind: one of the constants of this module.
        pointer: the entry, below the pod's spec.
        resource: its name.
        value: what is written.
        other: the limit, where the request is not equal to it.
        detail: the API server's words.
    """

    kind: str
    pointer: Pointer
    resource: str
    value: Any
    detail: str
    other: Any = None


def request_problems(spec: Any) -> Iterator[RequestProblem]:
    """What is wrong with the extended resources of a pod's spec as it is written, in the order of the text.

    Placeholders and texts that are no quantity at all are left out: the reading of values tells them.
    """
    for key in _CONTAINERS:
        containers = spec.get(key) if isinstance(spec, dict) else None
        for index, container in enumerate(containers if isinstance(containers, list) else ()):
            resources = container.get("resources") if isinstance(container, dict) else None
            if isinstance(resources, dict):
                yield from _of_container(resources, (key, index, "resources"))


def _of_container(resources: dict[str, Any], base: Pointer) -> Iterator[RequestProblem]:
    lists = {part: resources[part] for part in _PARTS if isinstance(resources.get(part), dict)}
    for part, amounts in lists.items():
        for name, value in amounts.items():
            where = (*base, part, name)
            if isinstance(name, str) and is_extended(name) and _thousandths(value) % 1000:
                yield RequestProblem(NOT_WHOLE, where, name, value, "must be an integer")
    limits, requests = lists.get("limits", {}), lists.get("requests", {})
    for name, value in requests.items():
        if not isinstance(name, str) or not is_extended(name) or not _is_amount(value):
            continue
        where = (*base, "requests", name)
        if limits.get(name) is None:
            detail = "Limit must be set for non overcommitable resources"
            yield RequestProblem(NO_LIMIT, where, name, value, detail)
        elif _is_amount(limits[name]) and parse_quantity(limits[name]) != parse_quantity(value):
            detail = f"must be equal to {name} limit of {limits[name]}"
            yield RequestProblem(UNEQUAL, where, name, value, detail, limits[name])


def _is_amount(value: Any) -> bool:
    try:
        thousandths(value)
    except QuantityError:
        return False
    return True


def _thousandths(value: Any) -> int:
    """An amount in thousandths, as far as it is one; a finer fraction counts as one thousandth."""
    if not _is_amount(value):
        return 0
    exact = parse_quantity(value) * 1000
    return int(exact) if exact.denominator == 1 else 1
