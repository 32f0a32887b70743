"""What the API server refuses of the resources that containers and pods ask for.

Source: pkg/apis/core/validation of Kubernetes, 1.34, for extended resources `ValidateResourceRequirements`, 1.33.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.requests import beyond_pod, is_extended
from kubelint_gpu.kube.validation.field_checks import NO_LABEL, NO_OBJECT_NAME, Problems, unlawful
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import is_label, is_qualified_name, is_subdomain
from kubelint_gpu.kube.values.plain import amount, containers, mapping, sequence, written
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity, thousandths
from kubelint_gpu.values import Value

_STANDARD = ("cpu", "memory", "ephemeral-storage")
_HUGE = "hugepages-"
_SOURCES = ("resourceClaimName", "resourceClaimTemplateName")
NOT_WHOLE = "not whole"
NO_LIMIT = "no limit"
UNEQUAL = "unequal"
_PARTS = ("limits", "requests")
_CONTAINERS = ("containers", "initContainers")


def resource_problems(spec: dict[str, Any], base: Pointer) -> Problems:
    """Yield every problem of the resources of a pod's containers, and of its resource claims."""
    # with resources of the whole pod, huge pages of a container may have their cpu or memory there
    pod_level = spec.get("resources") is not None
    for pointer, container in containers(spec, base):
        yield from _resources(mapping(container.get("resources")), (*pointer, "resources"), pod_level=pod_level)
    yield from _claims(spec, base)
    yield from _whole_pod(mapping(spec.get("resources")), (*base, "resources"))


def _whole_pod(resources: dict[str, Any], base: Pointer) -> Problems:
    for part in ("limits", "requests"):
        for name in mapping(resources.get(part)):
            if name not in ("cpu", "memory") and not name.startswith(_HUGE) and not is_placeholder(name):
                text = f'unsupported value "{name}" for a whole pod: supported values: "cpu", "hugepages-", "memory"'
                yield InvalidObject(text, (*base, part, name), name)
    limits = mapping(resources.get("limits"))
    for name, value in mapping(resources.get("requests")).items():
        asked, most = amount(value), amount(limits.get(name))
        if name in ("cpu", "memory") and asked is not None and most is not None and asked > most:
            text = f"must be less than or equal to the {name} limit of {limits[name]}, not {value}"
            yield InvalidObject(text, (*base, "requests", name), value)


def sum_problems(spec: PodSpec, base: Pointer) -> Problems:
    """Yield amounts of containers that contradict pod-level ones."""
    for part, name, where, told in beyond_pod(spec):
        yield InvalidObject(told, (*base, *where, "resources", part, name), None)


def _resources(resources: dict[str, Any], base: Pointer, *, pod_level: bool) -> Problems:
    limits, requests = mapping(resources.get("limits")), mapping(resources.get("requests"))
    for part, amounts in (("limits", limits), ("requests", requests)):
        for name, value in amounts.items():
            where = (*base, part, name)
            if problem := _name_problem(name):
                yield InvalidObject(problem, where, name)
            elif name.startswith(_HUGE) and not _divides(name.removeprefix(_HUGE), value):
                yield InvalidObject(f"{value} is not positive integer multiple of {name}", where, value)
    yield from _beside_limits(requests, limits, base)
    huge = [name for name in (*limits, *requests) if name.startswith(_HUGE)]
    if huge and not pod_level and not any(name in ("cpu", "memory") for name in (*limits, *requests)):
        yield InvalidObject("HugePages require cpu or memory", base, None)


def _beside_limits(requests: dict[str, Any], limits: dict[str, Any], base: Pointer) -> Problems:
    for name, value in requests.items():
        if is_extended(name) or is_placeholder(value) or is_placeholder(limits.get(name)):
            continue
        where = (*base, "requests", name)
        if name not in limits:
            if name.startswith(_HUGE):
                yield InvalidObject(f"Limit must be set for non overcommitable resources ({name})", where, None)
            continue
        asked, most = amount(value), amount(limits[name])
        if asked is None or most is None or asked == most:
            continue
        if name.startswith(_HUGE):
            yield InvalidObject(f"must be equal to {name} limit of {limits[name]}, not {value}", where, value)
        elif asked > most:
            text = f"must be less than or equal to the {name} limit of {limits[name]}, not {value}"
            yield InvalidObject(text, where, value)


