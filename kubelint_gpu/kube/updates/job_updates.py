"""What may not change in a Job that exists.

Source: `ValidateJobSpecUpdate` in pkg/apis/batch/validation and the strategy in pkg/registry/batch/job, 1.25 to 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from kubelint_gpu.kube.updates.refused_change import IMMUTABLE, RefusedChange
from kubelint_gpu.kube.values.differences import differences

_FIELDS = ("selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
# what the Job controller adds to the labels of its pods
_GENERATED = ("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name")
_RESOURCES_SINCE = 36


def job_changes(old: dict[str, Any], new: dict[str, Any], live: bool, minor: int) -> Iterator[RefusedChange]:
    """The changes of a Job that are refused."""
    from kubelint_gpu.kube.updates.normal_form import normal

    before, after = (value.get("spec") for value in (old, new))
    if not isinstance(before, dict) or not isinstance(after, dict) or "template" not in after:
        return
    yield from _completions(before, after, live=live)
    for field in _FIELDS:
        one, other = ({field: spec[field]} if field in spec else {} for spec in (before, after))
        found = tuple(differences(normal(one), normal(other), ("spec",), live=live))
        if found:
            yield RefusedChange(found, f"spec.{field}: {IMMUTABLE}")
    suspended = before.get("suspend") is True
    was, is_now = (_template(spec.get("template"), suspended=suspended, minor=minor) for spec in (before, after))
    found = tuple(differences(was, is_now, ("spec", "template"), live=live))
    if found:
        yield RefusedChange(found, f"spec.template: {IMMUTABLE}")


def _completions(before: dict[str, Any], after: dict[str, Any], *, live: bool) -> Iterator[RefusedChange]:
    had, has = _wanted(before), _wanted(after)
    if next(differences(had, has), None) is None or (live and after.get("completions") is None):
        return
    at = (("spec", "completions"),)
    if after.get("completionMode") != "Indexed":
        yield RefusedChange(at, f"spec.completions: {IMMUTABLE}")
    elif has is not None and has != after.get("parallelism", 1):
        yield RefusedChange(at, "spec.completions: Invalid value: can only be modified in tandem with spec.parallelism")


def _wanted(spec: dict[str, Any]) -> object:
    """The number of completions; 1 where neither it nor the parallelism is written."""
    found = spec.get("completions")
    return 1 if found is None and spec.get("parallelism") is None else found


def _template(value: Any, *, suspended: bool, minor: int) -> Any:
    """A pod template without what makes no difference, and without what may change while the Job is suspended."""
    from kubelint_gpu.kube.updates.normal_form import normal, normal_pod_spec

    if not isinstance(value, dict):
        return value
    meta = dict(value["metadata"]) if isinstance(value.get("metadata"), dict) else {}
    if isinstance(meta.get("labels"), dict):
        meta["labels"] = {key: one for key, one in meta["labels"].items() if key not in _GENERATED}
    spec = normal_pod_spec(value.get("spec"))
    if suspended and isinstance(spec, dict):
        meta = {}
        spec = _unscheduled(spec, resources=minor >= _RESOURCES_SINCE)
    return {"metadata": normal(meta), "spec": spec}


def _unscheduled(spec: dict[str, Any], *, resources: bool) -> dict[str, Any]:
    rest = deepcopy(spec)
    for key in ("nodeSelector", "tolerations", "schedulingGates"):
        rest.pop(key, None)
    if isinstance(rest.get("affinity"), dict):
        rest["affinity"].pop("nodeAffinity", None)
        if not rest["affinity"]:
            del rest["affinity"]
    for key in ("containers", "initContainers") if resources else ():
        for container in rest.get(key, ()):
            if isinstance(container, dict):
                container.pop("resources", None)
    return rest
