"""Where a controller puts the pods of its workload before a search begins."""

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
    """Pods of one template: how many run, on which nodes some of them do, and how many more wait for a node."""

    pod: Pod
    number: int
    running: Sequence[Pod] = ()
    waiting: int = 0


class Change(Value):
    """A workload as it shall be, as it was, and the pods of it that are known to run.

    Attributes:
        new: as it shall be; `old` is the same workload where only the template's hash changes.
        rolls: False where the template stays.
        nodes: those of a DaemonSet.
        left: nodes on which a DaemonSet has pods and shall have none.
        stays: nodes on which a DaemonSet has pods and makes none, and which it leaves only as it updates: those with a
            NoSchedule taint that it no longer tolerates.
        fresh: those of `nodes` on which a DaemonSet has no pod before.
        known: what changes is known, and happens at the same moment as every other change that is.
        existing: False where nothing of it runs before.
        whole: its pods end only when all of them run.
        settled: it is meant as it is when its rollout is over.
        waiting: pods of it that are known to wait for a node.
        under_way: its template stays, and not all of its pods have it yet.
        numbered: filters look at the labels by which a StatefulSet tells its pods apart.
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
        """How many pods it shall have."""
        raise NotImplementedError

    @property
    def before(self) -> int:
        """How many pods it has before anything changes."""
        raise NotImplementedError

    @property
    def kept(self) -> int:
        """How many pods keep the old template: those below a partition, or until somebody deletes them."""
        raise NotImplementedError

    @property
    def shrinks(self) -> bool:
        """Whether it is known to give up its last ordinals, one after the other."""
        raise NotImplementedError

    @property
    def sure(self) -> int:
        """How many of its pods have their places before pods that are made anew, or wait by now, look for one."""
        if self.settled and not (self.existing or self.rolls):
            return min(self.replicas, self.old.replicas)
        return max(0, self.before - len(self.waiting)) if self.existing else 0

    @property
    def standing(self) -> tuple[str, ...]:
        """The nodes for which a DaemonSet has made pods before anything changes."""
        return tuple(name for name in (*self.nodes, *self.left, *self.stays) if name not in self.fresh)

    @property
    def moved(self) -> bool:
        """Whether it is a DaemonSet that leaves nodes, or comes to others."""
        return bool(self.left or self.fresh)


class CollectedPods:
    """The pod types and reconcilers of one search so far; `PodTypes` says what they are."""

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
        """One more kind; `running` are pods of it whose nodes are known, and all are `sure` where that is not told.

        `pending` more wait for a node; nobody replaces what is `alone`, and what is `optional` may wait at first.
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
        """Note what the claims of pods of a kind have that are known to run."""
        self.holding += [(number, pod.spec.node_name, pod.allocations) for pod in running if pod.allocations]


class PodTypeBuilder(ABC):
    """The pod types and reconcilers of one search, as a controller fills them in for one workload.

    `change` is what is known of the workload.
    """

    def __init__(self, collected: CollectedPods, change: Change) -> None:
        self._collected = collected
        self.cluster = collected.cluster
        self.change = change

    @abstractmethod
    def old_pod(self, name: str = "") -> Pod:
        """A pod of the old template."""

    @abstractmethod
    def new_pod(self, name: str = "") -> Pod:
        """A pod of the new template."""

    @abstractmethod
    def unbound(self, pod: Pod) -> Pod:
        """A known pod without its node and its age."""

    @abstractmethod
    def revisions(self, total: int) -> Sequence[Revision]:
        """The revisions of `total` pods, oldest first."""

    @abstractmethod
    def revisions_with_waiting(self) -> Sequence[Revision]:
        """The revisions of a workload that is rolled, oldest first, with the pods that wait for a node."""

    @abstractmethod
    def current_revision(self, found: Sequence[Revision]) -> int | None:
        """Which of these revisions has the new template."""

    @abstractmethod
    def is_current(self, pod: Pod) -> bool:
        """Whether a pod that runs has the new template already, as a rollout that is under way has given it some."""

    def pod_type(
        self,
        pod: Pod,
        wanted: int,
        running: Sequence[Pod] = (),
        sure: int | None = None,
        pending: int = 0,
        **more: bool,
    ) -> int:
        """The number of one more pod type that the next reconciler looks after: `new`, `pinned` or `ranked`.

        `running` are pods of it whose nodes are known; all are `sure` where nothing else is said, and `pending` more
        wait for a node.
        """
        return self._collected.kind(pod, wanted, self.change.new.key, running, sure, pending, **more)

    def ending_type(self, pod: Pod, wanted: int, running: Sequence[Pod], *, whole: int, made: bool = False) -> int:
        """One more type of pods that end by themselves; they may wait at first, or the next reconciler makes them."""
        name = self.change.new.key
        return self._collected.kind(
            pod, wanted, name, running, alone=not made, optional=True, temporary=True, whole=whole
        )

    def lone_type(self, pod: Pod, wanted: int, running: Sequence[Pod], sure: int) -> None:
        """One more pod type that nobody replaces."""
        self._collected.kind(pod, wanted, self.change.new.key, running, sure, alone=True)

    def at(self, kind: int, nodes: Sequence[str]) -> None:
        """Note that one pod of a type runs on each of these nodes."""
        self._collected.homes += [(kind, name) for name in nodes]
        self._collected.hold(kind, [pod for pod in self.change.running if pod.spec.node_name in nodes])

    def not_ready(self, kind: int, pods: Sequence[Pod]) -> None:
        """Note where pods of a type run that are not ready."""
        self._collected.unready += [(kind, pod.spec.node_name) for pod in pods if pod.unready]

    def add(self, reconciler: Reconciler) -> None:
        """Who looks after the types since the last one that was added."""
        self._collected.reconcilers.append(reconciler)
