"""Batch work that may evict services."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.objects.priority import NEVER
from kubelint_gpu.messages.wording import listed, some, workload_name


@rule("KLG305", of_workloads=True)
def priority_inversion(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield batch workloads that may evict workloads with users waiting."""
    if not unit.has_nodes:
        return
    ready = [subject for subject in unit.subjects if subject.admitted and subject.places_pods]
    for batch in ready:
        spec = batch.workload.spec
        resources = extended_resources(spec)
        if not batch.controller.runs_to_completion or not resources or spec.preemption_policy == NEVER:
            continue
        for subject in ready:
            serving = subject.workload
            if not subject.controller.rolls or subject.controller.node_bound or not serving.replicas:
                continue
            common = [name for name in extended_resources(serving.spec) if name in resources]
            if not common or (serving.spec.priority or 0) >= (spec.priority or 0):
                continue
            nodes = _fought_over(unit, batch, subject)
            if not nodes:
                continue
            yield Diagnostic(
                "KLG305",
                batch.manifest.place(field_pointers.priority_class(batch.manifest), "value"),
                f"{batch.workload.kind} {batch.workload.meta.name} has priority {spec.priority or 0} and can evict "
                f"pods of {workload_name(serving)}, which has {serving.spec.priority or 0}, for {listed(common)} "
                f"on {some(nodes)}",
                batch.manifest,
                cause=serving.key,
                certainty="certain" if unit.complete else "possible",
                related=(
                    Related(
                        subject.manifest.place(field_pointers.priority_class(subject.manifest)),
                        f"{serving.meta.name} serves and has priority {serving.spec.priority or 0}",
                    ),
                ),
                help=(
                    f"give {serving.meta.name} a class above {spec.priority or 0}",
                    f"give {batch.workload.meta.name} a class of at most {serving.spec.priority or 0}",
                    f"give {batch.workload.meta.name} a class with preemptionPolicy Never",
                ),
            )


def _fought_over(unit: ApplySet, batch: WorkloadCheck, serving: WorkloadCheck) -> list[str]:
    from kubelint_gpu.scheduler.placement.filling import evicts_on

    nodes = []
    for subject in (batch, serving):
        found = unit.alone(subject)
        nodes.append(found.fit.fits if found.fit is not None and not found.held else ())
    common = [name for name in nodes[0] if name in nodes[1]]
    if not common or not evicts_on(common[0], batch.pod, serving.pod, serving.workload.replicas, unit.empty):
        return []
    return common
