"""Immutable fields of Pods, Jobs, claims and volumes.

Source: `ValidatePodUpdate`, `ValidatePersistentVolumeClaimUpdate` and `ValidatePersistentVolumeUpdate` in
pkg/apis/core/validation, `ValidateJobSpecUpdate` in pkg/apis/batch/validation and the strategy in
pkg/registry/batch/job, `ValidateResourceClaimUpdate` and `ValidateResourceClaimTemplateUpdate` in
pkg/apis/resource/validation, Kubernetes 1.25 to 1.36.
"""

from __future__ import annotations

import fractions
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from kubelint_gpu.kube.dra.resource_api import is_flat
from kubelint_gpu.kube.updates.normal_form import IMMUTABLE, RefusedChange, normal, normal_pod_spec
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.plain import differences
from kubelint_gpu.kube.values.quantity import Amount

_FIELDS = ("selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
# what the Job controller adds to the labels of its pods
_GENERATED = ("batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name")
_RESOURCES_SINCE = 36
_CONTAINERS = ("containers", "initContainers")
_OTHER = "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image` and a few more"
_TOLERATION = "Forbidden: existing toleration can not be modified except its tolerationSeconds"
_SELECTOR = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
_DEADLINE = "activeDeadlineSeconds"
_NEW_DEADLINE: Pointer = ("spec", _DEADLINE)
_STORAGE: Pointer = ("spec", "resources", "requests", "storage")
_CLASSES_SINCE = 29
_RECOVERY_SINCE = 32
# fields of a volume beside what it is made of
_NOT_SOURCE = (
    "accessModes",
    "capacity",
    "claimRef",
    "mountOptions",
    "nodeAffinity",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "volumeAttributesClassName",
    "volumeMode",
)
_BETA = {
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
}


def job_changes(old: dict[str, Any], new: dict[str, Any], live: bool, minor: int) -> Iterator[RefusedChange]:
    """Yield the refused changes of a Job."""
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
    """The number of completions; 1 if neither completions nor parallelism is written."""
    found = spec.get("completions")
    return 1 if found is None and spec.get("parallelism") is None else found


def _template(value: Any, *, suspended: bool, minor: int) -> Any:
    """A pod template without parts that make no difference, or that may change while the Job is suspended."""
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


def pod_changes(old: dict[str, Any], new: dict[str, Any], live: bool, _minor: int) -> Iterator[RefusedChange]:
    """Yield the refused changes of a Pod."""
    before, after = (normal_pod_spec(value.get("spec"), template=False) for value in (old, new))
    if not isinstance(before, dict) or not isinstance(after, dict) or "containers" not in after:
        return
    for key in _CONTAINERS:
        if len(before.get(key, ())) != len(after.get(key, ())):
            yield RefusedChange(
                (("spec", key),), f"spec.{key}: Forbidden: pod updates may not add or remove containers"
            )
            return
    yield from _deadline(before.get(_DEADLINE), after.get(_DEADLINE), live=live)
    lasting = [_lasting(one) for one in after.get("tolerations", ())]
    if not live and any(_lasting(one) not in lasting for one in before.get("tolerations", ())):
        yield RefusedChange((("spec", "tolerations"),), f"spec.tolerations: {_TOLERATION}")
    gates = [one for one in after.get("schedulingGates", ()) if one not in before.get("schedulingGates", ())]
    if gates:
        name = gates[0].get("name") if isinstance(gates[0], dict) else gates[0]
        text = f"Forbidden: only deletion is allowed, but found new scheduling gate '{name}'"
        yield RefusedChange((("spec", "schedulingGates"),), f"spec.schedulingGates: {text}")
    gated = bool(before.get("schedulingGates"))
    if gated and not live:
        yield from _selector(before.get("nodeSelector", {}), after.get("nodeSelector", {}))
    free = [_DEADLINE, "tolerations", "schedulingGates", *(("nodeSelector",) if gated else ())]
    one, other = (_fixed(spec, free, gated=gated) for spec in (before, after))
    found = tuple(differences(one, other, ("spec",), live=live))
    if found:
        yield RefusedChange(found, _OTHER)


def _deadline(had: object, has: object, *, live: bool) -> Iterator[RefusedChange]:
    if isinstance(had, int) and isinstance(has, int) and has > had:
        text = "Invalid value: must be less than or equal to previous value"
        yield RefusedChange((_NEW_DEADLINE,), f"spec.{_DEADLINE}: {text}")
    elif had is not None and has is None and not live:
        text = "Invalid value: must not update from a positive integer to nil value"
        yield RefusedChange((_NEW_DEADLINE,), f"spec.{_DEADLINE}: {text}")


def _lasting(toleration: Any) -> Any:
    if not isinstance(toleration, dict):
        return toleration
    return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}


def _selector(had: dict[str, Any], has: dict[str, Any]) -> Iterator[RefusedChange]:
    """A gated pod's node selector may only grow; its node affinity is not compared."""
    changed = [key for key in had if had[key] != has.get(key)]
    if changed:
        at = tuple(("spec", "nodeSelector", key) for key in changed)
        yield RefusedChange(at, f"spec.nodeSelector: Invalid value: {_SELECTOR}")


