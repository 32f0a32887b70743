"""The pods and controllers of one exploration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.controllers.deployment import with_parts
from kubelint_gpu.simulation.controllers.pod_type_builder import CollectedPods, PodTypeBuilder, Revision
from kubelint_gpu.simulation.controllers.reconciler import PodType, Reconciler
from kubelint_gpu.simulation.controllers.replica_set import KeepsReplicas
from kubelint_gpu.simulation.prepare.revisions import current_revision, is_of, revisions, revisions_with_waiting
from kubelint_gpu.simulation.prepare.workload_change import (
    WorkloadChange,
    anonymous,
    created_pod,
    identity,
    is_temporary,
    joined,
    owner_of,
)
from kubelint_gpu.values import Value, replace

if TYPE_CHECKING:
    from kubelint_gpu.simulation.model.device_allocations import DeviceAllocations, Holding, NodesByClass


class PodTypes(Value):
    """The kinds and reconcilers of an exploration.

    Attributes:
        kinds: the kinds of pods.
        reconcilers: the reconcilers that manage them.
        wanted: how many pods of each kind run before any rollout.
        sure: how many of these have places before newly created pods look for one.
        homes: nodes on which pods of a kind are known to run, as (kind, node name).
        unready: the entries of `homes` whose pod is not ready now, and may never be.
        pending: how many more pods of each kind wait for a node at the start.
        optional: kinds that may wait at the start, which is no error (Jobs queue).
        members: for each participant, its own kinds.
        holding: the allocations of pods that are known to run.
    """

    kinds: tuple[PodType, ...]
    reconcilers: tuple[Reconciler, ...]
    wanted: tuple[int, ...]
    sure: tuple[int, ...]
    homes: tuple[tuple[int, str], ...] = ()
    unready: tuple[tuple[int, str], ...] = ()
    pending: tuple[int, ...] = ()
    optional: frozenset[int] = frozenset()
    members: tuple[tuple[int, ...], ...] = ()
    holding: tuple[Holding, ...] = ()

    def devices(self, cluster: Cluster, nodes: NodesByClass) -> DeviceAllocations | None:
        """The allocations of claims of pods in play; None if there are no claims, or the devices are not known."""
        if not cluster.devices_known or not any(kind.has_claims for kind in self.kinds):
            return None
        from kubelint_gpu.simulation.model.device_allocations import DeviceAllocations

        return DeviceAllocations(cluster, self.kinds, nodes, self.holding)


class _WorkloadPods(PodTypeBuilder):
    """The builder for one workload."""

    def __init__(self, collected: CollectedPods, change: WorkloadChange) -> None:
        super().__init__(collected, change)
        self._workload = change

    def old_pod(self, name: str = "") -> Pod:
        return created_pod(self.change.old, "old", name)

    def new_pod(self, name: str = "") -> Pod:
        return created_pod(self.change.new, "new", name)

    def unbound(self, pod: Pod) -> Pod:
        return anonymous(pod)

    def revisions(self, total: int) -> Sequence[Revision]:
        return revisions(self._workload, total)

    def revisions_with_waiting(self) -> Sequence[Revision]:
        return revisions_with_waiting(self._workload)

    def current_revision(self, found: Sequence[Revision]) -> int | None:
        return current_revision(self._workload, found)

    def is_current(self, pod: Pod) -> bool:
        return self.change.under_way and is_of(pod, self._workload.new) is not False


def build_pod_types(
    participants: Sequence[WorkloadChange],
    rolling: frozenset[int],
    outsiders: Sequence[Pod],
    cluster: Cluster,
    scaling: frozenset[int] = frozenset(),
    queued: Sequence[Pod] = (),
) -> PodTypes:
    """The pod types of workloads and of other pods that can be preempted; `rolling` are the positions that roll out.

    Workloads at the positions `scaling` start with their old pods and scale meanwhile. `queued` are other pods that
    wait for a node at the start.
    """
    collected, members = CollectedPods(cluster), []
    rolling = joined(participants, rolling)
    for number, participant in enumerate(participants):
        first = len(collected.kinds)
        builder = _WorkloadPods(collected, participant)
        participant.controller.add_pods(builder, rolling=number in rolling, scaling=number in scaling)
        members.append(tuple(range(first, len(collected.kinds))))
    for owner, pods in _grouped(outsiders):
        _add_outsiders(collected, owner, pods)
    for owner, pods in _grouped(queued):
        _add_queued(collected, owner, pods)
    return PodTypes(
        tuple(collected.kinds),
        with_parts(collected.reconcilers),
        tuple(collected.wanted),
        tuple(collected.sure),
        tuple(collected.homes),
        tuple(collected.unready),
        tuple(collected.pending),
        frozenset(collected.optional),
        tuple(members),
        tuple(collected.holding),
    )


def _add_outsiders(collected: CollectedPods, owner: str, pods: Sequence[Pod]) -> None:
    pod = anonymous(pods[0])
    if owner.startswith("DaemonSet/"):
        from kubelint_gpu.simulation.controllers.daemon_set import kept_daemon_pods

        pod = replace(pod, spec=replace(pod.spec, node_affinity=None))
        number = collected.kind(pod, len(pods), owner, pods, pinned=True)
        collected.reconcilers.append(kept_daemon_pods(owner, tuple(one.spec.node_name for one in pods), number))
        return
    temporary = is_temporary(pod)
    alone = temporary or not owner
    number = collected.kind(pod, len(pods), owner or f"Pod/{pod.key}", pods, temporary=temporary, alone=alone)
    if not alone:
        collected.reconcilers.append(KeepsReplicas(owner, number, len(pods)))


def _add_queued(collected: CollectedPods, owner: str, pods: Sequence[Pod]) -> None:
    pod = anonymous(pods[0])
    number = collected.kind(pod, 0, owner or f"Pod/{pods[0].key}", pending=len(pods), alone=not owner)
    if owner:
        collected.reconcilers.append(KeepsReplicas(owner, number, len(pods)))


def _grouped(pods: Sequence[Pod]) -> list[tuple[str, list[Pod]]]:
    """Groups of pods that differ only in node and age, with their owner."""
    groups: dict[tuple[object, ...], list[Pod]] = {}
    owners: list[str] = []
    for pod in pods:
        owner = owner_of(pod)
        same = identity(pod)
        if owner.startswith("DaemonSet/") and pod.spec.node_name:
            same = ("DaemonSet", pod.meta.labels, pod.spec.priority)
        key = (owner, *same) if owner else (owner, *same, pod.meta.name)
        if key not in groups:
            owners.append(owner)
        groups.setdefault(key, []).append(pod)
    return list(zip(owners, groups.values(), strict=True))
