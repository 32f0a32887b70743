"""What Kueue never admits: workloads in a queue that is not there, or that has not what their pods ask for.

Behaviour: the flavor assigner of Kueue, v0.19. A queue of a cohort may borrow, so of its quota nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.requests import pod_amounts
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.quantity import scheduler_units, shown
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

K = TypeVar("K")

QUEUE = "kueue.x-k8s.io/queue-name"
_KINDS = ("LocalQueue", "ClusterQueue")
_FEWER = "kueue.x-k8s.io/job-min-parallelism"


def never_admitted(unit: ApplySet, subject: WorkloadCheck) -> str:
    """Why Kueue never admits a workload that names a queue; empty where it may, and where no queue is declared."""
    local, cluster = _queues(unit)
    meta = subject.workload.meta
    name = meta.labels.get(QUEUE)
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
