"""GPU workloads without a priority class."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.kinds.custom_workload import WITHOUT_PRIORITY_CLASS
from kubelint_gpu.messages.wording import listed, some, workload_name
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_CLASS = "priorityClassName"


@rule("KLG301")
def missing_priority_class(unit: ApplySet) -> Iterator[Diagnostic]:
    """A GPU workload that nothing protects: any pod with a priority may evict it, and it can evict none."""
    if not unit.has_nodes or any(found.global_default for found in unit.cluster.priority_classes):
        return
    for subject in unit.subjects:
        resources = extended_resources(subject.workload.spec)
        if not resources or subject.workload.spec.priority_class_name:
            continue
        if subject.workload.custom and subject.workload.kind in WITHOUT_PRIORITY_CLASS:
            continue
        manifest = subject.manifest
        where = field_pointers.pod_spec(manifest)
        yield Diagnostic(
            "KLG301",
            manifest.place(where, "key"),
            f"no {_CLASS} and no globalDefault class: its pods have priority 0, can evict nobody for "
            f"{listed(resources)}, and {_threat(unit, subject)}",
            manifest,
            cause=_CLASS,
            related=tuple(_threats(unit, subject)),
            help=(_advice(unit, subject),),
        )


def _threat(unit: ApplySet, subject: WorkloadCheck) -> str:
    above = [found for found in unit.cluster.priority_classes if found.value > 0 and found.preemption_policy != "Never"]
    others = [
        workload_name(other.workload)
        for other in unit.subjects
        if other is not subject and other.known_class and (other.workload.spec.priority or 0) > 0
    ]
    if others:
        return f"{some(sorted(others), 'workload', 'or')} beside it can evict them"
    if above:
        return f"pods of class {some(sorted(found.name for found in above), 'class', 'or')} can evict them"
    return "any pod with a class above 0 can evict them"


def _threats(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Related]:
    """The GPU request that is at stake, and the classes that outrank it."""
    for resource in extended_resources(subject.workload.spec):
        for route in field_pointers.requests(subject.manifest, resource):
            yield Related(subject.manifest.place(route), f"{resource} that another pod may take")
    for found in sorted(unit.cluster.priority_classes, key=lambda one: (-one.value, one.name))[:3]:
        declared = unit.world.declared("PriorityClass", found.name)
        if declared is not None and found.value > 0:
            yield Related(unit.world.place(declared), f"class {found.name} has value {found.value}")


def _advice(unit: ApplySet, subject: WorkloadCheck) -> str:
    names = sorted(found.name for found in unit.cluster.priority_classes)
    if names:
        return f"set {_CLASS} to {some(names, 'class', 'or')}"
    low = "a low" if subject.controller.runs_to_completion else "a"
    return f"declare {low} PriorityClass for GPU workloads and name it in {_CLASS}"
