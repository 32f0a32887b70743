"""A stuck run as data: its steps, which pods wait at its end and for what, and what each node holds at each step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.quota import PODS, QuotaRefusal
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.simulation.controllers.reconciler import PodType, Reconciler
from kubelint_gpu.simulation.controllers.rollout_state import (
    ABSENT,
    AWAITED,
    BROKEN,
    EVICTED,
    LEAVING,
    NOMINATED,
    READY,
    STARTING,
    State,
)
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.values import PartlyCompared, Value

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.device import DeviceID


class TraceStep(Value):
    """One event of a run, in words: the actor, the message, and the workload, node or quota that it is `about`.

    `pods` are placed on a `node` with `left` free, or they wait for ever; then `scheduler` is the scheduler's own
    message.
    """

    actor: str
    message: str
    about: str = ""
    pods: str = ""
    node: str = ""
    left: str = ""
    scheduler: str = ""


class BlockingPod(Value):
    """Pods on a node: owner, whether they have the new template, their number, and the amount that they hold.

    `node` is where they are; empty if it is the node of the `Blocker`.
    """

    owner: str
    new: bool
    count: int
    amount: int
    node: str = ""


class Blocker(Value):
    """Why a waiting pod does not get a node that could take it.

    Attributes:
        node: the node's name.
        plugin: the filter plugin that rejects; `VolumeAttach` if the pod is bound and its volume is not free.
        reason: its first reason.
        held: what others hold: `resource`, `port`, `place` (by anti-affinity or spreading), `volume` or `device`.
        resource: the resource that is short; empty if it is none.
        needed: the pod's request, in the scheduler's units.
        free: the free amount.
        allocatable: the node's allocatable amount.
        holders: the pods that hold the rest, or are in the way.
        also: what else the pod lacks on this node, each by itself.
        things: the names of held things that the pod could use.
        failed: whether the plugin fails with an error, and with it the whole attempt.
    """

    node: str
    plugin: str
    reason: str
    held: str = ""
    resource: str = ""
    needed: int = 0
    free: int = 0
    allocatable: int = 0
    holders: tuple[BlockingPod, ...] = ()
    also: tuple[Blocker, ...] = ()
    things: tuple[str, ...] = ()
    failed: bool = False

    @property
    def owners(self) -> frozenset[str]:
        """The owners of the pods that are in the way."""
        return frozenset(holder.owner for one in (self, *self.also) for holder in one.holders)

    def may_leave(self, owners: frozenset[str]) -> bool:
        """Whether the node can have everything that is lacking after the pods of some owners are gone."""
        left = sum(holder.amount for holder in self.holders if holder.owner in owners)
        each = (self.free + left >= self.needed) if self.resource else True
        return each and all(one.may_leave(owners) for one in self.also)


class Waiting(Value):
    """A pod that waits for ever: its owner, the scheduler's message, and what it lacks on each node.

    `refusal` says why a quota refuses to create it; `pod` is its name, if fixed. `unready` is the node on which it runs
    without being ready.
    """

    owner: str
    new: bool
    count: int
    scheduler: str = ""
    refusal: QuotaRefusal | None = None
    lacks: tuple[Blocker, ...] = ()
    pod: str = ""
    unready: str = ""

    @property
    def lacks_claim(self) -> bool:
        """Whether a quota refuses a claim of the pod, and not the pod itself."""
        return self.refusal is not None and self.refusal.kind != PODS

    @property
    def held(self) -> tuple[str, ...]:
        """What it waits for, each word once: `quota`, or the `held` of its blockers."""
        if self.refusal:
            return ("quota",)
        every = (one for lack in self.lacks for one in (lack, *lack.also))
        return tuple(dict.fromkeys(one.held for one in every if one.held))


class Evicted(Value):
    """Pods that are preempted during a run: their owner, number and preemptor, and the budgets that this violates.

    `lost` says that no controller creates them again.
    """

    owner: str
    priority: int
    node: str
    count: int
    by: str
    by_priority: int
    budgets: tuple[str, ...] = ()
    lost: bool = False


class Trace(PartlyCompared):
    """A run: its steps, and the pods that wait at its end.

    `evicted` are the owners of preempted pods. `played` has the state after each step; the final steps about waiting
    pods add no state.
    """

    not_compared = frozenset({"played"})
    steps: tuple[TraceStep, ...]
    waiting: tuple[Waiting, ...]
    evicted: tuple[str, ...] = ()
    evictions: tuple[Evicted, ...] = ()
    added: tuple[str, ...] = ()
    played: Played | None = None

    @property
    def held(self) -> tuple[str, ...]:
        """What new pods wait for at its end, each word once; if no new pod waits, what others wait for."""
        new = [word for one in self.waiting if one.new for word in one.held]
        return tuple(dict.fromkeys(new or [word for one in self.waiting for word in one.held]))


PHASES = {
    NOMINATED: "nominated",
    STARTING: "starting",
    READY: "running",
    LEAVING: "terminating",
    EVICTED: "evicted",
    AWAITED: "pending",
    BROKEN: "starting",
}
"""A pod's phase in a word; `nominated` has evicted others and waits for their room, `pending` waits for this node."""

