"""The simulation of Jobs beside workloads that run for good, and the pods of Jobs that wait behind these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.simulation.bounds.preconditions import gives_way
from kubelint_gpu.simulation.controllers import rollout_state
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.coupling import (
    bound_workloads,
    companion_workloads,
    companions,
    labels_of,
    needs_others,
)
from kubelint_gpu.simulation.prepare.volumes import exclusive_claims, with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod, is_temporary, pods_of_others
from kubelint_gpu.simulation.questions.beyond_inventory import further_nodes
from kubelint_gpu.simulation.search import blocked, narrate, placements, placing_pods
from kubelint_gpu.simulation.search.trace import Waiting
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


def starves(job: Workload, others: Sequence[Workload], cluster: Cluster, *, budget: int = BUDGET.starving) -> bool:
    """Whether no placement of the others, which are permanent, leaves room for a single pod of a Job.

    Running pods are ignored if they end by themselves or the Job can preempt them.
    False if the Job can preempt some of the others, if these do not all find room, or if the budget ends first.
    """
    found = running_at_once([replace(job, replicas=1)], others, cluster, budget=budget)
    return found is not None and found[1] == 0


def waits_for(job: Workload, others: Sequence[Workload], cluster: Cluster) -> Waiting | None:
    """Return what a Job's pod waits for in a placement of the others that blocks it; None if none does."""
    simulation = jobs_beside([replace(job, replicas=1)], others, cluster)
    if simulation is None:
        return None
    (kind,) = simulation.pod_types.members[-1]
    found = placements.placements(simulation, BUDGET.starving).full
    worst = next((state for state in found if kind in dict(placing_pods.missing(state))), None)
    if worst is None:
        return None
    staying = replace(cluster, pods=staying_pods([job], others, cluster))
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
    simulation = jobs_beside(jobs, others, cluster)
    return pods_at_once(simulation, jobs, budget, lone=not others) if simulation is not None else None


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
