"""What the API server refuses of HorizontalPodAutoscalers.

Source: pkg/apis/autoscaling/validation and pkg/registry/autoscaling of Kubernetes, 1.34 and 1.36. The gate
HPAScaleToZero is off by default before 1.37.
"""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.validation.field_checks import NO_CONTAINER_NAME, Problems, unlawful, unsupported
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import is_label, is_qualified_name
from kubelint_gpu.kube.values.plain import amount, mapping, sequence, shortened, whole, written

_SCALES_TO_ZERO = 37
_GROUP_REQUIRED = 34
_METRICS = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_TARGETS = ("Utilization", "Value", "AverageValue")
_STANDARD = ("cpu", "memory", "ephemeral-storage")
_OLD_METRICS = "autoscaling.alpha.kubernetes.io/metrics"
_WITH_METRICS = ("autoscaling/v2", "autoscaling/v2beta2")
_SPEC: Pointer = ("spec",)


def autoscaler_problems(value: dict[str, Any], minor: int | None) -> Problems:
    """Yield the problems of a HorizontalPodAutoscaler in a minor release, None if unknown; `behavior` is not checked.

    Problems of only some releases are left out if the release is unknown. An object without a scale target counts as a
    patch, and missing fields are no problem.
    """
    spec = mapping(value.get("spec"))
    yield from _replicas(value, spec, minor)
    if "scaleTargetRef" in spec:
        target = mapping(spec["scaleTargetRef"])
        yield from _reference(target, (*_SPEC, "scaleTargetRef"))
        core = target.get("kind") == "ReplicationController"
        if minor is not None and minor >= _GROUP_REQUIRED and written(target.get("kind")) and not core:
            yield from _group(target)
    if value.get("apiVersion") in _WITH_METRICS:
        for index, metric in enumerate(sequence(spec.get("metrics"))):
            yield from _metric(mapping(metric), (*_SPEC, "metrics", index))
    else:
        yield from _at_least_one(spec, "targetCPUUtilizationPercentage", _SPEC)


def _replicas(value: dict[str, Any], spec: dict[str, Any], minor: int | None) -> Problems:
    least, most = whole(spec.get("minReplicas")), whole(spec.get("maxReplicas"))
    at_least, at_most = (*_SPEC, "minReplicas"), (*_SPEC, "maxReplicas")
    if least is not None and least < 0:
        yield InvalidObject(f"must be greater than or equal to 0, not {least}", at_least, least)
    elif least == 0 and "scaleTargetRef" in spec and not _scales_from_zero(value, spec):
        text = (
            "must be at least 1, or spec.metrics must have an Object or External metric: no other counts without pods"
        )
        yield InvalidObject(text, at_least, least)
    elif least == 0 and minor is not None and minor < _SCALES_TO_ZERO:
        text = f"must be greater than or equal to 1: before 1.{_SCALES_TO_ZERO} the gate HPAScaleToZero is off"
        yield InvalidObject(text, at_least, least)
    target = mapping(spec.get("scaleTargetRef"))
    missing = spec.get("maxReplicas") is None
    if missing and written(target.get("kind")) and written(target.get("name")):
        yield InvalidObject("maxReplicas is required", _SPEC, None)
    elif most is not None and most < 1:
        yield InvalidObject(f"must be greater than 0, not {most}", at_most, most)
    elif most is not None and least is not None and most < least:
        yield InvalidObject(f"must be greater than or equal to minReplicas ({least}), not {most}", at_most, most)


def _scales_from_zero(value: dict[str, Any], spec: dict[str, Any]) -> bool:
    """Whether there may be a metric that has a value without pods."""
    if _OLD_METRICS in mapping(mapping(value.get("metadata")).get("annotations")):
        return True
    kinds = [mapping(metric).get("type") for metric in sequence(spec.get("metrics"))]
    return any(kind in ("Object", "External") or is_placeholder(kind) for kind in kinds)


def _reference(found: dict[str, Any], where: Pointer) -> Problems:
    for key in ("kind", "name"):
        given = found.get(key)
        if given == "" or (given is None and found):
            yield InvalidObject(f"{key} is required", (*where, key) if given == "" else where, None)
        elif text := _no_segment(given):
            yield InvalidObject(text, (*where, key), given)


