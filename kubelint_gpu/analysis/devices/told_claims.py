"""Workloads whose pods wait for a claim, which a rule about devices already reports."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.claim_shapes import shape_faults
from kubelint_gpu.analysis.devices.expression_compilation import compile_failures
from kubelint_gpu.analysis.devices.unserved_claims import device_trial
from kubelint_gpu.analysis.devices.written_claims import claim_of, claim_references
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler import attempt, fit
from kubelint_gpu.scheduler.companions import lone
from kubelint_gpu.scheduler.plugins import dynamic_resources
from kubelint_gpu.simulation.prepare.workload_change import without_claims
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey


@once
def wait_for_claims(unit: ApplySet) -> frozenset[WorkloadKey]:
    """The workloads with a claim that the API server refuses, or that ends every attempt with an error."""
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


def unserved_pod(unit: ApplySet, subject: WorkloadCheck) -> tuple[list[str], list[str], str | None] | None:
    """The nodes without devices for a workload's pod, the resources that devices serve, and the scheduler's message.

    None if the claims are not the only reason on every node, or if they get devices.
    """
    trial = device_trial(unit)
    if trial is None:
        return None
    pod = lone(subject.pod, trial.snapshot)
    found = unit.alone(subject) if trial.snapshot is unit.empty else attempt(pod, trial.snapshot)
    if found.fit is None or found.fit.schedulable or found.fit.error is not None or found.fit.prefilter is not None:
        return None
    refused = [name for name, status in found.fit.rejections.items() if status.plugin == dynamic_resources.NAME]
    now = unit.beside_running(subject).fit
    if now is not None and now.schedulable:
        # what a claim has is not asked for again
        return None
    if found.fit.unknown is not None or not refused or not fit(without_claims(pod), trial.snapshot).schedulable:
        return None
    served = sorted(dynamic_resources.served_by_devices(trial.snapshot) & pod_requests(pod.spec).keys())
    return refused, served, found.message
