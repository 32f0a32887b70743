"""What acts in a rollout besides the scheduler and the kubelets: one reconciler per workload."""

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
    """Pods that are interchangeable: same owner, same template.

    Attributes:
        pod: a pod of this kind, with its priority resolved.
        reconciler: the position of the reconciler that owns it; -1 for a pod that nobody replaces.
        new: whether it is of the template that is being rolled out.
        temporary: whether such a pod ends by itself some day, as a Job's does.
        whole: of a Job whose pods wait for each other, how many there must be before they end, all together.
        pinned: whether each is made for one node, as a daemon pod is.
        ranked: whether its pods differ in what their owner looks at when it deletes one, so that it may be any.
        owner: `kind/namespace/name` of whose they are.
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
        """Whether its pods have claims or hold devices."""
        return has_claims(self.pod)

    @property
    def name(self) -> str:
        """The name of its only pod, where the controller does not draw it: that of an ordinal."""
        meta = self.pod.meta
        return meta.name if meta.labels.get(_POD_NAME) == meta.name else ""

    @property
    def priority(self) -> int:
        """The priority that admission gave it."""
        return self.pod.spec.priority or 0


Control = tuple[int, ...]
WHOSE = "{whose}"


class Action(Value):
    """One thing that a controller does.

    Attributes:
        control: what it has written after it.
        what: the sentence that says so; `WHOSE` stands where it names the workload, else that comes last.
        create: pods of one kind that it creates, as (kind, count).
        delete: pods of one kind that it deletes, as (kind, count); `family` are the kinds that count as its owner's.
        node: the node for which it creates a pod, or on which it deletes it; -1 where it does not say.
        by: which controller does it, `ReplicaSet` for instance; empty for the workload's own.
    """

    control: Control
    what: str
    create: tuple[int, int] | None = None
    delete: tuple[int, int] | None = None
    family: tuple[int, ...] = ()
    node: int = -1
    by: str = ""


class Reconciler(Protocol):
    """What the controller of one workload does in a search, state by state."""

    @property
    def name(self) -> str:
        """`kind/namespace/name` of the workload."""

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kinds of its pods."""

    @property
    def replicas(self) -> int:
        """The pods that it works towards; 0 where it counts nodes."""

    @property
    def rolls(self) -> bool:
        """Whether it rolls a new template out."""

    @property
    def node_sets(self) -> tuple[tuple[str, ...], ...]:
        """The names of nodes that it treats in different ways, as a DaemonSet does."""

    def begin(self) -> Control:
        """What is written at the moment the template changes."""

    def located(self, positions: Mapping[str, int]) -> Reconciler:
        """The same reconciler when the positions of nodes are known."""

    def actions(self, control: Control, seen: Census) -> Iterator[Action]:
        """All that it would do next, each by itself."""

    def done(self, control: Control, seen: Census) -> bool:
        """Whether its rollout is complete; of replicas that are not rolled, whether all are available."""


class EqualNodes(Value):
    """What a reconciler answers that treats all nodes alike, and is done when its workload is as it shall be."""

    @property
    def node_sets(self) -> tuple[tuple[str, ...], ...]:
        """There is one set only."""
        return ()

    def begin(self) -> Control:
        """It writes nothing."""
        return ()

    def located(self, _positions: Mapping[str, int]) -> Self:
        """It knows nothing of nodes."""
        return self
