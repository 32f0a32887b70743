"""Pods and claims that admission refuses although it accepts their templates."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.predecessors import is_left_alone
from kubelint_gpu.builders.claim_quota import mounted_by
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Pointer, WorkloadCheck, field_pointers
from kubelint_gpu.engine.put_off import when_admitted
from kubelint_gpu.evidence.declared_lines import told_at
from kubelint_gpu.kube.objects.limit_range import LimitRange, claim_refusal, limit_range_refusal, with_defaults
from kubelint_gpu.kube.objects.pod import Container, Pod, PodSpec
from kubelint_gpu.kube.objects.priority import UnknownPriorityClass, priority_refusal
from kubelint_gpu.kube.objects.requests import ephemeral_claims
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.values import replace

_STORAGE: Pointer = ("spec", "resources", "requests", "storage")
_CLAIM_TEMPLATE = ("ephemeral", "volumeClaimTemplate")


def claim_out_of_bounds(unit: ApplySet, manifest: Manifest) -> Iterator[Diagnostic]:
    """The finding that a claim is refused, with the workloads that wait for it."""
    namespace = manifest.namespace or "default"
    mine = [one for one in unit.cluster.claims if (one.meta.namespace, one.meta.name) == (namespace, manifest.name)]
    for found in unit.cluster.limit_ranges if mine else ():
        broken = claim_refusal(mine[0].request or 0, found)
        if broken and found.meta.namespace == namespace:
            yield _of_limit_range(unit, manifest, _STORAGE, found, f"the claim: {broken}")
            for waits in mounted_by(unit, mine[0]) if manifest.object in unit.made else ():
                told = f"claim {manifest.name}, for which its pods wait: {broken}"
                yield _of_limit_range(unit, waits, ("metadata", "name"), found, told)


def pods_out_of_bounds(unit: ApplySet, manifest: Manifest, written: Workload) -> Iterator[Diagnostic]:
    """Findings that the pods of a workload, or their claims, are refused because of a LimitRange."""
    namespace = written.meta.namespace
    ranges = [found for found in unit.cluster.limit_ranges if found.meta.namespace == namespace]
    pod = written.pod(written.meta.name)
    pod = replace(pod, spec=with_defaults(pod.spec, ranges))
    for found in ranges:
        for index, volume in enumerate(written.spec.volumes):
            broken = [claim_refusal(claim.request or 0, found) for claim in ephemeral_claims([volume])]
            if any(broken):
                route = (*field_pointers.pod_spec(manifest), "volumes", index, *_CLAIM_TEMPLATE, *_STORAGE)
                yield _of_limit_range(unit, manifest, route, found, f"the claims of the pods: {broken[0]}")
        refusal = limit_range_refusal(pod, [found])
        if refusal is None:
            continue
        route = (*field_pointers.pod_spec(manifest), *_container(pod, found))
        written_at = [(*route, "resources", *one) for one in _amounts(pod, found)]
        route = next((one for one in (*written_at, (*route, "resources")) if manifest.present(one)), route)
        yield _of_limit_range(unit, manifest, route, found, f"the pods: {', '.join(refusal.broken)}")


def refused_pods(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    """Findings that the new pods of a workload are refused; none if the change leaves it as it was."""
    refusal, manifest, namespace = subject.refusal, subject.manifest, subject.workload.meta.namespace
    if refusal is None or is_left_alone(unit, subject):
        return
    route = (*field_pointers.pod_spec(manifest), *refusal.pointer) if refusal.pointer else ("metadata", "name")
    draft = Diagnostic(
        "KLG003",
        manifest.place(route, "key" if refusal.pointer else "value"),
        f"admission refuses the pods: {refusal.text}",
        manifest,
        cause="pods",
        certainty="certain" if manifest.namespace or not refusal.pointer else "possible",
        related=told_at(unit, "Namespace", namespace, f"namespace {namespace} enforces it") if refusal.pointer else (),
    )
    yield when_admitted(unit, subject, draft)


def _of_limit_range(unit: ApplySet, manifest: Manifest, route: Pointer, found: LimitRange, told: str) -> Diagnostic:
    name, namespace = found.meta.name, found.meta.namespace
    return Diagnostic(
        "KLG003",
        manifest.place(route, "key"),
        f"LimitRange {name} of namespace {namespace} refuses {told}",
        manifest,
        cause=f"limit range/{name}",
        certainty="certain" if manifest.namespace else "possible",
        related=told_at(unit, "LimitRange", name, f"LimitRange {name} is here", namespace),
        help=(f"keep to the bounds of LimitRange {name}, or widen them",),
    )


def _container(pod: Pod, found: LimitRange) -> Pointer:
    """The first container that violates a limit by itself; empty if only all of them together do."""
    parts = (("containers", pod.spec.containers), ("initContainers", pod.spec.init_containers))
    places = [((part, index), one) for part, containers in parts for index, one in enumerate(containers)]
    return next((place for place, one in places if _broken(pod, one, found)), ())


def _amounts(pod: Pod, found: LimitRange) -> Iterator[Pointer]:
    """Yield the amounts in that container without which fewer limits would be violated."""
    for one in (*pod.spec.containers, *pod.spec.init_containers):
        told = _broken(pod, one, found)
        for name in sorted({*one.limits, *one.requests}) if told else ():
            fewer = [FrozenMap({key: each[key] for key in each if key != name}) for each in (one.limits, one.requests)]
            if told - _broken(pod, replace(one, limits=fewer[0], requests=fewer[1]), found):
                yield from (("limits", name), ("requests", name))
        if told:
            return


def _broken(pod: Pod, container: Container, found: LimitRange) -> frozenset[str]:
    alone = replace(found, limits=tuple(limit for limit in found.limits if limit.kind == "Container"))
    spec: PodSpec = replace(pod.spec, containers=(container,), init_containers=())
    refusal = limit_range_refusal(replace(pod, spec=spec), [alone])
    return frozenset(refusal.broken if refusal is not None else ())


def priority_refused(unit: ApplySet, manifest: Manifest, spec: PodSpec) -> Iterator[Diagnostic]:
    """Findings that the pods are refused because their priority is not that of their class."""
    try:
        refusal = priority_refusal(spec, unit.cluster.priority_classes)
    except UnknownPriorityClass:
        return
    if refusal is None:
        return
    base, field = field_pointers.pod_spec(manifest), refusal.field
    known = unit.has_nodes or bool(spec.priority_class_name)
    yield Diagnostic(
        "KLG003",
        manifest.place((*base, field)),
        f"admission refuses the pods: {refusal.text}",
        manifest,
        cause=field,
        certainty="certain" if known else "possible",
        help=(f"leave {field} out, and name a PriorityClass in priorityClassName",),
    )