def _name_problem(name: str) -> str:
    if is_placeholder(name):
        return ""
    if "/" not in name:
        known = name in _STANDARD or (name.startswith(_HUGE) and is_qualified_name(name))
        return "" if known else f'"{name}" must be a standard resource for containers, or have a domain'
    if "kubernetes.io/" not in name and not is_extended(name):
        return f'"{name}" doesn\'t follow extended resource name standard'
    return ""


def _divides(size: str, value: Any) -> bool:
    """Whether an amount is a whole number of pages; an invalid page size is reported elsewhere."""
    found = amount(value)
    if found is None:
        return True
    try:
        page = parse_quantity(size)
    except QuantityError:
        return False
    return page > 0 and page.denominator == 1 and -(-found // 1000) % page == 0


def _claims(spec: dict[str, Any], base: Pointer) -> Problems:
    names: set[str] = set()
    for index, entry in enumerate(sequence(spec.get("resourceClaims"))):
        claim, where = mapping(entry), (*base, "resourceClaims", index)
        name = claim.get("name")
        yield from unlawful(name, is_label, NO_LABEL, (*where, "name"))
        if isinstance(name, str):
            if name in names and not is_placeholder(name):
                yield InvalidObject(f'duplicate value "{name}"', (*where, "name"), name)
            names.add(name)
        given = [key for key in _SOURCES if claim.get(key) is not None]
        for key in given:
            yield from unlawful(claim[key], is_subdomain, NO_OBJECT_NAME, (*where, key))
        # before 1.31 they stood one level below
        if len(given) != 1 and claim.get("source") is None:
            much = "at most one of" if given else "must specify one of:"
            yield InvalidObject(f"{much} `resourceClaimName`, `resourceClaimTemplateName`", where, None)
    if any(is_placeholder(name) for name in names):
        return
    for pointer, container in containers(spec, base):
        claims = sequence(mapping(container.get("resources")).get("claims"))
        yield from _claimed(claims, (*pointer, "resources", "claims"), names)


def _claimed(claims: list[Any], base: Pointer, names: set[str]) -> Problems:
    listed = ", ".join(sorted(names)[:8])
    asked, whole, seen = set[str](), set[str](), set[tuple[str, str]]()
    for index, entry in enumerate(claims):
        found = mapping(entry)
        name = written(found.get("name"))
        if not name:
            if found.get("name") in (None, "") and isinstance(entry, dict):
                yield InvalidObject("name is required in a claim", (*base, index), None)
            continue
        if name not in names:
            known = f": {listed}" if names else " which is empty"
            yield InvalidObject(f'there is no "{name}" in the pod\'s resourceClaims{known}', (*base, index), name)
        request = found.get("request") or None
        yield from unlawful(request, is_label, NO_LABEL, (*base, index, "request"))
        same = (name, written(request))
        if name in whole or same in seen or (request is None and name in asked):
            yield InvalidObject(f'duplicate value "{name}"', (*base, index), name)
        asked.add(name)
        seen.add(same)
        if request is None:
            whole.add(name)


class RequestProblem(Value):
    """An amount that the API server refuses.

    Attributes:
        kind: one of the constants of this module.
        pointer: the entry, below the pod's spec.
        resource: its name.
        value: the written value.
        other: the limit, if the request is not equal to it.
        detail: the API server's words.
    """

    kind: str
    pointer: Pointer
    resource: str
    value: Any
    detail: str
    other: Any = None


def request_problems(spec: Any) -> Iterator[RequestProblem]:
    """Yield the errors in the extended resources of a pod's written spec, in the order of the text.

    Placeholders and texts that are no quantity are left out: the parser of values reports them.
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
    """An amount in thousandths, 0 if invalid; a finer fraction counts as one thousandth."""
    if not _is_amount(value):
        return 0
    exact = parse_quantity(value) * 1000
    return int(exact) if exact.denominator == 1 else 1
