"""The pods and controllers of one exploration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.controllers.daemon_set import kept_daemon_pods
from kubelint_gpu.simulation.controllers.deployment import with_parts
from kubelint_gpu.simulation.controllers.pod_type_builder import Revision
from kubelint_gpu.simulation.controllers.reconciler import PodType, Reconciler
from kubelint_gpu.simulation.controllers.replica_set import KeepsReplicas
from kubelint_gpu.simulation.prepare.revisions import current_revision, revisions, revisions_with_waiting
from kubelint_gpu.simulation.prepare.workload_change import (
    DELETION_COST,
    WorkloadChange,
    anonymous,
    created_pod,
    identity,
    is_temporary,
    joined,
    owner_of,
)
from kubelint_gpu.values import dataclass, replace
from kubelint_gpu.work import charge

if TYPE_CHECKING:
    from kubelint_gpu.simulation.model.device_allocations import Holding


@dataclass(frozen=True, slots=True)
class PodTypes:
    """The kinds and reconcilers of an exploration.

    Attributes:
        kinds: what the pods are.
        reconcilers: who looks after them.
        wanted: how many pods of each kind run before anything is rolled.
        sure: how many of them have their places before pods that are made anew look for one.
        homes: nodes on which pods of a kind are known to run, as (kind, node name).
        unready: those of them on which a pod is not ready now, and may never be.
        pending: how many more pods of each kind wait for a node when everything begins.
        optional: kinds that may wait at the start without anything being wrong (Jobs queue).
        members: per participant, the kinds that are its own.
        holding: what the claims of pods have that are known to run.
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


