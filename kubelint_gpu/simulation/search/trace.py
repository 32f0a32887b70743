"""What a run that gets stuck is, as data: its steps, who waits at its end, and for what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.quota import PODS, QuotaRefusal
from kubelint_gpu.values import PartlyCompared, Value

if TYPE_CHECKING:
    from kubelint_gpu.simulation.search.frames import Played


class TraceStep(Value):
    """One event of a run, in words: who acts, what happens, and `about` which workload or node.

    `pods` get a place on a `node`, where `left` is free then, or wait for ever: `scheduler` goes on from the message.
    """

    actor: str
    message: str
    about: str = ""
    pods: str = ""
    node: str = ""
    left: str = ""
    scheduler: str = ""


class BlockingPod(Value):
    """Pods on a node: whose they are, whether they are of the new template, how many, and what they hold.

    `node` is where they are; empty for the node that is lacking.
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
        plugin: the filter plugin that rejects; `VolumeAttach` where the pod is bound and its volume is not free.
        reason: its first reason.
        held: what is held: `resource`, `port`, `place` (under anti-affinity or spreading), `volume` or `device`.
        resource: the resource that is short, empty where it is none.
        needed: what the pod asks for, in the scheduler's units.
        free: what is left.
        allocatable: what the node has.
        holders: who holds the rest, or is in the way.
        also: what else the pod lacks on this node, each by itself.
        things: what others have there that the pod could have instead, by name.
        failed: whether the plugin fails, so that the whole attempt does.
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
        """Whose pods are in the way."""
        return frozenset(holder.owner for one in (self, *self.also) for holder in one.holders)

    def may_leave(self, owners: frozenset[str]) -> bool:
        """Whether the node may have what is lacking while no pod of some owners is there."""
        left = sum(holder.amount for holder in self.holders if holder.owner in owners)
        each = (self.free + left >= self.needed) if self.resource else True
        return each and all(one.may_leave(owners) for one in self.also)


class Waiting(Value):
    """A pod that waits for ever: whose it is, what the scheduler says of it, and what it lacks where.

    `refusal` says why a quota does not even let it be created; `pod` is its name, where that is known beforehand.
    `unready` is the node on which it runs and is not ready.
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
        """Whether a quota refuses a claim of it, and not the pod."""
        return self.refusal is not None and self.refusal.kind != PODS

    @property
    def held(self) -> tuple[str, ...]:
        """What it waits for, each word once: `quota`, or what its lacks say."""
        if self.refusal:
            return ("quota",)
        every = (one for lack in self.lacks for one in (lack, *lack.also))
        return tuple(dict.fromkeys(one.held for one in every if one.held))


class Evicted(Value):
    """Pods that preemption takes off a node on the way: whose, how many, for whom, and the budgets that it breaks.

    `lost` says that nobody creates them again.
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
    """A run: its steps, and who waits at its end.

    `evicted` are the owners of pods that were preempted on the way.
    `played` has the state after each step; the steps that tell who waits at the end add no state.
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
        """What new pods wait for at its end, each word once; what others wait for where no new pod does."""
        new = [word for one in self.waiting if one.new for word in one.held]
        return tuple(dict.fromkeys(new or [word for one in self.waiting for word in one.held]))
