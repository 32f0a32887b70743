"""A stuck run as data: its steps, which pods wait at its end, and for what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.quota import PODS, QuotaRefusal
from kubelint_gpu.values import PartlyCompared, Value

if TYPE_CHECKING:
    from kubelint_gpu.simulation.search.frames import Played


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
