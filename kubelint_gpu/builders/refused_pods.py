"""Pods that the API server refuses whatever nodes there are, though it accepts their template."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.predecessors import is_left_alone
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, field_pointers
from kubelint_gpu.engine.put_off import when_admitted
from kubelint_gpu.evidence.declared_lines import told_at


def refused_pods(unit: ApplySet, subject: WorkloadCheck) -> Iterator[Diagnostic]:
    """That the new pods of a workload are refused; nothing of one that a change leaves as it was."""
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
