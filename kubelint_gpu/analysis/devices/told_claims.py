"""Workloads whose pods wait for a claim of which a rule about devices tells the cause."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.claim_shapes import shape_faults
from kubelint_gpu.analysis.devices.expression_compilation import compile_failures
from kubelint_gpu.analysis.devices.unserved_claims import device_trial
from kubelint_gpu.analysis.devices.written_claims import claim_of, claim_references
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadKey


@once
def wait_for_claims(unit: ApplySet) -> frozenset[WorkloadKey]:
    """The workloads of which a claim is refused by the API server, or ends every attempt with an error."""
    return frozenset(_waiting(unit))


def _waiting(unit: ApplySet) -> Iterator[WorkloadKey]:
    if not claim_references(unit):
        return
    faulty = [*[one.manifest for one in compile_failures(unit)], *[one.manifest for one in shape_faults(unit)]]
    refused = {(one.kind, one.namespace or "default", one.name) for one in faulty}
    trial = device_trial(unit)
    waits: dict[tuple[str, str, str], bool] = {}
    for reference in claim_references(unit):
        key = reference.key
        spec = claim_of(unit, reference)
        if key not in waits and spec is not None and trial is not None:
            trial.renewed()
            waits[key] = trial.asked(spec).error is not None
        if key in refused or waits.get(key):
            yield reference.subject.key
