"""The simulation of Jobs beside workloads that run for good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.bounds.preconditions import gives_way
from kubelint_gpu.simulation.model.at_full_replicas import full_simulation
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.coupling import labels_of
from kubelint_gpu.simulation.prepare.locality import companions, needs_others
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod, is_temporary, pods_of_others
from kubelint_gpu.values import replace


def parts_of(jobs: Sequence[Workload]) -> list[Workload]:
    """The templates of a Job that has several, each a workload of its own."""
    if len(jobs) == 1:
        return [*jobs]
    named = [replace(one.meta, name=f"{one.meta.name}-{number}") for number, one in enumerate(jobs)]
    return [replace(one, meta=meta) for one, meta in zip(jobs, named, strict=True)]


def jobs_beside(jobs: Sequence[Workload], others: Sequence[Workload], cluster: Cluster) -> Simulation | None:
    """The simulation of a Job beside what runs for good; None where it could evict some of the others."""
    every = (*others, *jobs)
    cluster = with_bound_claims(cluster, every)
    stays = staying_pods(jobs, others, cluster)
    if any(_lacks_companions(one, [*others, *jobs], stays, cluster) for one in jobs):
        # those that it must be near to may be pods that end some day
        return None
    if may_evict(jobs, others):
        return None
    return full_simulation([*others, *parts_of(jobs)], replace(cluster, pods=stays))


def staying_pods(jobs: Sequence[Workload], others: Sequence[Workload], cluster: Cluster) -> tuple[Pod, ...]:
    """The running pods of all others that never end, and that no pod of the Job could evict."""
    pods = [pod for pod in pods_of_others((*others, *jobs), cluster.pods) if pod.spec.node_name and not pod.finished]
    return tuple(pod for pod in pods if not is_temporary(pod) and not may_evict(jobs, [pod]))


def may_evict(jobs: Sequence[Workload], others: Iterable[Workload | Pod]) -> bool:
    """Whether a Job's pods could evict some of these by their priority."""
    return any(gives_way(one.spec, job.spec) for one in others for job in jobs)


def _lacks_companions(job: Workload, others: Sequence[Workload], stays: Sequence[Pod], cluster: Cluster) -> bool:
    """Whether the pods that a Job must be near to are not among what runs for good."""
    pod, labels = created_pod(job, "new"), labels_of(cluster)
    if not needs_others(pod, labels):
        return False
    return not companions(pod, (*stays, *(created_pod(one, "new") for one in others)), labels)
