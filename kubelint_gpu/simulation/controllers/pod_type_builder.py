"""The interface through which a controller adds the pods of its workload before a search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.reconciler import PodType, Reconciler
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import Allocation

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"


class Revision(Value):
    """Pods of one template: their number, the running pods with known nodes, and how many more wait for a node."""

    pod: Pod
    number: int
    running: Sequence[Pod] = ()
    waiting: int = 0


class Change(Value):
    """A workload before and after its change, and its pods that are known to run.

    Attributes:
        new: after the change; `old` is the same workload if only the template's hash changes.
        rolls: False if the template stays.
        nodes: the nodes of a DaemonSet.
        left: nodes on which a DaemonSet has pods and must have none.
        stays: nodes on which a DaemonSet creates no pod but keeps an existing one until it updates it: those with a
            NoSchedule taint that it no longer tolerates.
        fresh: nodes in `nodes` on which a DaemonSet has no pod before.
        known: the change is known, and happens at the same moment as every other known change.
        existing: False if none of its pods runs before.
        whole: its pods end only when all of them run.
        settled: it stands for the state after its rollout.
        waiting: its pods that are known to wait for a node.
        under_way: its template stays, and not all of its pods have it yet.
        numbered: filters look at the labels that distinguish a StatefulSet's pods.
        mixed: its pods are known to be of several templates.
    """

    new: Workload
    old: Workload
    running: tuple[Pod, ...] = ()
    rolls: bool = True
    nodes: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    fresh: tuple[str, ...] = ()
    known: bool = False
    existing: bool = True
    settled: bool = False
    whole: bool = False
    waiting: tuple[Pod, ...] = ()
    under_way: bool = False
    numbered: bool = False
    mixed: bool = False

    @property
    def replicas(self) -> int:
        """How many pods it must have after the change."""
        raise NotImplementedError

    @property
    def before(self) -> int:
        """How many pods it has before the change."""
        raise NotImplementedError

    @property
    def kept(self) -> int:
        """How many pods keep the old template: those below a partition, or not yet deleted by somebody."""
        raise NotImplementedError

    @property
    def shrinks(self) -> bool:
        """Whether it is known to delete its last ordinals, one after the other."""
        raise NotImplementedError

    @property
    def sure(self) -> int:
        """How many of its pods have places before new or waiting pods look for one."""
        if self.settled and not (self.existing or self.rolls):
            return min(self.replicas, self.old.replicas)
        return max(0, self.before - len(self.waiting)) if self.existing else 0

    @property
    def standing(self) -> tuple[str, ...]:
        """The nodes for which a DaemonSet has created pods before the change."""
        return tuple(name for name in (*self.nodes, *self.left, *self.stays) if name not in self.fresh)

    @property
    def moved(self) -> bool:
        """Whether it is a DaemonSet whose nodes change."""
        return bool(self.left or self.fresh)


class CollectedPods:
    """The pod types and reconcilers that are collected for one search; see `PodTypes`."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.kinds: list[PodType] = []
        self.reconcilers: list[Reconciler] = []
        self.wanted: list[int] = []
        self.sure: list[int] = []
        self.homes: list[tuple[int, str]] = []
        self.unready: list[tuple[int, str]] = []
        self.holding: list[tuple[int, str, tuple[tuple[str, Allocation], ...]]] = []
        self.pending: list[int] = []
        self.optional: set[int] = set()

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
        optional: bool = False,
        **more: Any,
    ) -> int:
        """Add a kind and return its number; `running` are its pods with known nodes.

        Without `sure`, all pods are sure to have places. `pending` more wait for a node. No controller replaces pods
        that are `alone`, and `optional` ones may wait at first.
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
        if optional:
            self.optional.add(number)
        return number

    def hold(self, number: int, running: Sequence[Pod]) -> None:
        """Record the allocations of running pods of a kind."""
        self.holding += [(number, pod.spec.node_name, pod.allocations) for pod in running if pod.allocations]


class PodTypeBuilder(ABC):
    """The pod types and reconcilers of one search, as a controller fills them in for one workload.

    `change` is what is known about the workload.
    """

    def __init__(self, collected: CollectedPods, change: Change) -> None:
        self._collected = collected
        self.cluster = collected.cluster
        self.change = change

    @abstractmethod
    def old_pod(self, name: str = "") -> Pod:
        """Return a pod of the old template."""

    @abstractmethod
    def new_pod(self, name: str = "") -> Pod:
        """Return a pod of the new template."""

    @abstractmethod
    def unbound(self, pod: Pod) -> Pod:
        """Return a known pod without its node and its age."""

    @abstractmethod
    def revisions(self, total: int) -> Sequence[Revision]:
        """The revisions of `total` pods, oldest first."""

    @abstractmethod
    def revisions_with_waiting(self) -> Sequence[Revision]:
        """The revisions of a workload that rolls out, oldest first, with the pods that wait for a node."""

    @abstractmethod
    def current_revision(self, found: Sequence[Revision]) -> int | None:
        """The index of the revision that has the new template; None if there is none."""

    @abstractmethod
    def is_current(self, pod: Pod) -> bool:
        """Whether a running pod already has the new template, because a rollout is under way."""

    def pod_type(
        self,
        pod: Pod,
        wanted: int,
        running: Sequence[Pod] = (),
        sure: int | None = None,
        pending: int = 0,
        **more: bool,
    ) -> int:
        """Add a pod type for the next reconciler and return its number; `more` can be `new`, `pinned` or `ranked`.

        `running` are its pods with known nodes. Without `sure`, all pods are sure to have places; `pending` more wait
        for a node.
        """
        return self._collected.kind(pod, wanted, self.change.new.key, running, sure, pending, **more)

    def ending_type(self, pod: Pod, wanted: int, running: Sequence[Pod], *, whole: int, made: bool = False) -> int:
        """Add a type of pods that end by themselves and may wait at first; the next reconciler creates `made` ones."""
        name = self.change.new.key
        return self._collected.kind(
            pod, wanted, name, running, alone=not made, optional=True, temporary=True, whole=whole
        )

    def lone_type(self, pod: Pod, wanted: int, running: Sequence[Pod], sure: int) -> None:
        """Add a pod type that no controller replaces."""
        self._collected.kind(pod, wanted, self.change.new.key, running, sure, alone=True)

    def at(self, kind: int, nodes: Sequence[str]) -> None:
        """Record that one pod of a type runs on each of these nodes."""
        self._collected.homes += [(kind, name) for name in nodes]
        self._collected.hold(kind, [pod for pod in self.change.running if pod.spec.node_name in nodes])

    def not_ready(self, kind: int, pods: Sequence[Pod]) -> None:
        """Record on which nodes pods of a type run that are not ready."""
        self._collected.unready += [(kind, pod.spec.node_name) for pod in pods if pod.unready]

    def add(self, reconciler: Reconciler) -> None:
        """Add the reconciler of the types that were added since the previous reconciler."""
        self._collected.reconcilers.append(reconciler)
