"""GPU workloads without a priority class."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.room.known_room import room_in
from kubelint_gpu.builders.rollout_end import ended
from kubelint_gpu.engine.api import WHO, ApplySet, Diagnostic, Related, Shared, WorkloadCheck, field_pointers, rule
from kubelint_gpu.evidence.declared_lines import told_at
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.kinds.custom_workload import WITHOUT_PRIORITY_CLASS
from kubelint_gpu.kube.objects.priority import NEVER, SYSTEM_PREFIX, PriorityClass
from kubelint_gpu.messages.wording import listed, some, workload_name
from kubelint_gpu.simulation.search.verdict import WAITS
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.workload_check import WorkloadKey

_CLASS = "priorityClassName"
_EVICTED = "their pods can evict nobody, and any pod with a class above 0 can evict them"
_TOLD = Shared(_CLASS, (WHO, f" have no {_CLASS} and there is no globalDefault class: {_EVICTED}"), of_run=True)


@rule("KLG301", of_workloads=True)
def missing_priority_class(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield GPU workloads without a priority: any pod with a priority may evict them, and they can evict none.

    It is a warning if priorities matter: there are classes, a pod of another priority requests the same devices, or its
    own pod waits for resources of others. Else it is a note. All such workloads of a run are one finding.
    """
    if not unit.has_nodes or any(found.global_default for found in unit.cluster.priority_classes):
        return
    for subject in unit.subjects:
        resources = extended_resources(subject.workload.spec)
        if not resources or subject.workload.spec.priority_class_name:
            continue
        if subject.workload.custom and subject.workload.kind in WITHOUT_PRIORITY_CLASS:
            continue
        manifest, matters, bound = subject.manifest, _matters(unit, subject), _bound(unit, subject)
        where = field_pointers.pod_spec(manifest)
        yield Diagnostic(
            "KLG301",
            manifest.place(where, "key"),
            f"no {_CLASS} and no globalDefault class: its pods have priority 0 and cannot preempt other pods for "
            f"{listed(resources)}, and {_threat(unit)}",
            manifest,
            cause=_CLASS,
            severity="warning" if matters else "note",
            shared=replace(_TOLD, cause=f"{_CLASS} {bound}"),
            follows=(manifest.object,) if subject.key in _in_want(unit) else (),
            related=tuple(_threats(unit, subject)),
            help=(_advice(unit, subject, bound),),
        )


def _matters(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether priorities matter: there are custom classes, a competitor, or pods in the way."""
    if any(not found.name.startswith(SYSTEM_PREFIX) for found in unit.cluster.priority_classes):
        return True
    return subject.key in _in_want(unit) or _has_competitor(unit, subject)


@once
def _in_want(unit: ApplySet) -> frozenset[WorkloadKey]:
    """Return the workloads with a pod that waits for resources of others, which it would have to evict."""
    waiting = {subject.key: end.waiting for verdict in WAITS for subject, end in ended(unit, verdict)}
    rooms = ((subject.key, room_in(unit, subject)) for subject in unit.subjects)
    short = (
        key
        for key, one in rooms
        if one is not None and one.room.is_short and one.room.eligible and one.room.refusal is None
        if one.room.alone > one.room.placed or unit.cluster.pods
    )
    held = (key for key, one in waiting.items() if any({*lack.owners} - {one.owner} for lack in one.lacks))
    return frozenset((*short, *held))


def _has_competitor(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether a pod of another priority requests the same devices of a node that takes the workload's pods."""
    found = [nodes for name in extended_resources(subject.workload.spec) if (nodes := _contested(unit).get(name))]
    return bool(found) and any(map(_takers(unit, subject).intersection, found))


@once
def _contested(unit: ApplySet) -> dict[str, set[str]]:
    """Return for each device the nodes on which pods of a priority other than 0 hold it, or may."""
    found: dict[str, set[str]] = {}
    for subject in unit.subjects:
        if subject.known_class and subject.workload.spec.priority:
            for name in extended_resources(subject.workload.spec):
                found.setdefault(name, set()).update(_takers(unit, subject))
    for pod in unit.cluster.pods:
        for name in extended_resources(pod.spec) if pod.spec.priority and pod.spec.node_name else ():
            found.setdefault(name, set()).add(pod.spec.node_name)
    return found


@once
def _outranking(unit: ApplySet) -> list[str]:
    """Return the workloads that can evict pods of priority 0, by name."""
    known = (one.workload for one in unit.subjects if one.known_class and (one.workload.spec.priority or 0) > 0)
    return sorted({workload_name(one) for one in known if one.spec.preemption_policy != NEVER})


def _takers(unit: ApplySet, subject: WorkloadCheck) -> frozenset[str]:
    found = unit.alone(subject)
    return frozenset(found.fit.fits) if found.fit is not None else frozenset()


def _threat(unit: ApplySet) -> str:
    above, others = sorted(found.name for found in _preempting(unit)), _outranking(unit)
    if others:
        return f"{some(others, 'workload', 'or')} beside it can evict them"
    if above:
        return f"pods of class {some(above, 'class', 'or')} can evict them"
    return "any pod with a class above 0 can evict them"


def _preempting(unit: ApplySet) -> list[PriorityClass]:
    """Return the classes whose pods can evict pods of priority 0, the highest first."""
    found = (one for one in unit.cluster.priority_classes if one.value > 0 and one.preemption_policy != NEVER)
    return sorted(found, key=lambda one: (-one.value, one.name))


def _threats(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Related]:
    """Yield the GPU request at stake, and the classes whose pods can take it."""
    for resource in extended_resources(subject.workload.spec):
        for route in field_pointers.requests(subject.manifest, resource):
            yield Related(subject.manifest.place(route), f"{resource} that another pod may take")
    for found in _preempting(unit)[:3]:
        yield from told_at(unit, "PriorityClass", found.name, f"class {found.name} has value {found.value}")


def _bound(unit: ApplySet, subject: WorkloadCheck) -> int | None:
    """Return the most for batch work, and what a service must exceed, so that no batch work evicts services."""
    batch = subject.controller.runs_to_completion
    rivals = (one for one in unit.subjects if one.controller.runs_to_completion is not batch)
    classed = [one for one in rivals if one.workload.spec.priority_class_name]
    values = [one.workload.spec.priority or 0 for one in classed if extended_resources(one.workload.spec)]
    return (min if batch else max)(values, default=None)


def _advice(unit: ApplySet, subject: WorkloadCheck, bound: int | None) -> str:
    batch, classes = subject.controller.runs_to_completion, unit.cluster.priority_classes
    which = f"a {'low ' * batch}PriorityClass"
    if bound is not None:
        which = f"a PriorityClass {'of at most' if batch else 'above'} {bound}"
    fits = [one for one in classes if bound is None or (one.value <= bound if batch else one.value > bound)]
    # with a class that preempts nobody a service still evicts nobody
    names = sorted(found.name for found in fits if batch or found.preemption_policy != NEVER)
    if names:
        return f"set {_CLASS} to {some(names, 'class', 'or')}"
    return f"declare {which} for GPU workloads and name it in {_CLASS}"
