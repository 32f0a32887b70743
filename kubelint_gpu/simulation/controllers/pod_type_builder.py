"""Where a controller puts the pods of its workload before a search begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.reconciler import Reconciler
from kubelint_gpu.values import NamedTuple


class Revision(NamedTuple):
    """Pods of one template: how many run, on which nodes some of them do, and how many more wait for a node."""

    pod: Pod
    number: int
    running: Sequence[Pod] = ()
    waiting: int = 0


class Change(Protocol):
    """A workload as it was and as it shall be, and what is known of its pods."""

    @property
    def new(self) -> Workload:
        """As it shall be."""

    @property
    def old(self) -> Workload:
        """As it was."""

    @property
    def running(self) -> tuple[Pod, ...]:
        """The pods that are known to run."""

    @property
    def waiting(self) -> tuple[Pod, ...]:
        """The pods that are known to wait for a node."""

    @property
    def replicas(self) -> int:
        """How many pods it shall have."""

    @property
    def before(self) -> int:
        """How many pods it has before anything changes."""

    @property
    def sure(self) -> int:
        """How many of its pods have their places before pods that are made anew look for one."""

    @property
    def existing(self) -> bool:
        """False where nothing of it runs before."""

    @property
    def known(self) -> bool:
        """Whether what changes is known, and happens at the same moment as every other change that is."""

    @property
    def kept(self) -> int:
        """How many pods keep the old template: those below a partition, or until somebody deletes them."""

    @property
    def settled(self) -> bool:
        """Whether it is meant as it is when its rollout is over."""

    @property
    def whole(self) -> bool:
        """Whether its pods end only when all of them run."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes for which a node-bound controller makes pods."""

    @property
    def left(self) -> tuple[str, ...]:
        """The nodes on which it has pods and shall have none."""

    @property
    def stays(self) -> tuple[str, ...]:
        """The nodes on which it has pods, makes none, and which it leaves only as it updates."""

    @property
    def moved(self) -> bool:
        """Whether it leaves nodes, or comes to others."""

    @property
    def standing(self) -> tuple[str, ...]:
        """The nodes for which it has made pods before anything changes."""


class PodTypeBuilder(Protocol):
    """The pod types and reconcilers of one search, as a controller fills them in for one workload."""

    @property
    def cluster(self) -> Cluster:
        """The cluster, for its version and its claims."""

    @property
    def change(self) -> Change:
        """What is known of the workload."""

    def old_pod(self, name: str = "") -> Pod:
        """A pod of the old template."""

    def new_pod(self, name: str = "") -> Pod:
        """A pod of the new template."""

    def unbound(self, pod: Pod) -> Pod:
        """A known pod without its node and its age."""

    def revisions(self, total: int) -> Sequence[Revision]:
        """The revisions of `total` pods, oldest first."""

    def revisions_with_waiting(self) -> Sequence[Revision]:
        """The revisions of a workload that is rolled, oldest first, with the pods that wait for a node."""

    def current_revision(self, revisions: Sequence[Revision]) -> int | None:
        """Which of these revisions has the new template."""

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
        """The number of one more pod type that the next reconciler looks after.

        `running` are pods of it whose nodes are known; all are `sure` where nothing else is said, and `pending` more
        wait for a node.
        """

    def ending_type(self, pod: Pod, wanted: int, running: Sequence[Pod], *, whole: int, made: bool = False) -> int:
        """One more type of pods that end by themselves; they may wait at first, or the next reconciler makes them."""

    def lone_type(self, pod: Pod, wanted: int, running: Sequence[Pod], sure: int) -> None:
        """One more pod type that nobody replaces."""

    def at(self, kind: int, nodes: Sequence[str]) -> None:
        """Note that one pod of a type runs on each of these nodes."""

    def not_ready(self, kind: int, pods: Sequence[Pod]) -> None:
        """Note where pods of a type run that are not ready."""

    def add(self, reconciler: Reconciler) -> None:
        """Who looks after the types since the last one that was added."""
