"""Pods that admission refuses although their template was accepted.

Bounds of a LimitRange, priorities of their own, what a RuntimeClass says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from kubelint_gpu.documents import Pointer
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.evidence.runtime_classes import FIELD, class_of, declared_at
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.objects.limit_range import LimitRange, limit_range_refusal, with_defaults
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.priority import UnknownPriorityClass, priority_refusal
from kubelint_gpu.kube.objects.runtime_class import runtime_class_refusal
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_PRIORITY = ("priority", "preemptionPolicy")


def admission_refusals(unit: ApplySet) -> Iterator[Diagnostic]:
    """Why no pod of a workload is ever created, as far as the manifests, what is beside them and the inventory say."""
    for subject in unit.subjects:
        if subject.manifest.present(("status", "phase")):
            # what runs was admitted
            continue
        yield from _out_of_bounds(unit, subject)
        yield from _own_priority(unit, subject)
        yield from _runtime_class(unit, subject)


def _out_of_bounds(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    manifest, written = subject.manifest, subject.manifest.workload
    if written is None:
        return
    namespace = written.meta.namespace
    ranges = [found for found in unit.cluster.limit_ranges if found.meta.namespace == namespace]
    pod = written.pod(written.meta.name)
    pod = replace(pod, spec=with_defaults(pod.spec, ranges))
    for found in ranges:
        text = limit_range_refusal(pod, [found])
        if text is None:
            continue
        where = _container(pod, found)
        route: Pointer = (*field_pointers.pod_spec(manifest), *where)
        if where and manifest.present((*route, "resources")):
            route = (*route, "resources")
        yield Diagnostic(
            "KLG003",
            manifest.place(route, "key"),
            f"LimitRange {found.meta.name} of namespace {namespace} refuses the pods: "
            f"{text.partition('is forbidden: ')[2].strip('[]')}",
            manifest,
            cause=f"limit range/{found.meta.name}",
            certainty="certain" if manifest.namespace else "possible",
            related=tuple(_declared(unit, "LimitRange", found.meta.name, found.meta.namespace)),
        )


def _container(pod: Pod, found: LimitRange) -> Pointer:
    """The first container that breaks a bound by itself; empty where only all of them together do."""
    alone = replace(found, limits=tuple(limit for limit in found.limits if limit.kind == "Container"))
    parts = (("containers", pod.spec.containers), ("initContainers", pod.spec.init_containers))
    for part, containers in parts:
        for index, container in enumerate(containers):
            spec: PodSpec = replace(pod.spec, containers=(container,), init_containers=())
            if limit_range_refusal(replace(pod, spec=spec), [alone]) is not None:
                return (part, index)
    return ()


def _declared(unit: ApplySet, kind: str, name: str, namespace: str = "") -> Iterator[Related]:
    place = declared_at(unit, kind, name, namespace)
    if place is not None:
        yield Related(place, f"{kind} {name} is here")


def _own_priority(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    manifest, written = subject.manifest, subject.manifest.workload
    if written is None:
        return
    spec = written.spec
    try:
        text = priority_refusal(spec, unit.cluster.priority_classes)
    except UnknownPriorityClass:
        return
    if text is None:
        return
    base = field_pointers.pod_spec(manifest)
    field = _PRIORITY["PreemptionPolicy" in text]
    known = unit.has_nodes or bool(spec.priority_class_name)
    yield Diagnostic(
        "KLG003",
        manifest.place((*base, field)),
        f"admission refuses the pods: {text}",
        manifest,
        cause=field,
        certainty="certain" if known else "possible",
        help=(f"leave {field} out, and name a PriorityClass in priorityClassName",),
    )


def _runtime_class(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    manifest, written = subject.manifest, subject.manifest.workload
    if written is None:
        return
    spec = written.spec
    name, found = spec.runtime_class_name, class_of(unit, subject)
    if name and found is None and not _all_classes_known(unit):
        return
    text = runtime_class_refusal(spec, unit.cluster.runtime_classes)
    if text is None:
        return
    known = sorted(one.name for one in unit.cluster.runtime_classes)
    near = get_close_matches(name, known, 1, 0.6) if name and found is None else []
    field: Pointer = (FIELD,)
    if "Overhead" in text:
        field = ("overhead",)
    elif found is not None:
        own = spec.node_selector or EMPTY
        differing = (key for key, value in sorted(found.node_selector.items()) if own.get(key, value) != value)
        field = ("nodeSelector", next(differing))
    route = (*field_pointers.pod_spec(manifest), *field)
    yield Diagnostic(
        "KLG003",
        manifest.place(route, "key" if field == ("overhead",) else "value"),
        f"admission refuses the pods: {text}",
        manifest,
        cause="/".join(map(str, field)),
        related=tuple(_declared(unit, "RuntimeClass", name)) if found is not None else (),
        help=(f"did you mean {near[0]}?",) if near else (),
        proposals=rewritten(manifest, route, near, "use RuntimeClass {}"),
    )


def _all_classes_known(unit: ApplySet) -> bool:
    """Whether the cluster has no RuntimeClasses but those that are declared, and some are."""
    inventory = unit.world.inventory
    return inventory is not None and unit.complete and next(inventory.of_kind("RuntimeClass"), None) is not None
