"""Lines about the resource claims of a pod, and the ResourceSlices of nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice

from kubelint_gpu.findings.finding import Related
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.messages.wording import counted
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_MOST_SLICES = 2


def device_lines(unit: ApplySet, subject: WorkloadCheck, nodes: Collection[str]) -> Iterator[Related]:
    """Yield the claims of a pod, and the first declared slices of some nodes."""
    for route in field_pointers.resource_claims(subject.manifest):
        own = route[-1] == field_pointers.CLAIM_TEMPLATE
        told = "each pod has devices of its own" if own else "all pods share the claim, and go where its devices are"
        yield Related(subject.manifest.place(route), told)
    here = ((key, slices) for key, slices in _declared_devices(unit).items() if key[0] in nodes)
    for (node, driver), slices in islice(here, _MOST_SLICES):
        told = f"{node} has {counted(sum(number for _, number in slices), 'device')} of {driver}"
        yield Related(unit.world.place(slices[0][0], ("spec", "driver")), told)


@once
def _declared_devices(unit: ApplySet) -> dict[tuple[str, str], list[tuple[Declared, int]]]:
    """The declared slices with devices of one node, by node and driver, each with its number of devices."""
    declared = unit.world.inventory.of_kind("ResourceSlice") if unit.world.inventory is not None else ()
    found = ((one, one.value.get("spec")) for one in declared)
    return grouped(
        ((str(spec["nodeName"]), str(spec.get("driver"))), (one, len(spec["devices"])))
        for one, spec in found
        if isinstance(spec, dict) and isinstance(spec.get("devices"), list) and spec.get("nodeName")
    )
