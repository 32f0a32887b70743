"""Changes that the API server refuses in an update: immutable fields.

Source: the `Validate...Update` functions of pkg/apis/*/validation, Kubernetes 1.25 to 1.36.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.updates.kind_updates import (
    claim_changes,
    device_claim_changes,
    job_changes,
    pod_changes,
    volume_changes,
)
from kubelint_gpu.kube.updates.normal_form import IMMUTABLE, RefusedChange, normal
from kubelint_gpu.kube.values.errors import Pointer, field_path
from kubelint_gpu.kube.values.plain import at, differences, mapping

_SELECTOR: Pointer = ("spec", "selector")
_ALLOWED = ("replicas", "template", "updateStrategy", "persistentVolumeClaimRetentionPolicy", "minReadySeconds")
_ORDINALS_SINCE = 27
_REVISIONS_SINCE = 33
_NEWEST = 1000
_NOT_CAPTURED = {"dataSource", "limits", "parameters", "reclaimPolicy"}
_FIELDS: dict[tuple[str, str], tuple[tuple[Pointer, str], ...]] = {
    ("apps", "DaemonSet"): ((_SELECTOR, IMMUTABLE),),
    ("apps", "Deployment"): ((_SELECTOR, IMMUTABLE),),
    ("apps", "ReplicaSet"): ((_SELECTOR, IMMUTABLE),),
    ("networking.k8s.io", "IngressClass"): ((("spec", "controller"), IMMUTABLE),),
    ("node.k8s.io", "RuntimeClass"): ((("handler",), IMMUTABLE),),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): ((("roleRef",), "Invalid value: cannot change roleRef"),),
    ("rbac.authorization.k8s.io", "RoleBinding"): ((("roleRef",), "Invalid value: cannot change roleRef"),),
    ("scheduling.k8s.io", "PriorityClass"): (
        (("value",), "Forbidden: may not be changed in an update"),
        (("preemptionPolicy",), IMMUTABLE),
    ),
    ("storage.k8s.io", "StorageClass"): (
        (("parameters",), "Forbidden: updates to parameters are forbidden"),
        (("provisioner",), "Forbidden: updates to provisioner are forbidden"),
        (("reclaimPolicy",), "Forbidden: updates to reclaimPolicy are forbidden"),
        (("volumeBindingMode",), IMMUTABLE),
    ),
    ("storage.k8s.io", "VolumeAttributesClass"): (
        (("driverName",), "Forbidden: updates to driverName are forbidden"),
        (("parameters",), "Forbidden: updates to parameters are forbidden"),
    ),
}


def refused_changes(
    old: dict[str, Any], new: dict[str, Any], minor: int | None = None, *, captured: bool = False
) -> Iterator[RefusedChange]:
    """Yield the refused changes from one version of an object to another, field by field.

    `minor` is the minor release of the control plane; if unknown, the newest, which allows the most. The old object of
    a `captured` inventory lacks a few fields, which are ignored.
    """
    for change in _changes(old, new, _NEWEST if minor is None else minor):
        if not captured or all(_NOT_CAPTURED.isdisjoint(pointer) for pointer in change.at):
            yield change


def _changes(old: dict[str, Any], new: dict[str, Any], minor: int) -> Iterator[RefusedChange]:
    kind = (api_group(new), str(new.get("kind")))
    meta = old.get("metadata")
    live = isinstance(meta, dict) and ("uid" in meta or "resourceVersion" in meta)
    for pointer, answer in _FIELDS.get(kind, ()):
        yield from _changed(old, new, pointer, answer, live=live)
    special = _SPECIAL.get(kind)
    if special is not None:
        yield from special(old, new, live, minor)


def _changed(
    old: dict[str, Any], new: dict[str, Any], pointer: Pointer, answer: str, *, live: bool = False
) -> Iterator[RefusedChange]:
    before, after = normal(at(old, pointer)), normal(at(new, pointer))
    if pointer == _SELECTOR and not (before and after):
        # a patch has no selector, and who writes none where one is needed is told that elsewhere
        return
    holder_before, holder_after = normal({pointer[-1]: before}), normal({pointer[-1]: after})
    # a default that is written out is not left to the API server
    absent = live and not isinstance(at(new, pointer), str)
    found = tuple(differences(holder_before, holder_after, pointer[:-1], live=absent))
    if found:
        yield RefusedChange(found, f"{field_path(pointer)}: {answer}")


def _stateful_set(old: dict[str, Any], new: dict[str, Any], live: bool, minor: int) -> Iterator[RefusedChange]:
    before, after = mapping(old.get("spec")), mapping(new.get("spec"))
    if not before.get("selector") or not after.get("selector"):
        return
    yield from _strategy(mapping(before.get("updateStrategy")), mapping(after.get("updateStrategy")))
    allowed = list(_ALLOWED)
    if minor >= _ORDINALS_SINCE:
        allowed.insert(1, "ordinals")
    if minor >= _REVISIONS_SINCE:
        allowed.insert(4, "revisionHistoryLimit")
    names = f"{', '.join(repr(name) for name in allowed[:-1])} and {allowed[-1]!r}"
    answer = f"spec: Forbidden: updates to statefulset spec for fields other than {names} are forbidden"
    old_fields, new_fields = (_claimed(normal(spec)) for spec in (before, after))
    for field in dict.fromkeys((*new_fields, *old_fields)):
        if field in allowed:
            continue
        one, other = ({field: spec[field]} if field in spec else {} for spec in (old_fields, new_fields))
        found = tuple(differences(one, other, ("spec",), live=live))
        if found:
            yield RefusedChange(found, answer)


def _strategy(had: dict[str, Any], has: dict[str, Any]) -> Iterator[RefusedChange]:
    """OnDelete beside the defaults of RollingUpdate, which the API server wrote itself and no update removes."""
    rolled = had.get("type", "RollingUpdate") == "RollingUpdate" and not had.get("rollingUpdate")
    if rolled and has.get("type") == "OnDelete" and "rollingUpdate" not in has:
        answer = "Invalid value: only allowed for updateStrategy 'RollingUpdate'"
        yield RefusedChange(
            (("spec", "updateStrategy", "type"),),
            f"spec.updateStrategy.rollingUpdate: {answer}; write rollingUpdate: null beside it, which kubectl apply "
            "takes and server-side apply does not",
        )


def _deployment(old: dict[str, Any], new: dict[str, Any], _live: bool, _minor: int) -> Iterator[RefusedChange]:
    """Recreate beside the defaults of RollingUpdate, which the API server wrote itself.

    `kubectl apply` and Helm remove them (the patch strategy of the field is retainKeys), server-side apply does not,
    whether null is written or nothing (1.34).
    """
    had, has = (mapping(mapping(value.get("spec")).get("strategy")) for value in (old, new))
    rolled = had.get("type", "RollingUpdate") == "RollingUpdate" and not had.get("rollingUpdate")
    if rolled and has.get("type") == "Recreate" and "rollingUpdate" not in has:
        answer = "may not be specified when strategy `type` is 'Recreate'"
        yield RefusedChange(
            (("spec", "strategy", "type"),),
            f"spec.strategy.rollingUpdate: Forbidden: {answer}; kubectl apply takes the defaults away",
            where="with server-side apply",
        )


def _claimed(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec of a StatefulSet without fields that the API server adds to its claims."""
    claims = spec.get("volumeClaimTemplates")
    if not isinstance(claims, list):
        return spec
    dropped = ("apiVersion", "kind", "status")
    bare = [{key: one[key] for key in one if key not in dropped} for one in claims if isinstance(one, dict)]
    return {**spec, "volumeClaimTemplates": bare}


