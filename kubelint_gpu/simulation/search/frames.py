"""What each node holds at each step of a run, as the replay saw it; computed only when needed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
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
from kubelint_gpu.values import Value

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.device import DeviceID

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
