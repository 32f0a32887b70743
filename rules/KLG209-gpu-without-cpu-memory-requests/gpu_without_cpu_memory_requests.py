"""GPU pods that request neither CPU nor memory."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.scaling import scaling
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Place, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.messages.wording import listed, workload_name

_METRICS = ("spec", "metrics")
_RESOURCES = ("cpu", "memory")


@rule("KLG209")
def gpu_without_cpu_memory_requests(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield GPU pods without requests for CPU and memory: autoscaling fails, and the kubelet evicts them first."""
    scaled = set()
    for autoscaler, subject in scaling(unit):
        manifest = autoscaler.manifest
        metrics = field_pointers.at(manifest, _METRICS)
        for index, metric in enumerate(metrics if isinstance(metrics, list) else ()):
            name = _utilization(metric)
            if not name or not extended_resources(subject.workload.spec):
                continue
            lacking = [one.name for one in subject.workload.spec.containers if not one.requests.get(name)]
            if lacking:
                scaled.add(subject.key)
                yield Diagnostic(
                    "KLG209",
                    manifest.place((*_METRICS, index, "resource", "name")),
                    f"{workload_name(subject.workload)} is never scaled by {manifest.kind} {manifest.name}: container "
                    f"{listed(lacking)} has no request for {name}",
                    subject.manifest,
                    cause=f"metric {name}",
                    related=(Related(_place(subject), f"no request for {name}"),),
                )
    bare = [one for one in unit.subjects if one.key not in scaled and _is_best_effort(one)]
    company = _company(unit) if bare else frozenset()
    for subject in bare:
        if not company.isdisjoint(_takers(unit, subject)):
            yield Diagnostic(
                "KLG209",
                _place(subject),
                "a GPU and no request for CPU or memory: the pods are of the class BestEffort, and go first where a "
                "node runs short of memory",
                subject.manifest,
                cause="best effort",
                severity="note",
                moment="later",
                help=("request the CPU and memory that it needs beside the GPU",),
            )


def _place(subject: WorkloadCheck) -> Place:
    where = (*field_pointers.pod_spec(subject.manifest), "containers", 0, "resources")
    return subject.manifest.place(where, "key")


def _utilization(metric: object) -> str:
    """Return the resource by whose utilization a metric scales; empty for other metrics."""
    resource = mapping(mapping(metric).get("resource"))
    shares = mapping(metric).get("type") == "Resource" and "averageUtilization" in mapping(resource.get("target"))
    return str(resource["name"]) if shares and resource.get("name") in _RESOURCES else ""


def _is_best_effort(subject: WorkloadCheck) -> bool:
    spec = subject.workload.spec
    if not extended_resources(spec) or subject.workload.custom:
        return False
    every = (*spec.containers, *spec.init_containers)
    return not any(one.requests.get(name) or one.limits.get(name) for one in every for name in _RESOURCES)


def _company(unit: ApplySet) -> frozenset[str]:
    """Return the nodes that may also run pods with requests and without a GPU, which outlast others under pressure."""
    stay = [one for one in unit.subjects if not extended_resources(one.workload.spec)]
    asking = [one for one in stay if any(each.requests.get("memory") for each in one.workload.spec.containers)]
    return frozenset().union(*(_takers(unit, one) for one in asking))


def _takers(unit: ApplySet, subject: WorkloadCheck) -> frozenset[str]:
    found = unit.alone(subject).fit if unit.has_nodes else None
    return frozenset(found.fits) if found is not None else frozenset()
