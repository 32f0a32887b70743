"""The simulation of Jobs beside workloads that run for good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.bounds.preconditions import gives_way
from kubelint_gpu.simulation.controllers import rollout_state
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.coupling import (
    bound_workloads,
    companion_workloads,
    companions,
    labels_of,
    needs_others,
)
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod, is_temporary, pods_of_others
from kubelint_gpu.simulation.search import placements
from kubelint_gpu.values import replace


def parts_of(jobs: Sequence[Workload]) -> list[Workload]:
    """The templates of a Job, each as a workload with its own name."""
    if len(jobs) == 1:
        return [*jobs]
    named = [replace(one.meta, name=f"{one.meta.name}-{number}") for number, one in enumerate(jobs)]
    return [replace(one, meta=meta) for one, meta in zip(jobs, named, strict=True)]


def jobs_beside(jobs: Sequence[Workload], others: Sequence[Workload], cluster: Cluster) -> Simulation | None:
    """The simulation of a Job beside permanent workloads; None if the Job can preempt some of the others."""
    from kubelint_gpu.simulation.model.at_full_replicas import full_simulation

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
    """The running pods of all others that never end and that the Job cannot preempt."""
    pods = [pod for pod in pods_of_others((*others, *jobs), cluster.pods) if pod.spec.node_name and not pod.finished]
    return tuple(pod for pod in pods if not is_temporary(pod) and not may_evict(jobs, [pod]))


def may_evict(jobs: Sequence[Workload], others: Iterable[Workload | Pod]) -> bool:
    """Whether a Job's pods can preempt some of these by priority."""
    return any(gives_way(one.spec, job.spec) for one in others for job in jobs)


def _lacks_companions(job: Workload, others: Sequence[Workload], stays: Sequence[Pod], cluster: Cluster) -> bool:
    """Whether the pods that a Job must be near are missing among the permanent ones."""
    pod, labels = created_pod(job, "new"), labels_of(cluster)
    if not needs_others(pod, labels):
        return False
    return not companions(pod, (*stays, *(created_pod(one, "new") for one in others)), labels)


def lacks_room(
    team: tuple[Workload, ...], teams: Sequence[tuple[Workload, ...]], beside: Sequence[Workload], cluster: Cluster
) -> bool:
    """Whether the pods of a Job do not all find room even if no other Job runs.

    A Job that must be near another Job's pods is judged as if these were everywhere.
    """
    from kubelint_gpu.simulation.model.at_full_replicas import full_simulation

    others = [other for found in teams if found is not team for other in found]
    free = [replace(one, spec=replace(one.spec, pod_affinity=())) for one in team]
    jobs = [apart if companion_workloads(one, others, cluster) else one for one, apart in zip(team, free, strict=True)]
    around = {place for job in jobs for place in bound_workloads(job, beside, cluster)}
    full = [*(beside[place] for place in sorted(around)), *parts_of(jobs)]
    simulation = full_simulation(full, with_bound_claims(cluster, (*team, *beside)))
    found = pods_at_once(simulation, jobs, BUDGET.placements, lone=not around)
    return found is not None and found[1] < sum(job.replicas for job in jobs)


def pods_at_once(
    simulation: Simulation, jobs: Sequence[Workload], budget: int, *, lone: bool
) -> tuple[int, int] | None:
    """How many pods of a Job run at once, in the worst and in the best placement; None if no placement is found.

    The Job is the last of the simulation; `lone` says that it is the only one.
    """
    kinds = [kind for members in simulation.pod_types.members[-len(jobs) :] for kind in members]
    if simulation.local and lone and len(kinds) == 1 and not simulation.places.is_charged(kinds[0]):
        most = simulation.places.capacity(kinds[0], jobs[0].replicas)
        return most, most
    if len(kinds) > 1:
        # pods of several templates find their nodes in any order
        every = [
            replace(one, whole=one.whole or number in kinds) for number, one in enumerate(simulation.pod_types.kinds)
        ]
        simulation = replace(simulation, pod_types=replace(simulation.pod_types, kinds=tuple(every)))
    found = placements.placements(simulation, budget)
    running = [
        sum(rollout_state.count_on(content, kind, rollout_state.READY) for content in state.nodes for kind in kinds)
        for state in found.full
    ]
    best = sum(one.replicas for one in jobs)
    return (min(running), max(running) if found.complete else best) if running else None
