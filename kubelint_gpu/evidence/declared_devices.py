"""The devices of nodes, by the slices of the inventory that declare them."""

from __future__ import annotations

from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet


@once
def declared_devices(unit: ApplySet) -> dict[tuple[str, str], list[tuple[Declared, int]]]:
    """The declared slices with devices of one node, by node and driver, each with how many they are."""
    declared = unit.world.inventory.of_kind("ResourceSlice") if unit.world.inventory is not None else ()
    found = ((one, one.value.get("spec")) for one in declared)
    return grouped(
        ((str(spec["nodeName"]), str(spec.get("driver"))), (one, len(spec["devices"])))
        for one, spec in found
        if isinstance(spec, dict) and isinstance(spec.get("devices"), list) and spec.get("nodeName")
    )
