"""Is there a node at all."""

from __future__ import annotations

from collections.abc import Container, Iterator

from kubelint_gpu.analysis.diagnosis import Diagnosis, diagnose, of_cause
from kubelint_gpu.analysis.node_misfit import title
from kubelint_gpu.builders.waiting_pods import scheduler_message
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Place, WorkloadCheck, field_pointers, rule
from kubelint_gpu.evidence.node_lines import clues
from kubelint_gpu.messages.wording import amount, bare


@rule("KLG201")
def unschedulable(unit: ApplySet) -> Iterator[Diagnostic]:
    """No node takes the pod, even with nothing else running, and no more telling rule says why."""
    yield from _without_claim(unit, {subject.key for subject, _ in diagnose(unit)})
    yield from _without_runtime_class(unit)
    for subject, found in of_cause(unit, "KLG201"):
        manifest = subject.manifest
        yield Diagnostic(
            "KLG201",
            _place(subject, found),
            f"no node takes its pod, even with nothing else running: {_nearest(unit, found)}",
            manifest,
            cause="unschedulable",
            certainty=found.certainty,
            scheduler=scheduler_message(unit, subject),
            related=clues(unit, subject, found.resource, found.nodes, takes=False),
        )


def _without_claim(unit: ApplySet, told: Container[str]) -> Iterator[Diagnostic]:
    """Pods that wait for a claim that nobody has, where the inventory says what storage there is, or all there is."""
    base = unit.world.base
    if not (base.claims or base.volumes or base.storage_classes or (base.namespaces and base.pods)):
        return
    known = {one.key for one in unit.cluster.claims}
    for subject in unit.subjects:
        manifest, namespace = subject.manifest, subject.workload.meta.namespace
        for route in field_pointers.claims(manifest) if subject.key not in told else ():
            name = field_pointers.at(manifest, route)
            if f"{namespace}/{name}" in known or subject.workload.custom:
                continue
            yield Diagnostic(
                "KLG201",
                manifest.place(route),
                f"its pods wait for claim {name}: neither the inventory nor the manifests have it",
                manifest,
                cause=f"claim {name}",
                certainty="possible",
                severity="warning",
                scheduler=f'persistentvolumeclaim "{name}" not found',
                help=(
                    "declare the claim in the inventory, or check the manifest that makes it together with this one",
                ),
            )


def _without_runtime_class(unit: ApplySet) -> Iterator[Diagnostic]:
    """Pods that admission refuses for a RuntimeClass that nobody has, where the inventory says which there are."""
    base, known = unit.world.base, {one.name for one in unit.cluster.runtime_classes}
    if not (base.runtime_classes or (base.namespaces and base.pods)):
        return
    for subject in unit.subjects:
        manifest, name = subject.manifest, subject.workload.spec.runtime_class_name
        if not name or name in known or subject.workload.custom:
            continue
        yield Diagnostic(
            "KLG201",
            manifest.place((*field_pointers.pod_spec(manifest), "runtimeClassName")),
            f"admission refuses its pods: neither the inventory nor the manifests have RuntimeClass {name}",
            manifest,
            cause=f"runtime class {name}",
            certainty="possible",
            severity="warning",
            help=("declare the RuntimeClass in the inventory, or check it together with this manifest",),
        )


def _place(subject: WorkloadCheck, found: Diagnosis) -> Place:
    """The request that is too large, else what binds the pod to its nodes, else its spec."""
    manifest = subject.manifest
    if found.by_volume:
        for route in field_pointers.claims(manifest):
            return manifest.place(route)
    if found.resource:
        for route in field_pointers.requests(manifest, found.resource):
            return manifest.place(route)
    for route in field_pointers.selectors(manifest):
        return field_pointers.selector_place(manifest, route)
    return manifest.place(field_pointers.pod_spec(manifest), "key")


def _nearest(unit: ApplySet, found: Diagnosis) -> str:
    if not found.nodes:
        return found.reason
    node = title(unit, found.nodes[0])
    if found.resource:
        needed, resource = amount(found.resource, found.needed), found.resource
        has = bare(resource, found.allocatable) if found.allocatable else "none"
        return f"{needed} is asked for, and {node}, which misses by least, has {has}"
    return f"{node} misses by least: {found.reason}"
