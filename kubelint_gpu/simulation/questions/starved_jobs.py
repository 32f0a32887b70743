"""Pods of Jobs that wait behind workloads that never end."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.bounds.preconditions import gives_way
from kubelint_gpu.simulation.controllers.state import READY, count_on
from kubelint_gpu.simulation.model.at_full_replicas import full_simulation
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.coupling import labels_of
from kubelint_gpu.simulation.prepare.locality import companions, needs_others
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod, is_temporary, pods_of_others
from kubelint_gpu.simulation.search.blocked import BlockedPods
from kubelint_gpu.simulation.search.narrate import Narration
from kubelint_gpu.simulation.search.placements import placements
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.values import replace


def starves(job: Workload, others: Sequence[Workload], cluster: Cluster, *, budget: int = BUDGET.starving) -> bool:
    """Whether no placement of the others, which run for good, leaves room for a single pod of a Job.

    Running pods that end some day are taken to be gone.
    False where it could evict somebody, where the others do not all find room, and where the budget ends first.
    """
    found = running_at_once(replace(job, replicas=1), others, cluster, budget=budget)
    return found is not None and found[1] == 0


def waits_for(job: Workload, others: Sequence[Workload], cluster: Cluster) -> Waiting | None:
    """What a pod of a Job that `starves` waits for, in one placement of the others."""
    simulation = _beside(replace(job, replicas=1), others, cluster)
    found = placements(simulation, BUDGET.starving).full if simulation is not None else ()
    if simulation is None or not found:
        return None
    staying = replace(cluster, pods=_staying((*others, job), cluster))
    told = BlockedPods(simulation, Narration(simulation, staying)).waiting(found[0], job.key)
    return next(iter(told), None)


def running_at_once(
    job: Workload, others: Sequence[Workload], cluster: Cluster, *, budget: int = BUDGET.starving
) -> tuple[int, int] | None:
    """How many pods of a Job can run at once: in the worst and in the best placement of others that run for good.

    Running pods that end some day are taken to be gone.
    None where it could evict somebody, and where no placement has room for all the others. Where the budget ends
    first, the best placement is taken to have room for all.
    """
    simulation = _beside(job, others, cluster)
    if simulation is None:
        return None
    (kind,) = simulation.pod_types.members[-1]
    if simulation.local and not others and not simulation.places.is_charged(kind):
        most = simulation.places.capacity(kind, job.replicas)
        return most, most
    found = placements(simulation, budget)
    running = [sum(count_on(content, kind, READY) for content in state.nodes) for state in found.full]
    return (min(running), max(running) if found.complete else job.replicas) if running else None


def _beside(job: Workload, others: Sequence[Workload], cluster: Cluster) -> Simulation | None:
    """The simulation of a Job beside what runs for good; None where it could evict some of that."""
    every = (*others, job)
    cluster = with_bound_claims(cluster, every)
    stays = _staying(every, cluster)
    if _lacks_companions(job, others, stays, cluster):
        # those that it must be near to may be pods that end some day
        return None
    if may_evict(job, others, stays):
        return None
    return full_simulation(every, replace(cluster, pods=stays))


def _staying(workloads: Sequence[Workload], cluster: Cluster) -> tuple[Pod, ...]:
    """The running pods of all others that never end."""
    pods = pods_of_others(workloads, cluster.pods)
    return tuple(pod for pod in pods if pod.spec.node_name and not pod.finished and not is_temporary(pod))


def may_evict(job: Workload, others: Sequence[Workload], pods: Sequence[Pod]) -> bool:
    """Whether a Job's pods could evict some of these by their priority."""
    return any(gives_way(spec, job.spec) for spec in (*(one.spec for one in others), *(pod.spec for pod in pods)))


def _lacks_companions(job: Workload, others: Sequence[Workload], stays: Sequence[Pod], cluster: Cluster) -> bool:
    """Whether the pods that a Job must be near to are not among what runs for good."""
    pod, labels = created_pod(job, "new"), labels_of(cluster)
    if not needs_others(pod, labels):
        return False
    return not companions(pod, (*stays, *(created_pod(one, "new") for one in others)), labels)
