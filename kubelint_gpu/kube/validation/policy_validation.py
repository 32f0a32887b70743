"""What the API server refuses of objects that limit or protect pods: quotas, limit ranges, disruption budgets.

Source: pkg/apis/core/validation and pkg/apis/policy/validation of Kubernetes, 1.34.
"""

from __future__ import annotations

import re
from typing import Any

from kubelint_gpu.kube.objects.limit_range import Limit, read_limit_range
from kubelint_gpu.kube.objects.quota import read_resource_quota
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.validation.field_checks import Problems, selector_problems
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import is_qualified_name
from kubelint_gpu.kube.values.plain import amount, mapping, sequence, shortened, whole, written
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.patterns import pattern

_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_OBJECTS = ("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "persistentvolumeclaims",
            "configmaps", "services.nodeports", "services.loadbalancers")  # fmt: skip
_OF_QUOTAS = frozenset(
    (*_OBJECTS, "requests.storage", *(prefix + name for prefix in ("", "requests.", "limits.") for name in _COMPUTE))
)
_STANDARD = _OF_QUOTAS | {"storage"}
_OF_PODS = frozenset(("pods", *(prefix + name for prefix in ("", "requests.", "limits.") for name in _COMPUTE[:2])))
_OF_SCOPES = {
    "BestEffort": frozenset(("pods",)),
    "VolumeAttributesClass": frozenset(("persistentvolumeclaims", "requests.storage")),
    **dict.fromkeys(
        ("Terminating", "NotTerminating", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity"), _OF_PODS
    ),
}
_WITHOUT_VALUES = ("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity")
_PERCENT = pattern(r"[0-9]+%", re.ASCII)
_EVICTION = ("AlwaysAllow", "IfHealthyBudget")
_TYPES = ("Pod", "Container", "PersistentVolumeClaim")
_PARTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def budget_problems(value: dict[str, Any]) -> Problems:
    """Every problem of a PodDisruptionBudget."""
    spec = mapping(value.get("spec"))
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        yield InvalidObject("minAvailable and maxUnavailable cannot be both set", ("spec", "maxUnavailable"), None)
    for name in ("minAvailable", "maxUnavailable"):
        found, where = spec.get(name), ("spec", name)
        number = whole(found)
        if number is not None and number < 0:
            yield InvalidObject(f"must be greater than or equal to 0, not {number}", where, found)
        elif isinstance(found, str) and not is_placeholder(found):
            if _PERCENT().fullmatch(found) is None:
                yield InvalidObject(f'must be an integer or a percentage such as "50%", not "{found}"', where, found)
            elif int(found[:-1]) > 100:
                yield InvalidObject(f"must not be greater than 100%, not {found}", where, found)
    policy = spec.get("unhealthyPodEvictionPolicy")
    if isinstance(policy, str) and policy not in _EVICTION and not is_placeholder(policy):
        text = f'unsupported value "{shortened(policy)}": supported values: "AlwaysAllow", "IfHealthyBudget"'
        yield InvalidObject(text, ("spec", "unhealthyPodEvictionPolicy"), policy)
    yield from selector_problems(spec.get("selector"), ("spec", "selector"))


def quota_problems(value: dict[str, Any]) -> Problems:
    """Every problem of a ResourceQuota."""
    problems: list[InvalidObject] = []
    read_resource_quota(value, problems)
    spec = mapping(value.get("spec"))
    for name, given in mapping(spec.get("hard")).items():
        where = ("spec", "hard", name)
        if is_placeholder(name):
            continue
        if problem := _quota_name(name):
            yield InvalidObject(problem, where, name)
        found = amount(given)
        if found is not None and found >= 0 and found % 1000 and (is_extended(name) or name in _OBJECTS):
            yield InvalidObject(f"must be an integer, not {given}", where, given)
    yield from (problem for problem in problems if problem.pointer[-1:] != ("values",))
    yield from _scopes(spec)


def _quota_name(name: str) -> str:
    if not is_qualified_name(name):
        return f'"{shortened(name)}" is not a resource name'
    if "/" in name or _is_standard(name):
        return ""
    return f'"{name}" must be a standard resource for quota, or have a domain'


def _is_standard(name: str) -> bool:
    return name in _OF_QUOTAS or name.startswith(("hugepages-", "requests.hugepages-"))


def _scopes(spec: dict[str, Any]) -> Problems:
    scopes = [scope for scope in sequence(spec.get("scopes")) if isinstance(scope, str)]
    for one, other in (("Terminating", "NotTerminating"), ("BestEffort", "NotBestEffort")):
        if one in scopes and other in scopes:
            yield InvalidObject(f"conflicting scopes {one} and {other}", ("spec", "scopes"), None)
    for index, scope in enumerate(scopes):
        for name in mapping(spec.get("hard")):
            if scope in _OF_SCOPES and _is_standard(name) and name not in _OF_SCOPES[scope]:
                text = f"unsupported scope applied to resource: {scope} quotas cannot count {name}"
                yield InvalidObject(text, ("spec", "scopes", index), None)
                break
    base: Pointer = ("spec", "scopeSelector", "matchExpressions")
    for index, entry in enumerate(sequence(mapping(spec.get("scopeSelector")).get("matchExpressions"))):
        found, where = mapping(entry), (*base, index)
        operator, values = written(found.get("operator")), found.get("values")
        if found.get("scopeName") in (None, ""):
            yield InvalidObject("unsupported scope: scopeName is required", where, None)
        if found.get("operator") in (None, ""):
            yield InvalidObject("operator is required", where, None)
        if operator and operator != "Exists" and found.get("scopeName") in _WITHOUT_VALUES:
            text = f"must be 'Exists' when scope is {found['scopeName']}, not {shortened(operator)}"
            yield InvalidObject(text, (*where, "operator"), operator)
        elif operator in _OPERATORS[:2] and not values:
            text = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            yield InvalidObject(text, where, None)
        elif operator in _OPERATORS[2:] and values:
            text = "must be no value when `operator` is 'Exists' or 'DoesNotExist' for scope selector"
            yield InvalidObject(text, (*where, "values"), None)


def limit_range_problems(value: dict[str, Any]) -> Problems:
    """Every problem of a LimitRange."""
    problems: list[InvalidObject] = []
    found = read_limit_range(value, problems)
    yield from problems
    entries = [mapping(entry) for entry in sequence(mapping(value.get("spec")).get("limits"))]
    if problems or len(entries) != len(found.limits):
        return
    seen: set[str] = set()
    for index, (entry, limit) in enumerate(zip(entries, found.limits, strict=True)):
        where: Pointer = ("spec", "limits", index)
        kind = limit.kind
        if is_placeholder(kind) or any(is_placeholder(key) for part in entry.values() for key in mapping(part)):
            continue
        if kind in seen:
            yield InvalidObject(f'duplicate value "{kind}": one entry for each type', (*where, "type"), kind)
        seen.add(kind)
        if not kind:
            yield InvalidObject("type is required", where, None)
        elif kind not in _TYPES and ("/" not in kind or not is_qualified_name(kind)):
            text = f'"{shortened(kind)}" must be a standard limit type or fully qualified: {", ".join(_TYPES)}'
            yield InvalidObject(text, (*where, "type"), kind)
        else:
            yield from _limit(entry, limit, where)


def _limit(entry: dict[str, Any], limit: Limit, where: Pointer) -> Problems:
    if limit.kind == "Pod":
        for part in ("default", "defaultRequest"):
            if mapping(entry.get(part)):
                yield InvalidObject("may not be specified when `type` is 'Pod'", (*where, part), None)
    if limit.kind == "PersistentVolumeClaim" and "storage" not in limit.least and "storage" not in limit.most:
        text = "either minimum or maximum storage value is required, but neither was provided"
        yield InvalidObject(text, where, None)
    for name in sorted({**limit.least, **limit.most, **limit.default, **limit.default_request, **limit.ratio}):
        lawful = _of_containers(name) if limit.kind in ("Pod", "Container") else "/" in name or name in _STANDARD
        if not lawful:
            part = next(part for part in _PARTS if name in mapping(entry.get(part)))
            text = f'"{shortened(name)}" must be a standard resource, or have a domain'
            yield InvalidObject(text, (*where, part, name), name)
        else:
            yield from _bounds(entry, limit, name, where)


def _of_containers(name: str) -> bool:
    if "/" in name:
        return "kubernetes.io/" in name or is_extended(name)
    return name in _COMPUTE or name.startswith("hugepages-")


def _bounds(entry: dict[str, Any], limit: Limit, name: str, where: Pointer) -> Problems:
    """Yield limits and defaults of one resource that contradict each other, after defaulting."""
    parts = {
        "min": limit.least.get(name),
        "defaultRequest": limit.default_request.get(name),
        "default": limit.default.get(name),
        "max": limit.most.get(name),
    }
    called = {"min": "min", "defaultRequest": "default request", "default": "default", "max": "max"}
    given = [part for part, found in parts.items() if found is not None]
    stated = {part for part in given if name in mapping(entry.get(part))}
    pairs = [(low, high) for number, low in enumerate(given) for high in given[number + 1 :]]
    for low, high in sorted(pairs, key=lambda pair: not stated.issuperset(pair)):
        least, most = parts[low] or 0, parts[high] or 0
        if least > most:
            at = low if low in stated else high
            text = (
                f"{called[low]} value {canonical(least)} is greater than {called[high]} value {canonical(most)}"
                f"{'' if low in stated else f' (the {called[low]} follows from the others)'}"
            )
            yield InvalidObject(text, (*where, at, name), None)
            return
    request, default = parts["defaultRequest"], parts["default"]
    whole = is_extended(name) or name.startswith("hugepages-")
    if request is not None and default is not None and request != default and whole:
        at = next(part for part in ("defaultRequest", "default", "min", "max") if name in mapping(entry.get(part)))
        text = f"default value {canonical(default)} must equal to defaultRequest value {canonical(request)} in {name}"
        yield InvalidObject(text, (*where, at, name), None)
    ratio = limit.ratio.get(name)
    if ratio is not None and ratio < 1000:
        yield InvalidObject(f"ratio {canonical(ratio)} is less than 1", (*where, "maxLimitRequestRatio", name), None)
    elif ratio is not None and parts["min"] and parts["max"] is not None and ratio * parts["min"] > parts["max"] * 1000:
        text = f"ratio {canonical(ratio)} is greater than max/min of {canonical(parts['max'])} and "
        yield InvalidObject(text + canonical(parts["min"]), (*where, "maxLimitRequestRatio", name), None)