class _Collected:
    """What is on the builder so far; a `PodTypeBuilder` for the workload whose change it has."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.kinds: list[PodType] = []
        self.reconcilers: list[Reconciler] = []
        self.wanted: list[int] = []
        self.sure: list[int] = []
        self.homes: list[tuple[int, str]] = []
        self.unready: list[tuple[int, str]] = []
        self.holding: list[Holding] = []
        self.pending: list[int] = []
        self.optional: set[int] = set()

    def add_pods(self, change: WorkloadChange, *, rolling: bool, scaling: bool) -> tuple[int, ...]:
        """The kinds of a workload, which its controller puts on the builder."""
        first = len(self.kinds)
        change.controller.add_pods(_WorkloadPods(self, change), rolling=rolling, scaling=scaling)
        return tuple(range(first, len(self.kinds)))

    def kind(
        self,
        pod: Pod,
        wanted: int,
        owner: str,
        running: Sequence[Pod] = (),
        sure: int | None = None,
        pending: int = 0,
        *,
        alone: bool = False,
        ranked: bool = False,
        **more: Any,
    ) -> int:
        """One more kind; `running` are pods of it whose nodes are known, and all are `sure` where that is not told.

        `pending` more wait for a node; nobody replaces what is `alone`.
        """
        charge(STEPS.pod_type)
        number = len(self.kinds)
        ranked = ranked or len({pod.meta.annotations.get(DELETION_COST) for pod in running}) > 1
        self.kinds.append(PodType(pod, -1 if alone else len(self.reconcilers), ranked=ranked, owner=owner, **more))
        self.wanted.append(wanted)
        self.pending.append(pending)
        self.sure.append(wanted if sure is None else sure)
        self.homes += [(number, pod.spec.node_name) for pod in running]
        self.hold(number, running)
        return number

    def hold(self, number: int, running: Sequence[Pod]) -> None:
        """Note what the claims of pods of a kind have that are known to run."""
        self.holding += [(number, pod.spec.node_name, pod.allocations) for pod in running if pod.allocations]


class _WorkloadPods:
    """The `PodTypeBuilder` of one workload, which says what each method does."""

    def __init__(self, collected: _Collected, change: WorkloadChange) -> None:
        self._collected = collected
        self._owner = change.new.key
        self.cluster = collected.cluster
        self.change = change

    def old_pod(self, name: str = "") -> Pod:
        return created_pod(self.change.old, "old", name)

    def new_pod(self, name: str = "") -> Pod:
        return created_pod(self.change.new, "new", name)

    def unbound(self, pod: Pod) -> Pod:
        return anonymous(pod)

    def revisions(self, total: int) -> Sequence[Revision]:
        return revisions(self.change, total)

    def revisions_with_waiting(self) -> Sequence[Revision]:
        return revisions_with_waiting(self.change)

    def current_revision(self, revisions: Sequence[Revision]) -> int | None:
        return current_revision(self.change, revisions)

    def pod_type(
        self,
        pod: Pod,
        wanted: int,
        running: Sequence[Pod] = (),
        sure: int | None = None,
        pending: int = 0,
        *,
        new: bool = False,
        pinned: bool = False,
        ranked: bool = False,
    ) -> int:
        return self._collected.kind(
            pod, wanted, self._owner, running, sure, pending, ranked=ranked, new=new, pinned=pinned
        )

    def ending_type(self, pod: Pod, wanted: int, running: Sequence[Pod], *, whole: int, made: bool = False) -> int:
        found = self._collected.kind(pod, wanted, self._owner, running, alone=not made, temporary=True, whole=whole)
        self._collected.optional.add(found)
        return found

    def lone_type(self, pod: Pod, wanted: int, running: Sequence[Pod], sure: int) -> None:
        self._collected.kind(pod, wanted, self._owner, running, sure, alone=True)

    def at(self, kind: int, nodes: Sequence[str]) -> None:
        self._collected.homes += [(kind, name) for name in nodes]
        self._collected.hold(kind, [pod for pod in self.change.running if pod.spec.node_name in nodes])

    def not_ready(self, kind: int, pods: Sequence[Pod]) -> None:
        self._collected.unready += [(kind, pod.spec.node_name) for pod in pods if pod.unready]

    def add(self, reconciler: Reconciler) -> None:
        self._collected.reconcilers.append(reconciler)


def build_pod_types(
    participants: Sequence[WorkloadChange],
    rolling: frozenset[int],
    outsiders: Sequence[Pod],
    cluster: Cluster,
    scaling: frozenset[int] = frozenset(),
    queued: Sequence[Pod] = (),
) -> PodTypes:
    """The pod types of workloads and of evictable pods of others; `rolling` are the positions of those rolled out.

    Those at the positions of `scaling` have at first what they had, and come to their replicas meanwhile.
    `queued` are pods of others that wait for a node when it begins.
    """
    collected, members = _Collected(cluster), []
    rolling = joined(participants, rolling)
    for number, participant in enumerate(participants):
        members.append(collected.add_pods(participant, rolling=number in rolling, scaling=number in scaling))
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


def _add_outsiders(collected: _Collected, owner: str, pods: Sequence[Pod]) -> None:
    pod = anonymous(pods[0])
    if owner.startswith("DaemonSet/"):
        pod = replace(pod, spec=replace(pod.spec, node_affinity=None))
        number = collected.kind(pod, len(pods), owner, pods, pinned=True)
        collected.reconcilers.append(kept_daemon_pods(owner, tuple(one.spec.node_name for one in pods), number))
        return
    temporary = is_temporary(pod)
    alone = temporary or not owner
    number = collected.kind(pod, len(pods), owner or f"Pod/{pod.key}", pods, temporary=temporary, alone=alone)
    if not alone:
        collected.reconcilers.append(KeepsReplicas(owner, number, len(pods)))


def _add_queued(collected: _Collected, owner: str, pods: Sequence[Pod]) -> None:
    pod = anonymous(pods[0])
    number = collected.kind(pod, 0, owner or f"Pod/{pods[0].key}", pending=len(pods), alone=not owner)
    if owner:
        collected.reconcilers.append(KeepsReplicas(owner, number, len(pods)))


def _grouped(pods: Sequence[Pod]) -> list[tuple[str, list[Pod]]]:
    """Pods that nothing tells apart but their node and their age, with their owner."""
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
