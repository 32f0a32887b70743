"""The classes and quotas of an inventory, as a table of the cluster names them."""

from __future__ import annotations

from kubelint_gpu.inventory.declarations.inventory import Inventory
from kubelint_gpu.kube.objects.quota import ResourceQuota
from kubelint_gpu.kube.values.quantity import canonical


def priorities(inventory: Inventory) -> list[tuple[str, int]]:
    """Each PriorityClass with its value, the highest first."""
    found = [(one.name, one.value.get("value")) for one in inventory.of_kind("PriorityClass")]
    known = [(name, value) for name, value in found if isinstance(value, int)]
    return sorted(known, key=lambda one: (-one[1], one[0]))


def names_of(inventory: Inventory, kind: str) -> list[str]:
    """The names of the objects of a kind, sorted."""
    return sorted(one.name for one in inventory.of_kind(kind))


def quotas(inventory: Inventory) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each ResourceQuota as `namespace/name`, with what it lets be used of each key, as a quantity."""
    found = []
    for one in inventory.of_kind("ResourceQuota"):
        quota = one.typed
        if isinstance(quota, ResourceQuota):
            amounts = [(key, canonical(amount)) for key, amount in sorted(quota.hard.items())]
            found.append((f"{quota.meta.namespace}/{quota.meta.name}", amounts))
    return sorted(found)