def _fixed(spec: dict[str, Any], free: list[str], *, gated: bool) -> dict[str, Any]:
    rest = {key: value for key, value in spec.items() if key not in free}
    if gated and isinstance(rest.get("affinity"), dict):
        rest["affinity"] = {key: value for key, value in rest["affinity"].items() if key != "nodeAffinity"}
        if not rest["affinity"]:
            del rest["affinity"]
    for key in _CONTAINERS:
        if isinstance(rest.get(key), list):
            rest[key] = [
                {name: value for name, value in one.items() if name != "image"} if isinstance(one, dict) else one
                for one in rest[key]
            ]
    return rest


def device_claim_changes(old: dict[str, Any], new: dict[str, Any], live: bool, _minor: int) -> Iterator[RefusedChange]:
    """Yield changes of the spec of a claim, or of a claim template; versions with different shapes are parsed first."""
    if is_flat(old) == is_flat(new):
        found = tuple(differences(normal(old.get("spec")), normal(new.get("spec")), ("spec",), live=live))
    else:
        from kubelint_gpu.kube.dra.claim import read_resource_claim, read_resource_claim_template

        read = read_resource_claim if new.get("kind") == "ResourceClaim" else read_resource_claim_template
        found = () if read(old, []).spec == read(new, []).spec else (("spec",),)
    if found:
        yield RefusedChange(found, f"spec: {IMMUTABLE}")


def claim_changes(old: dict[str, Any], new: dict[str, Any], live: bool, minor: int) -> Iterator[RefusedChange]:
    """Yield the refused changes of a PersistentVolumeClaim, which counts as bound."""
    before, after = (normal(value.get("spec")) for value in (old, new))
    if not isinstance(before, dict) or not isinstance(after, dict) or not after.get("accessModes"):
        return
    had, has = (_size(spec) for spec in (before, after))
    if had is not None and has is not None and has < had:
        than = "status.capacity" if minor >= _RECOVERY_SINCE else "previous value"
        text = f"Forbidden: field can not be less than {than}"
        yield RefusedChange((_STORAGE,), f"spec.resources.requests.storage: {text}")
    free = ["volumeAttributesClassName"]
    free += [key for key in ("storageClassName", "volumeName") if key not in before]
    one, other = (_fixed_claim(spec, free) for spec in (before, after))
    found = tuple(differences(one, other, ("spec",), live=live))
    if found:
        what = "resources.requests and volumeAttributesClassName" if minor >= _CLASSES_SINCE else "resources.requests"
        text = f"spec is immutable after creation except {what} for bound claims"
        yield RefusedChange(found, f"spec: Forbidden: {text}")


def volume_changes(old: dict[str, Any], new: dict[str, Any], live: bool, _minor: int) -> Iterator[RefusedChange]:
    """Yield the refused changes of a PersistentVolume."""
    before, after = (normal(value.get("spec")) for value in (old, new))
    if not isinstance(before, dict) or not isinstance(after, dict) or not after.get("accessModes"):
        return
    one, other = ({key: value for key, value in spec.items() if key not in _NOT_SOURCE} for spec in (before, after))
    found = tuple(differences(one, other, ("spec",), live=live))
    if found:
        text = "spec.persistentvolumesource is immutable after creation"
        yield RefusedChange(found, f"spec.persistentvolumesource: Forbidden: {text}")
    if before.get("volumeMode") != after.get("volumeMode"):
        yield RefusedChange((("spec", "volumeMode"),), f"volumeMode: {IMMUTABLE}")
    if "nodeAffinity" in before and _renamed(before["nodeAffinity"]) != _renamed(after.get("nodeAffinity")):
        text = f"{IMMUTABLE}, except for updating from beta label to GA"
        yield RefusedChange((("spec", "nodeAffinity"),), f"nodeAffinity: {text}")


def _size(spec: dict[str, Any]) -> Amount | None:
    found: Any = spec
    for key in _STORAGE[1:]:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, (int, fractions.Fraction)) else None


def _fixed_claim(spec: dict[str, Any], free: list[str]) -> dict[str, Any]:
    rest = {key: value for key, value in spec.items() if key not in free}
    resources = rest.get("resources")
    if isinstance(resources, dict) and isinstance(resources.get("requests"), dict):
        requests = {key: value for key, value in resources["requests"].items() if key != "storage"}
        rest["resources"] = {**resources, "requests": requests}
    # the API server writes each of the two into the other
    source = rest.pop("dataSourceRef", None) or rest.get("dataSource")
    found: dict[str, Any] = normal({**rest, "dataSource": source})
    return found


def _renamed(value: Any) -> Any:
    """A node affinity with deprecated labels renamed."""
    if isinstance(value, dict):
        return {key: _BETA.get(one, one) if key == "key" else _renamed(one) for key, one in value.items()}
    return [_renamed(one) for one in value] if isinstance(value, list) else value
