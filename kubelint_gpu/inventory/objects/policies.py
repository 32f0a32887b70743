"""The concise forms of priority classes, namespaces, quotas and disruption budgets as API objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.kube.objects.meta import NAME_LABEL

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubelint_gpu.documents import Item, Pointer
    from kubelint_gpu.inventory.declarations.declared import Routes


def priority_class(item: Item, pointer: Pointer, entry: dict[str, Any]) -> Declared:
    """An entry of `priorityClasses`."""
    value = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": entry["name"]},
        **_some(entry, "value", "globalDefault", "preemptionPolicy"),
    }
    return Declared(value, item, pointer, _routes(pointer, ()))


def namespace(item: Item, pointer: Pointer, entry: dict[str, Any]) -> Declared:
    """An entry of `namespaces`, with the label that the API server adds."""
    labels = {**entry.get("labels", {}), NAME_LABEL: entry["name"]}
    value = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": entry["name"], "labels": labels}}
    return Declared(value, item, pointer, _routes(pointer, ("metadata",)))


def resource_quota(item: Item, pointer: Pointer, entry: dict[str, Any]) -> Declared:
    """An entry of `resourceQuotas`."""
    value = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": _some(entry, "name", "namespace"),
        "spec": _some(entry, "hard", "scopes", "scopeSelector"),
        "status": _some(entry, "hard", "used"),
    }
    routes = ((("status",), pointer), *_routes(pointer, ("spec",)))
    return Declared(value, item, pointer, routes)


def pod_disruption_budget(item: Item, pointer: Pointer, entry: dict[str, Any]) -> Declared:
    """An entry of `podDisruptionBudgets`; without `disruptionsAllowed` it has no status."""
    value = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": entry["name"], "namespace": entry.get("namespace", "default")},
        "spec": _some(entry, "selector", "minAvailable", "maxUnavailable"),
    }
    if "disruptionsAllowed" in entry:
        value["status"] = _some(entry, "disruptionsAllowed")
    routes = ((("status",), pointer), *_routes(pointer, ("spec",)))
    return Declared(value, item, pointer, routes)


POLICIES: dict[str, Callable[[Item, Pointer, dict[str, Any]], Declared]] = {
    "priorityClasses": priority_class,
    "namespaces": namespace,
    "resourceQuotas": resource_quota,
    "podDisruptionBudgets": pod_disruption_budget,
}


def _some(entry: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: entry[key] for key in keys if key in entry}


def _routes(pointer: Pointer, section: Pointer) -> Routes:
    # Fields have their own names in the concise form, without `metadata` and `spec` around them.
    return ((("metadata",), pointer), (section, pointer), ((), (*pointer, "name")))
