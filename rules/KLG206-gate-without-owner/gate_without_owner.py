"""Scheduling gates that nobody removes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from kubelint_gpu.analysis.predecessors import acting
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, WorkloadCheck, field_pointers, rule
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.admission.neighbours import GATES, gate_owner
from kubelint_gpu.kube.objects.requests import pod_amounts
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.quantity import scheduler_units, shown
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.workspace.answers import once

K = TypeVar("K")
_QUEUE = "kueue.x-k8s.io/queue-name"
_KINDS = ("LocalQueue", "ClusterQueue")
_FEWER = "kueue.x-k8s.io/job-min-parallelism"


@rule("KLG206")
def gate_without_owner(unit: ApplySet) -> Iterator[Diagnostic]:
    """A scheduling gate that no known controller, and none of the manifests' own kinds, removes."""
    yield from _without_queue(unit)
    gated = [subject for subject in unit.subjects if acting(unit, subject).workload.spec.scheduling_gates]
    if not gated:
        return
    groups = {
        str(manifest.item.value.get("apiVersion", "")).rpartition("/")[0]
        for manifest in (*unit.manifests, *unit.surroundings())
    }
    for subject in gated:
        manifest = subject.manifest
        for index, gate in enumerate(acting(unit, subject).workload.spec.scheduling_gates):
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
        why = _never_admitted(unit, subject)
        if not why or not manifest.present(("metadata", "labels", _QUEUE)):
            continue
        yield Diagnostic(
            "KLG206",
            manifest.place(("metadata", "labels", _QUEUE)),
            f"Kueue {why} no pod is made or scheduled",
            manifest,
            cause=f"queue {meta.labels[_QUEUE]}",
            certainty="possible",
            severity="warning",
        )


def _never_admitted(unit: ApplySet, subject: WorkloadCheck) -> str:
    """Why Kueue never admits a workload that names a queue; empty where it may, and where no queue is declared.

    Behaviour: the flavor assigner of Kueue, v0.19. A queue of a cohort may borrow, so of its quota nothing is said.
    """
    local, cluster = _queues(unit)
    meta = subject.workload.meta
    name = meta.labels.get(_QUEUE)
    if not name or not (local or cluster):
        return ""
    if (meta.namespace, name) not in local:
        return (
            f"admits nothing for LocalQueue {name}, which namespace {meta.namespace} does not have among these "
            "manifests: until it is there"
        )
    behind = Fields(local[meta.namespace, name], (), []).down("spec").text("clusterQueue")
    if not cluster or not behind:
        return ""
    if behind not in cluster:
        return f"admits nothing for LocalQueue {name}: its ClusterQueue {behind} is not among these manifests:"
    spec = Fields(cluster[behind], (), []).down("spec")
    if "resourceGroups" in spec and "namespaceSelector" not in spec:
        return f"admits nothing for ClusterQueue {behind}: without namespaceSelector it is for no namespace:"
    found = next(_lacking(subject, spec), "")
    return f"never admits it: {found} ClusterQueue {behind}:" if found else ""


def _lacking(subject: WorkloadCheck, spec: Fields) -> Iterator[str]:
    """What a ClusterQueue does not have of what a workload asks for."""
    groups = list(spec.children("resourceGroups"))
    covered = {name for group in groups for name in group.texts("coveredResources")}
    asked = {name: amount for name, amount in pod_amounts(subject.workload.spec).items() if amount}
    unknown = sorted(asked.keys() - covered)
    if groups and unknown:
        yield f"its pods ask for {listed(unknown)}, which no resource group covers in"
    cohort = spec.text("cohort") or spec.text("cohortName")
    if cohort or _FEWER in subject.workload.meta.annotations:
        return
    job = job_of(subject.workload)
    pods = subject.workload.replicas if subject.workload.custom else 1
    if job is not None:
        pods = min(job.strategy.parallelism, job.strategy.completions or job.strategy.parallelism)
    for group in groups:
        flavors = [one for flavor in group.children("flavors") for one in flavor.children("resources")]
        for name in sorted(asked.keys() & {*group.texts("coveredResources")}):
            quotas = [one.quantity("nominalQuota") for one in flavors if one.text("name") == name]
            most = max((one for one in quotas if one is not None), default=None)
            if most is not None and pods * asked[name] > most:
                wanted, has = (shown(name, scheduler_units(name, one)) for one in (pods * asked[name], most))
                yield f"it asks for {wanted} of {name}, and {has} is the most that a flavor has in"


@once
def _queues(unit: ApplySet) -> tuple[Mapping[tuple[str, str], dict[str, Any]], Mapping[str, dict[str, Any]]]:
    """The declared LocalQueues by namespace and name, ClusterQueues by name; nothing of those declared twice."""
    found = [one for one in (*unit.manifests, *unit.surroundings(_KINDS)) if one.kind in _KINDS]
    local = grouped(((one.namespace or "default", one.name), one) for one in found if one.kind == "LocalQueue")
    cluster = grouped((one.name, one) for one in found if one.kind == "ClusterQueue")
    return _once_declared(local), _once_declared(cluster)


def _once_declared(found: Mapping[K, Sequence[Manifest]]) -> dict[K, dict[str, Any]]:
    return {key: same[0].item.value if len(same) == 1 else {} for key, same in found.items()}
