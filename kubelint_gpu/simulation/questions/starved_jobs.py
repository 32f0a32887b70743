"""Pods of Jobs that wait behind permanent workloads."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.prepare.volumes import exclusive_claims, with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.beyond_inventory import further_nodes
from kubelint_gpu.simulation.search import blocked, narrate, placements, placing_pods
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.values import replace


def starves(job: Workload, others: Sequence[Workload], cluster: Cluster, *, budget: int = BUDGET.starving) -> bool:
    """Whether no placement of the others, which are permanent, leaves room for a single pod of a Job.

    Running pods are ignored if they end by themselves or the Job can preempt them.
    False if the Job can preempt some of the others, if these do not all find room, or if the budget ends first.
    """
    found = running_at_once([replace(job, replicas=1)], others, cluster, budget=budget)
    return found is not None and found[1] == 0


def waits_for(job: Workload, others: Sequence[Workload], cluster: Cluster) -> Waiting | None:
    """Return what a Job's pod waits for in a placement of the others that blocks it; None if none does."""
    from kubelint_gpu.simulation.questions import jobs_beside

    simulation = jobs_beside.jobs_beside([replace(job, replicas=1)], others, cluster)
    if simulation is None:
        return None
    (kind,) = simulation.pod_types.members[-1]
    found = placements.placements(simulation, BUDGET.starving).full
    worst = next((state for state in found if kind in dict(placing_pods.missing(state))), None)
    if worst is None:
        return None
    staying = replace(cluster, pods=jobs_beside.staying_pods([job], others, cluster))
    told = blocked.BlockedPods(simulation, narrate.Narration(simulation, staying)).waiting(worst, job.key)
    return next(iter(told), None)


def waits_for_volume(job: Workload, others: Sequence[Workload], cluster: Cluster) -> Waiting | None:
    """What a pod of a Job waits for if a shared volume is attached to another node; None if that cannot happen.

    The scheduler binds its pods to any node: it does not check where a ReadWriteOnce volume is attached.
    """
    known = with_bound_claims(cluster, (*others, job))
    shared = exclusive_claims(created_pod(job, "new"), known) & {key for one in others for key in claim_keys(one)}
    return waits_for(job, others, cluster) if shared else None


def running_at_once(
    jobs: Sequence[Workload], others: Sequence[Workload], cluster: Cluster, *, budget: int = BUDGET.starving
) -> tuple[int, int] | None:
    """How many pods of a Job can run at once beside permanent workloads, in the worst and in the best placement.

    A Job can have several templates, each a workload. Running pods are ignored if they end by themselves or the Job can
    preempt them. None if it can preempt some of the others, or if these do not all find room in any placement. If the
    budget ends first, the best placement is assumed to have room for all.
    """
    from kubelint_gpu.simulation.questions import jobs_beside

    simulation = jobs_beside.jobs_beside(jobs, others, cluster)
    return jobs_beside.pods_at_once(simulation, jobs, budget, lone=not others) if simulation is not None else None


def stays_short(jobs: Sequence[Workload], others: Sequence[Workload], cluster: Cluster, found: tuple[int, int]) -> bool:
    """Whether no more of its pods run with any nodes beyond the inventory."""
    daemons = [created_pod(one, "new") for one in others if controller_of(one).node_bound]
    alone = [*jobs, *(one for one in others if not controller_of(one).node_bound)]
    enough = sum(one.replicas for one in alone)
    pods = [created_pod(one, "new") for one in alone]
    further = further_nodes(pods, with_bound_claims(cluster, (*jobs, *others)), enough, daemons)
    if any(taken is None for taken in further.takes):
        return False
    return running_at_once(jobs, others, replace(cluster, nodes=(*cluster.nodes, *further.nodes))) == found