def _group(target: dict[str, Any]) -> Problems:
    given = target.get("apiVersion")
    if is_placeholder(given):
        return
    where: Pointer = (*_SPEC, "scaleTargetRef")
    if given in (None, ""):
        yield InvalidObject("apiVersion must specify API group, such as apps/v1", where, None)
    elif isinstance(given, str) and given.count("/") != 1:
        text = f'apiVersion must specify API group, such as apps/v1, not "{shortened(given)}"'
        yield InvalidObject(text, (*where, "apiVersion"), given)


def _no_segment(given: Any) -> str:
    """Return the error in a name within a path; empty if there is none."""
    text = written(given)
    if text in (".", "..") or "/" in text or "%" in text:
        return f'"{shortened(text)}" is not a name: it has "/" or "%", or is dots'
    return ""


def _metric(metric: dict[str, Any], where: Pointer) -> Problems:
    kind = metric.get("type")
    if is_placeholder(kind):
        return
    if kind in (None, ""):
        yield InvalidObject("type is required", where if kind is None else (*where, "type"), None)
    yield from unsupported(kind or None, tuple(_METRICS), (*where, "type"))
    present = [source for source in _METRICS.values() if metric.get(source) is not None]
    wanted = _METRICS.get(kind, "") if isinstance(kind, str) else ""
    if wanted and wanted not in present:
        yield InvalidObject(f"{wanted} is required: the metric is of type {kind}", where, None)
    if len(present) != 1:
        for source in present:
            if source != wanted:
                text = "must populate the given metric source only"
                yield InvalidObject(text, (*where, source), None)
    for source in present[:1]:
        yield from _source(source, mapping(metric[source]), (*where, source))


def _source(source: str, found: dict[str, Any], where: Pointer) -> Problems:
    if source in ("object", "external", "pods"):
        name = mapping(found.get("metric")).get("name")
        if name in (None, ""):
            yield InvalidObject("must specify a metric name", (*where, "metric"), None)
        elif text := _no_segment(name):
            yield InvalidObject(text, (*where, "metric", "name"), name)
    if source == "object":
        yield from _reference(mapping(found.get("describedObject")) or {"kind": None}, (*where, "describedObject"))
    if source in ("resource", "containerResource") and found.get("name") in (None, ""):
        yield InvalidObject("must specify a resource name", where, None)
    if source == "containerResource":
        yield from _container(found, where)
    target, at_target = mapping(found.get("target")), (*where, "target")
    yield from _target(target, at_target)
    has = {key for key in ("value", "averageValue", "averageUtilization") if target.get(key) is not None}
    if source in ("object", "external") and not has & {"value", "averageValue"}:
        yield InvalidObject("must set either a target value or averageValue", at_target, None)
    elif source == "external" and {"value", "averageValue"} <= has:
        text = "may not set both a target value for metric and a per-pod target"
        yield InvalidObject(text, (*at_target, "value"), None)
    elif source == "pods" and "averageValue" not in has:
        yield InvalidObject("must specify a positive target averageValue", at_target, None)
    elif "esource" in source and not has & {"averageUtilization", "averageValue"}:
        yield InvalidObject("must set either a target raw value or a target utilization", at_target, None)
    elif "esource" in source and {"averageUtilization", "averageValue"} <= has:
        text = "may not set both a target raw value and a target utilization"
        yield InvalidObject(text, (*at_target, "averageValue"), None)


def _container(found: dict[str, Any], where: Pointer) -> Problems:
    name = written(found.get("name"))
    plain = name in _STANDARD or name.startswith("hugepages-")
    if name and not (is_qualified_name(name) and (plain or "/" in name)):
        yield InvalidObject(f'"{shortened(name)}" is not a resource of containers', (*where, "name"), name)
    if found.get("container") in (None, ""):
        yield InvalidObject("must specify a container", where, None)
    yield from unlawful(found.get("container") or None, is_label, NO_CONTAINER_NAME, (*where, "container"))


def _target(target: dict[str, Any], where: Pointer) -> Problems:
    kind = target.get("type")
    if kind in (None, ""):
        yield InvalidObject("must specify a metric target type", where if kind is None else (*where, "type"), None)
    yield from unsupported(kind or None, _TARGETS, (*where, "type"))
    for key in ("value", "averageValue"):
        found = amount(target.get(key))
        if found is not None and found <= 0:
            yield InvalidObject(f"must be positive, not {target[key]}", (*where, key), target[key])
    yield from _at_least_one(target, "averageUtilization", where)


def _at_least_one(values: dict[str, Any], key: str, where: Pointer) -> Problems:
    number = whole(values.get(key))
    if number is not None and number < 1:
        yield InvalidObject(f"must be greater than 0, not {number}", (*where, key), number)
