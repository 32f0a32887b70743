"""GPU workloads that count as ready as soon as they start."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.room.known_room import room_in
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.workspace.answers import once

_PROBES = ("readinessProbe", "startupProbe")


@rule("KLG118", of_workloads=True)
def no_readiness(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield workloads whose old pod stops while the new one still loads, because no readiness probe exists."""
    for subject in unit.subjects:
        manifest, workload, controller = subject.manifest, subject.workload, subject.controller
        if not controller.has_replica_sets or workload.custom or not extended_resources(workload.spec):
            continue
        if not workload.replicas or controller.unavailable(workload.replicas) >= workload.replicas:
            continue
        judgement = room_in(unit, subject)
        if judgement is not None and (judgement.waits or judgement.room.is_short):
            # that it does not come so far is told
            continue
        where = (*field_pointers.pod_spec(manifest), "containers")
        containers = field_pointers.at(manifest, where)
        written = [one for one in containers if isinstance(one, dict)] if isinstance(containers, list) else []
        if not written or any(one.get(probe) for one in written for probe in _PROBES):
            continue
        service = _service(unit, subject)
        if service is not None:
            yield Diagnostic(
                "KLG118",
                manifest.place((*where, 0, "name")),
                "no readinessProbe: a new pod counts as ready as soon as it starts, and an old one goes while it still "
                "loads its model",
                manifest,
                cause="readiness",
                related=(Related(service.place(("spec", "selector"), "key"), "the Service sends requests to it"),),
                help=("add a readinessProbe that passes when the model is loaded",),
            )


def _service(unit: ApplySet, subject: WorkloadCheck) -> Manifest | None:
    """Return a Service that sends requests to the pods; None if there is none."""
    labels, namespace = subject.workload.template.labels, subject.workload.meta.namespace
    for manifest in _services(unit):
        selector = field_pointers.at(manifest, ("spec", "selector"))
        if not isinstance(selector, dict) or not selector or (manifest.namespace or "default") != namespace:
            continue
        if all(labels.get(key) == value for key, value in selector.items()):
            return manifest
    return None


@once
def _services(unit: ApplySet) -> tuple[Manifest, ...]:
    return tuple(one for one in (*unit.manifests, *unit.surroundings(("Service",))) if one.kind == "Service")
