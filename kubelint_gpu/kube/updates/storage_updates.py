"""What may not change in claims for storage or devices, their templates, and volumes that exist.

Source: `ValidatePersistentVolumeClaimUpdate` and `ValidatePersistentVolumeUpdate` in pkg/apis/core/validation, 1.25 to
1.36; `ValidateResourceClaimUpdate` and `ValidateResourceClaimTemplateUpdate` in pkg/apis/resource/validation, 1.32 to
1.36.
"""

from __future__ import annotations

import fractions
from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.dra.resource_api import is_flat
from kubelint_gpu.kube.updates.normal_form import IMMUTABLE, RefusedChange, normal
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.plain import differences
from kubelint_gpu.kube.values.quantity import Amount

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


def device_claim_changes(old: dict[str, Any], new: dict[str, Any], live: bool, _minor: int) -> Iterator[RefusedChange]:
    """The spec of a claim, or of the claims that a template makes; one that another version writes in another way."""
    if is_flat(old) == is_flat(new):
        found = tuple(differences(normal(old.get("spec")), normal(new.get("spec")), ("spec",), live=live))
    else:
        from kubelint_gpu.kube.dra.claim import read_resource_claim, read_resource_claim_template

        read = read_resource_claim if new.get("kind") == "ResourceClaim" else read_resource_claim_template
        found = () if read(old, []).spec == read(new, []).spec else (("spec",),)
    if found:
        yield RefusedChange(found, f"spec: {IMMUTABLE}")


def claim_changes(old: dict[str, Any], new: dict[str, Any], live: bool, minor: int) -> Iterator[RefusedChange]:
    """The changes of a PersistentVolumeClaim that are refused; it counts as bound."""
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
    one, other = (_fixed(spec, free) for spec in (before, after))
    found = tuple(differences(one, other, ("spec",), live=live))
    if found:
        what = "resources.requests and volumeAttributesClassName" if minor >= _CLASSES_SINCE else "resources.requests"
        text = f"spec is immutable after creation except {what} for bound claims"
        yield RefusedChange(found, f"spec: Forbidden: {text}")


def volume_changes(old: dict[str, Any], new: dict[str, Any], live: bool, _minor: int) -> Iterator[RefusedChange]:
    """The changes of a PersistentVolume that are refused."""
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


def _fixed(spec: dict[str, Any], free: list[str]) -> dict[str, Any]:
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
    """A node affinity with labels under their present names."""
    if isinstance(value, dict):
        return {key: _BETA.get(one, one) if key == "key" else _renamed(one) for key, one in value.items()}
    return [_renamed(one) for one in value] if isinstance(value, list) else value
