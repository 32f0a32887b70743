"""Turns the entries of a concise declaration into API objects, and reports unreadable ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kubelint_gpu.documents import Item, Pointer, value_at
from kubelint_gpu.inventory.declarations.declared import ANY, SECTIONS, Declared, Routes, unread
from kubelint_gpu.inventory.gathered import GatheredDeclarations
from kubelint_gpu.inventory.objects.declared_nodes import MOST_NODES, node, pool
from kubelint_gpu.inventory.reading import understood
from kubelint_gpu.kube.objects.meta import NAME_LABEL
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.values import replace


def gather_concise(item: Item, found: GatheredDeclarations, follows_schema: bool) -> None:
    """Gather all declarations of one document; running pods are kept for later."""
    broken: frozenset[Pointer] = frozenset()
    if not follows_schema:
        from kubelint_gpu.inventory.sentences import kind_of, validate

        errors, broken = validate(item)
        found.problems += errors
        for section, entry in sorted((str(pointer[0]), pointer[1:]) for pointer in broken if pointer):
            kind = kind_of(section)
            if kind in ("Node", ANY):
                found.doubtful.add(_entry_name(item, section, entry))
            if kind is not None:
                whole = not entry or not isinstance(item.value[section], list)
                found.unread.append(unread(kind, None if whole else item.value[section][entry[0]]))
    found.concise.append(item)

    def entries(section: str) -> list[Pointer]:
        listed = item.value.get(section)
        if (section,) in broken or not isinstance(listed, list):
            return []
        return [(section, index) for index in range(len(listed)) if (section, index) not in broken]

    for section, declare in POLICIES.items():
        for pointer in entries(section):
            value = item.value[section][pointer[1]]
            with found.one(SECTIONS[section], value, item, pointer):
                policy = understood(declare(item, pointer, value), found.problems)
            if policy is not None:
                found.objects.append(policy)
    for pointer in entries("nodes"):
        with found.one("Node", item.value["nodes"][pointer[1]], item, pointer):
            one = node(item, pointer, found.problems)
        if one is None:
            found.doubtful.add(_entry_name(item, "nodes", pointer[1:]))
        else:
            found.objects += [one, *_devices(item, pointer, (), one.name, found)]
        found.nodes += 1
    for pointer in entries("pools"):
        with found.one("Node", {}, item, pointer):
            grown = pool(item, pointer, MOST_NODES - found.nodes, found.problems)
        if grown is None:
            found.doubtful.add(None)
            continue
        declared, nodes = grown
        slices = _devices(item, pointer, ("template",), declared.template.name, found)
        found.pools.append(replace(declared, slices=tuple(slices)))
        found.objects += nodes
        if slices:
            from kubelint_gpu.inventory.dra.slices import on_node

            found.objects += [on_node(one, name) for name in declared.nodes for one in slices]
        found.nodes += len(nodes)
    found.waiting += [(item, pointer) for pointer in entries("running")]


def _devices(item: Item, pointer: Pointer, below: Pointer, node: str, found: GatheredDeclarations) -> list[Declared]:
    value = mapping(value_at(item.value, (*pointer, *below)))
    if "devices" not in value:
        return []
    from kubelint_gpu.inventory.dra.slices import slices_of

    with found.one("ResourceSlice", {}, item, (*pointer, *below, "devices")):
        return slices_of(item, (*pointer, *below), value, node, found.problems)


def _entry_name(item: Item, section: str, entry: Pointer) -> str | None:
    listed = item.value.get(section)
    if section == "pools" or not entry or not isinstance(listed, list) or not isinstance(entry[0], int):
        return None
    name = mapping(listed[entry[0]]).get("name")
    return name if isinstance(name, str) else None


def priority_class(item: Item, pointer: Pointer, entry: dict[str, Any]) -> Declared:
    """Return the PriorityClass for an entry of `priorityClasses`."""
    value = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": entry["name"]},
        **_some(entry, "value", "globalDefault", "preemptionPolicy"),
    }
    return Declared(value, item, pointer, _routes(pointer, ()))


def namespace(item: Item, pointer: Pointer, entry: dict[str, Any]) -> Declared:
    """Return the Namespace for an entry of `namespaces`, with the label that the API server adds."""
    labels = {**entry.get("labels", {}), NAME_LABEL: entry["name"]}
    value = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": entry["name"], "labels": labels}}
    return Declared(value, item, pointer, _routes(pointer, ("metadata",)))


def resource_quota(item: Item, pointer: Pointer, entry: dict[str, Any]) -> Declared:
    """Return the ResourceQuota for an entry of `resourceQuotas`."""
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
    """Return the PodDisruptionBudget for an entry; without `disruptionsAllowed` it has no status."""
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
