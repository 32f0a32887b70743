"""The controllers that act in a rollout, besides scheduler and kubelets: one reconciler for each workload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.node_info import has_claims
from kubelint_gpu.values import Value

if TYPE_CHECKING:
    from typing_extensions import Self

    from kubelint_gpu.simulation.controllers.rollout_state import Census

_POD_NAME = "statefulset.kubernetes.io/pod-name"


class PodType(Value):
    """Interchangeable pods: same owner, same template.

    Attributes:
        pod: a pod of this kind, with its priority resolved.
        reconciler: the position of the reconciler that owns it; -1 if no controller replaces it.
        new: whether it has the template that is being rolled out.
        temporary: whether the pod ends by itself at some time, as a Job's does.
        whole: for a Job whose pods wait for each other, how many must run before they end together.
        pinned: whether each pod is created for one node, as a daemon pod is.
        ranked: whether its pods rank differently when the owner deletes one, so that any of them may be the one.
        owner: `kind/namespace/name` of the owner.
    """

    pod: Pod
    reconciler: int
    new: bool = False
    temporary: bool = False
    pinned: bool = False
    ranked: bool = False
    owner: str = ""
    whole: int = 0

    @property
    def has_claims(self) -> bool:
        """Whether its pods have resource claims or hold devices."""
        return has_claims(self.pod)

    @property
    def name(self) -> str:
        """The name of its only pod, if the name is fixed, as for an ordinal; else empty."""
        meta = self.pod.meta
        return meta.name if meta.labels.get(_POD_NAME) == meta.name else ""

    @property
    def priority(self) -> int:
        """The pod's priority after admission."""
        return self.pod.spec.priority or 0


Control = tuple[int, ...]
WHOSE = "{whose}"


class Action(Value):
    """One action of a controller.

    Attributes:
        control: what the controller has written afterwards.
        what: the sentence that describes it; `WHOSE` stands for the workload, which otherwise comes last.
        create: pods of one kind that it creates, as (kind, count).
        delete: pods of one kind that it deletes, as (kind, count); `family` are the kinds of the same owner.
        node: the node for which it creates or on which it deletes a pod; -1 for any.
        by: the kind of the acting controller, for example `ReplicaSet`; empty for the workload's own.
    """

    control: Control
    what: str
    create: tuple[int, int] | None = None
    delete: tuple[int, int] | None = None
    family: tuple[int, ...] = ()
    node: int = -1
    by: str = ""


class Reconciler(Protocol):
    """The controller of one workload in a search, state by state."""

    @property
    def name(self) -> str:
        """`kind/namespace/name` of the workload."""

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of its pods."""

    @property
    def replicas(self) -> int:
        """The desired number of pods; 0 if it counts nodes."""

    @property
    def rolls(self) -> bool:
        """Whether it rolls out a new template."""

    @property
    def node_sets(self) -> tuple[tuple[str, ...], ...]:
        """Sets of node names that it treats differently, as a DaemonSet does."""

    def begin(self) -> Control:
        """The control at the moment when the template changes."""

    def located(self, positions: Mapping[str, int]) -> Reconciler:
        """The same reconciler with the positions of its nodes."""

    def actions(self, control: Control, seen: Census) -> Iterator[Action]:
        """Yield each action that it could do next."""

    def done(self, control: Control, seen: Census) -> bool:
        """Whether its rollout is complete; without a rollout, whether all replicas are available."""


class EqualNodes(Value):
    """Base of reconcilers that treat all nodes alike."""

    @property
    def node_sets(self) -> tuple[tuple[str, ...], ...]:
        """Empty: all nodes are alike."""
        return ()

    def begin(self) -> Control:
        """The empty control: it writes nothing."""
        return ()

    def located(self, _positions: Mapping[str, int]) -> Self:
        """The same reconciler: it looks at no node."""
        return self
