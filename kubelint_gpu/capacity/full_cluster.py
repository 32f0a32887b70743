"""All declared workloads of a cluster with a place for each of their pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kubelint_gpu.groups import grouped, summed
from kubelint_gpu.inventory.gpus.gpu_models import gpus_in
from kubelint_gpu.inventory.view.node_rows import natural
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.messages.wording import workload_name
from kubelint_gpu.scheduler import Snapshot, attempt, fit
from kubelint_gpu.scheduler.placement.filling import fill, numbered
from kubelint_gpu.simulation.prepare.workload_change import own_pods, owned_pod, owner_of, pods_of_others
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.moved_pods import anew, free_gpus, is_made_anew
from kubelint_gpu.workspace.workload_check import WorkloadCheck


class Group(Value, eq=False):
    """Pods of one controller.

    Attributes:
        name: its name in messages: `Deployment namespace/name`, or `undeclared StatefulSet namespace/name`.
        key: the workload's key.
        cluster: the cluster that its pods are placed in, with the objects of its unit.
        pod: a pod as its controller creates it.
        gpus: how many GPUs one pod asks for, without claims.
        node_bound: whether each of its pods belongs to one node.
        placed: the nodes of its pods, one name for each.
        pending: how many of its pods find no node.
    """

    name: str
    key: str
    cluster: Cluster
    pod: Pod
    gpus: int
    node_bound: bool
    placed: tuple[str, ...]
    pending: int

    def fits(self, snapshot: Snapshot) -> tuple[str, ...]:
        """The nodes of a snapshot that take one more pod of it."""
        return fit(self.pod, snapshot.with_cluster(self.cluster)).takers

    @property
    def total(self) -> int:
        """How many pods it has, wherever they are."""
        return len(self.placed) + self.pending


class DeclaredGroup(Group, eq=False):
    """The pods of a declared workload, the `subject`."""

    subject: WorkloadCheck


class FullCluster(Value, eq=False):
    """A cluster in which every declared pod that finds a node has one.

    Attributes:
        world: the declared cluster.
        empty: its nodes without pods.
        snapshot: its nodes with the pods of the declared workloads, and with those of others.
        groups: the declared workloads, those of the highest priority first.
        undeclared: the controllers of running pods that no manifest declares and that a drain would move.
        others: the running pods that no manifest declares.
        refused: the workloads whose pods admission refuses.
    """

    world: ClusterContext
    empty: Snapshot
    snapshot: Snapshot
    groups: tuple[DeclaredGroup, ...]
    undeclared: tuple[Group, ...]
    others: tuple[Pod, ...]
    refused: tuple[str, ...] = ()

    @property
    def movable(self) -> tuple[Group, ...]:
        """All groups with pods that a drain would move."""
        return (*(one for one in self.groups if not one.node_bound), *self.undeclared)


def with_all_pods(world: ClusterContext, units: Sequence[ApplySet]) -> FullCluster:
    """Place the pods of all workloads of some units in their cluster.

    Running pods keep their nodes. The others are placed one after the other: those of DaemonSets first, then those of
    the highest priority, then those with the most GPUs; if some find no node, those first that the fewest nodes take,
    where that leaves fewer without one. The scheduler may place them differently. A workload that several units declare
    is counted once, with the most replicas, and then with the largest pods. Quotas are ignored.
    """
    groups, refused = _declared(units)
    declared = world.base.pods
    workloads = [one.subject.workload for one in groups]
    others = tuple(pod for pod in pods_of_others(workloads, declared) if pod.spec.node_name and not pod.finished)
    empty = world.snapshot(world.base, pods=False)
    snapshot = empty.with_pods((pod, pod.spec.node_name) for pod in others)
    standing = []
    for one in groups:
        running = [(pod, pod.spec.node_name) for pod in own_pods(one.subject.workload, declared)]
        if not one.node_bound:
            running = running[: one.subject.workload.replicas]
        running = [(pod, node) for pod, node in running if snapshot.node(node) is not None]
        snapshot = snapshot.with_pods(running)
        standing.append(replace(one, placed=tuple(node for _, node in running)))
    found = [_all_filled(standing, empty, snapshot)]
    if any(_pending(found[0][0])):
        confined = sorted(standing, key=lambda one: (not one.node_bound, len(one.fits(empty)), _order(one)))
        found.append(_all_filled(confined, empty, snapshot))
    filled, snapshot = min(found, key=lambda one: _pending(one[0]))
    return FullCluster(world, empty, snapshot, filled, _undeclared(others, world), others, refused)


def _all_filled(
    standing: Sequence[DeclaredGroup], empty: Snapshot, snapshot: Snapshot
) -> tuple[tuple[DeclaredGroup, ...], Snapshot]:
    """The workloads with their nodes, placed in the order that is given, and the cluster with their pods."""
    filled = []
    for one in standing:
        full, snapshot = _filled(one, empty, snapshot)
        filled.append(full)
    return tuple(sorted(filled, key=_order)), snapshot


def _pending(groups: Sequence[DeclaredGroup]) -> list[int]:
    """How many pods of each priority find no node, the highest first."""
    return [
        number for _, number in sorted(summed((-(one.pod.spec.priority or 0), one.pending) for one in groups).items())
    ]


def _undeclared(others: Sequence[Pod], world: ClusterContext) -> tuple[Group, ...]:
    """The controllers of pods that no manifest declares."""
    found = grouped(((owner_of(pod), pod_requests(pod.spec)), pod) for pod in others if is_made_anew(pod))
    groups = []
    for (owner, requests), pods in found.items():
        kind, _, name = owner.partition("/")
        placed = tuple(str(one.spec.node_name) for one in pods)
        groups.append(
            Group(f"undeclared {kind} {name}", owner, world.base, anew(pods[0]), gpus_in(requests), False, placed, 0)
        )
    return tuple(sorted(groups, key=lambda one: -(one.pod.spec.priority or 0)))


def _declared(units: Sequence[ApplySet]) -> tuple[list[DeclaredGroup], tuple[str, ...]]:
    """Return the workloads of the units without places, and the names of workloads whose pods admission refuses."""
    found: dict[str, DeclaredGroup] = {}
    for unit in units:
        for subject in unit.subjects:
            known, workload = found.get(subject.workload.key), subject.workload
            if known is None or _size(subject) > _size(known.subject):
                pod, bound = owned_pod(workload, "new"), subject.controller.node_bound
                name = f"{workload_name(workload)}{workload.key.removeprefix(workload.object)}"
                gpus = gpus_in(pod_requests(pod.spec))
                found[workload.key] = DeclaredGroup(
                    name, workload.key, unit.with_claims, pod, gpus, bound, (), 0, subject
                )
    every = sorted(found.values(), key=_order)
    refused = {one.name for one in every if not one.subject.admitted}
    return [one for one in every if one.subject.admitted], tuple(sorted(refused))


def _size(subject: WorkloadCheck) -> tuple[bool, int, int, int]:
    requests = pod_requests(subject.workload.spec)
    return subject.admitted, subject.workload.replicas, gpus_in(requests), requests.get("cpu", 0)


def _order(one: Group) -> tuple[bool, int, int, str]:
    return not one.node_bound, -(one.pod.spec.priority or 0), -one.gpus, one.key


def _filled(one: DeclaredGroup, empty: Snapshot, snapshot: Snapshot) -> tuple[DeclaredGroup, Snapshot]:
    """The workload with a node for each pod that finds one, and the cluster with these pods."""
    if not one.node_bound:
        missing = max(0, one.subject.workload.replicas - len(one.placed))
        added, snapshot = place(one, missing, snapshot)
        return replace(one, placed=(*one.placed, *added), pending=missing - len(added)), snapshot
    wanted = [node for node in one.fits(empty) if node not in one.placed]
    free = set(one.fits(snapshot)) if wanted else set()
    added = [node for node in wanted if node in free]
    pods = ((numbered(one.pod, number), node) for number, node in enumerate(added))
    return replace(one, placed=(*one.placed, *added), pending=len(wanted) - len(added)), snapshot.with_pods(pods)


def place(one: Group, count: int, snapshot: Snapshot) -> tuple[list[str], Snapshot]:
    """Place `count` further pods of a workload; return their nodes, and the cluster with them.

    A pod with GPUs goes to the node with the fewest free GPUs, another one to that with the fewest pods of its
    workload.
    """
    own, nodes = Counter(one.placed), list[str]()
    free = {info.name: free_gpus(info) for info in snapshot.nodes}

    def choose(takers: Sequence[str]) -> str:
        node = min(takers, key=lambda name: (free[name] if one.gpus else own[name], natural(name)))
        nodes.append(node)
        own[node] += 1
        free[node] -= one.gpus
        return node

    pod = numbered(one.pod, len(one.placed))
    return nodes, fill(pod, count, snapshot.with_cluster(one.cluster), choose=choose).snapshot


def victims_for(one: Group, snapshot: Snapshot) -> list[tuple[Pod, str]]:
    """Return the pods that one more pod of a workload preempts, each with its node; empty if that makes no room."""
    tried = attempt(numbered(one.pod, one.total), snapshot.with_cluster(one.cluster)).preemption
    node = tried.nominated if tried is not None else None
    return [(pod, node) for pod in tried.victims] if tried is not None and node is not None else []