def _service(old: dict[str, Any], new: dict[str, Any], _live: bool, _minor: int) -> Iterator[RefusedChange]:
    before, after = mapping(old.get("spec")), mapping(new.get("spec"))
    if "ExternalName" in (before.get("type"), after.get("type")):
        return
    had, has = (spec.get("clusterIP") or None for spec in (before, after))
    # an address that was given out and is written down afterwards is the same one
    if has is None or has == had or (had is None and has != "None"):
        return
    yield RefusedChange((("spec", "clusterIP"),), "spec.clusterIPs[0]: Invalid value: may not change once set")


def _frozen_data(old: dict[str, Any], new: dict[str, Any], live: bool, _minor: int) -> Iterator[RefusedChange]:
    if new.get("kind") == "Secret":
        one, other = ({**value, "type": value.get("type") or "Opaque"} for value in (old, new))
        yield from _changed(one, other, ("type",), IMMUTABLE, live=live)
    if old.get("immutable") is not True:
        return
    answer = "Forbidden: field is immutable when `immutable` is set"
    if new.get("immutable") is not True:
        yield RefusedChange((("immutable",),), f"immutable: {answer}")
    for field in ("data", "stringData", "binaryData"):
        found = tuple(differences(_only(old, field), _only(new, field), live=live))
        if found:
            yield RefusedChange(found, f"{'data' if field == 'stringData' else field}: {answer}")


def _quota(old: dict[str, Any], new: dict[str, Any], _live: bool, _minor: int) -> Iterator[RefusedChange]:
    before, after = (mapping(value.get("spec")).get("scopes") or [] for value in (old, new))
    if isinstance(before, list) and isinstance(after, list) and {*map(str, before)} != {*map(str, after)}:
        yield RefusedChange((("spec", "scopes"),), f"spec.scopes: {IMMUTABLE}")


_Changes = Callable[[dict[str, Any], dict[str, Any], bool, int], Iterator[RefusedChange]]
_SPECIAL: dict[tuple[str, str], _Changes] = {
    ("", "ConfigMap"): _frozen_data,
    ("", "PersistentVolume"): volume_changes,
    ("", "PersistentVolumeClaim"): claim_changes,
    ("", "Pod"): pod_changes,
    ("", "ResourceQuota"): _quota,
    ("", "Secret"): _frozen_data,
    ("", "Service"): _service,
    ("apps", "Deployment"): _deployment,
    ("apps", "StatefulSet"): _stateful_set,
    ("batch", "Job"): job_changes,
    ("resource.k8s.io", "ResourceClaim"): device_claim_changes,
    ("resource.k8s.io", "ResourceClaimTemplate"): device_claim_changes,
}


def _only(value: dict[str, Any], field: str) -> dict[str, Any]:
    return {field: value[field]} if value.get(field) else {}
