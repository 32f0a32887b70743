"""Where objects that a verdict rests on stand, as places of a finding."""

from __future__ import annotations

from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.workspace.apply_set import ApplySet


def told_at(
    unit: ApplySet, kind: str, name: str, told: str, namespace: str = "", route: Pointer = ()
) -> tuple[Related, ...]:
    """What is told of an object, where it stands: in the manifests, beside them or in the inventory, if anywhere."""
    for manifest in (*unit.manifests, *unit.beside.named(kind, name), *unit.neighbours):
        within = not namespace or (manifest.namespace or "default") == namespace
        if (manifest.kind, manifest.name) == (kind, name) and within:
            return (Related(manifest.place(route or ("metadata", "name")), told),)
    declared = unit.world.declared(kind, name, namespace)
    return (Related(unit.world.place(declared, route), told),) if declared is not None else ()
