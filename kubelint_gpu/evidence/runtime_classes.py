"""What a RuntimeClass adds to its pods, as places of a finding and as words."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.documents import Pointer
from kubelint_gpu.evidence.declared_lines import told_at
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.runtime_class import FIELD, RuntimeClass, runtime_class_of
from kubelint_gpu.kube.values.quantity import scheduler_units
from kubelint_gpu.messages.wording import amount
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_OVERHEAD: Pointer = ("overhead", "podFixed")
_SELECTOR: Pointer = ("scheduling", "nodeSelector")


def class_of(unit: ApplySet, subject: WorkloadCheck) -> RuntimeClass | None:
    """The RuntimeClass of its pods; None if they name none, or it is unknown."""
    return runtime_class_of(subject.workload.spec, unit.cluster.runtime_classes)


def adds_requirement(manifest: Manifest, pointer: Pointer) -> bool:
    """Whether a node requirement, by its pointer in the pod spec, comes from a RuntimeClass."""
    written = (*field_pointers.pod_spec(manifest), *pointer)
    return pointer[0] == "nodeSelector" and not manifest.present(written) and manifest.present(_named(manifest))


def source_of(manifest: Manifest, pointer: Pointer) -> Pointer:
    """The source of a node requirement: its own line, or the name of the class that adds it."""
    if adds_requirement(manifest, pointer):
        return _named(manifest)
    return (*field_pointers.pod_spec(manifest), *pointer)


def overhead(unit: ApplySet, subject: WorkloadCheck, resource: str) -> Iterator[Related]:
    """Yield the line that says how much of a resource each pod takes beyond the requests of its containers."""
    found = class_of(unit, subject)
    number = found.overhead.get(resource, 0) if found is not None else 0
    if found is not None and number:
        added = amount(resource, scheduler_units(resource, number))
        told = f"RuntimeClass {found.name} adds {added} to each pod"
        yield from told_at(unit, "RuntimeClass", found.name, told, route=(*_OVERHEAD, resource))


def binding(unit: ApplySet, subject: WorkloadCheck, only: str) -> Iterator[Related]:
    """Yield the lines of a class that bind pods to some nodes; `only` says to which."""
    found = class_of(unit, subject)
    for key, value in sorted(found.node_selector.items()) if found is not None else ():
        if found is not None and adds_requirement(subject.manifest, ("nodeSelector", key)):
            told = f"RuntimeClass {found.name} asks for nodes with {key}={value}: {only}"
            yield from told_at(unit, "RuntimeClass", found.name, told, route=(*_SELECTOR, key))
            only = "and this binds it too"


def _named(manifest: Manifest) -> Pointer:
    return (*field_pointers.pod_spec(manifest), FIELD)
