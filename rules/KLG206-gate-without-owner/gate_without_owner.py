"""Scheduling gates that nobody removes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from kubelint_gpu.analysis.queues import QUEUE, never_admitted
from kubelint_gpu.engine.api import ApplySet, Diagnostic, field_pointers, rule
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.kube.admission.neighbours import GATES, gate_owner


@rule("KLG206")
def gate_without_owner(unit: ApplySet) -> Iterator[Diagnostic]:
    """A scheduling gate that no known controller, and none of the manifests' own kinds, removes."""
    yield from _without_queue(unit)
    if not any(subject.workload.spec.scheduling_gates for subject in unit.subjects):
        return
    groups = {
        str(manifest.item.value.get("apiVersion", "")).rpartition("/")[0]
        for manifest in (*unit.manifests, *unit.surroundings())
    }
    for subject in unit.subjects:
        manifest = subject.manifest
        for index, gate in enumerate(subject.workload.spec.scheduling_gates):
            domain = gate.partition("/")[0] if "/" in gate else ""
            if not gate or gate_owner(gate) or (domain and domain in groups):
                continue
            route = (*field_pointers.pod_spec(manifest), "schedulingGates", index, "name")
            near = difflib.get_close_matches(gate, sorted(GATES), 1, 0.75)
            yield Diagnostic(
                "KLG206",
                manifest.place(route),
                f"no known controller removes the scheduling gate {gate}: its pods are never scheduled until "
                "something does",
                manifest,
                cause=gate,
                help=(f"did you mean {near[0]}, which {GATES[near[0]]} removes?",) if near else (),
                proposals=rewritten(manifest, route, near),
            )


def _without_queue(unit: ApplySet) -> Iterator[Diagnostic]:
    """Workloads that Kueue holds for ever; asked where queues are declared."""
    for subject in unit.subjects:
        meta, manifest = subject.workload.meta, subject.manifest
        why = never_admitted(unit, subject)
        if not why or not manifest.present(("metadata", "labels", QUEUE)):
            continue
        yield Diagnostic(
            "KLG206",
            manifest.place(("metadata", "labels", QUEUE)),
            f"Kueue {why} no pod is made or scheduled",
            manifest,
            cause=f"queue {meta.labels[QUEUE]}",
            certainty="possible",
            severity="warning",
        )
