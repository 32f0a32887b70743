"""What may not change in a Pod that exists.

Source: `ValidatePodUpdate` in pkg/apis/core/validation, Kubernetes 1.34.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.updates.refused_change import RefusedChange
from kubelint_gpu.kube.values.differences import differences
from kubelint_gpu.kube.values.errors import Pointer

_CONTAINERS = ("containers", "initContainers")
_OTHER = "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image` and a few more"
_TOLERATION = "Forbidden: existing toleration can not be modified except its tolerationSeconds"
_SELECTOR = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
_DEADLINE = "activeDeadlineSeconds"
_NEW_DEADLINE: Pointer = ("spec", _DEADLINE)


def pod_changes(old: dict[str, Any], new: dict[str, Any], live: bool, _minor: int) -> Iterator[RefusedChange]:
    """The changes of a Pod that are refused."""
    from kubelint_gpu.kube.updates.normal_form import normal_pod_spec

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
    """A gated pod's node selector may only grow; what its node affinity may become is not compared."""
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