WAITING = "waiting"
"""The phase of a pod that has no node."""


class Played(Value, eq=False):
    """A replayed run: its states with real nodes, and what their numbers mean.

    `nodes` are those of the whole cluster and those that may join it; the pods of the cluster stay throughout.
    `devices` are the allocated ones in each state, by node, kind and phase.
    """

    states: tuple[State, ...]
    kinds: tuple[PodType, ...]
    reconcilers: tuple[Reconciler, ...]
    names: tuple[str, ...]
    nodes: tuple[Node, ...]
    cluster: Cluster
    devices: tuple[Mapping[tuple[int, int, int], Sequence[DeviceID]], ...]


class FrameGroup(Value):
    """Pods of one owner and template in one phase; `takes` is the request of one pod, in the scheduler's units.

    `rolls` says that their owner replaces them in this run, so that they are old or new.
    `claims` are the names of the claims in the spec, and `devices` the allocations of all these pods.
    """

    owner: str
    new: bool
    rolls: bool
    phase: str
    count: int
    takes: FrozenMap[str, int]
    claims: tuple[str, ...] = ()
    devices: tuple[DeviceID, ...] = ()


class Frame(Value):
    """One state: the pods on each node in the order of the course's nodes, and those without a node.

    `absent` says for each node whether it has not joined yet.
    """

    nodes: tuple[tuple[FrameGroup, ...], ...]
    waiting: tuple[FrameGroup, ...]
    absent: tuple[bool, ...]


class Course(Value):
    """A run moment by moment, on the nodes where something happens."""

    nodes: tuple[Node, ...]
    moments: tuple[Frame, ...]


def course(played: Played, also: Collection[str] = ()) -> Course:
    """The moments of a run; `also` names nodes that are shown even if no pod in play comes there."""
    wanted = [
        index
        for index, name in enumerate(played.names)
        if name in also or any(state.nodes[index] not in ((), ABSENT) for state in played.states)
    ]
    by_name = {node.name: node for node in played.nodes}
    return Course(
        tuple(by_name[played.names[index]] for index in wanted),
        tuple(_moment(played, *found, wanted) for found in zip(played.states, played.devices, strict=True)),
    )


def _moment(
    played: Played, state: State, has: Mapping[tuple[int, int, int], Sequence[DeviceID]], wanted: Sequence[int]
) -> Frame:
    return Frame(
        tuple(
            tuple(
                _group(played, kind, PHASES[phase], count, has.get((index, kind, phase), ()))
                for kind, phase, count in state.nodes[index]
                if kind >= 0
            )
            for index in wanted
        ),
        tuple(_group(played, kind, WAITING, count) for kind, count in enumerate(state.waiting) if count),
        tuple(state.nodes[index] == ABSENT for index in wanted),
    )


def _group(played: Played, number: int, phase: str, count: int, has: Sequence[DeviceID] = ()) -> FrameGroup:
    kind = played.kinds[number]
    rolls = kind.reconciler >= 0 and played.reconcilers[kind.reconciler].rolls
    owner = kind.owner or f"Pod/{kind.pod.key}"
    claims = tuple([str(entry.get("name")) for entry in kind.pod.spec.resource_claims])
    return FrameGroup(owner, kind.new, rolls, phase, count, takes(kind.pod), claims, tuple(has))
