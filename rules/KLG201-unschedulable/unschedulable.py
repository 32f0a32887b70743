"""Is there a node at all."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.diagnosis import Diagnosis, diagnose
from kubelint_gpu.builders.waiting_pods import scheduler_message
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.evidence.node_lines import clues
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.messages.wording import amount, bare
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck


@rule("KLG201")
def unschedulable(unit: ApplySet) -> Iterator[Diagnostic]:
    """No node takes the pod, even with nothing else running, and no more telling rule says why."""
    for subject, found in diagnose(unit):
        if found.code != "KLG201":
            continue
        manifest = subject.manifest
        yield Diagnostic(
            "KLG201",
            _place(subject, found),
            f"no node takes its pod, even with nothing else running: {_nearest(found)}",
            manifest,
            cause="unschedulable",
            certainty=found.certainty,
            scheduler=scheduler_message(unit, subject),
            related=clues(unit, subject, found.resource, found.nodes, takes=False),
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


def _nearest(found: Diagnosis) -> str:
    if not found.nodes:
        return found.reason
    node = found.nodes[0]
    if found.resource:
        needed, resource = amount(found.resource, found.needed), found.resource
        has = bare(resource, found.allocatable) if found.allocatable else "none"
        return f"{needed} is asked for, and {node}, which misses by least, has {has}"
    return f"{node} misses by least: {found.reason}"
