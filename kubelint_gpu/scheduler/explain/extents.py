"""How much of something the nodes of a class have, devices included, and which pods keep another pod off them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.attempt import reservations
from kubelint_gpu.scheduler.framework.facts import nobody_blocks
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.relations import facts_of, stock


class Extent(NamedTuple):
    """The least and the most that one node of a class has of a resource, in the scheduler's units."""

    least: int
    most: int


def extent(amounts: Sequence[int]) -> Extent:
    """The least and the most of some amounts."""
    return Extent(min(amounts), max(amounts))


def devices_of(pod: Pod, snapshot: Snapshot, nodes: Sequence[NodeInfo]) -> tuple[Extent, Extent] | None:
    """How many devices that the pod can have are free on the nodes, and how many there are; None without claims."""
    found = [one for one in (stock(pod, snapshot, info.name) for info in nodes) if one is not None]
    return (extent([free for free, _ in found]), extent([there for _, there in found])) if found else None


def devices_taken(pod: Pod, snapshot: Snapshot, node: NodeInfo) -> tuple[str, ...]:
    """The devices that a pod gets on a node that takes it, including those of shared claims."""
    had = reservations(pod, snapshot, node.name)[0].allocations
    return tuple([str(device.id) for _, allocation in had for device in allocation.devices])


def blocking(pod: Pod, snapshot: Snapshot, nodes: Sequence[NodeInfo], status: Status) -> list[tuple[Pod, str]]:
    """The pods with claims that keep the pod off some nodes by a filter's verdict, each with its node's name."""
    keeps = (facts_of(status.plugin).blockers or nobody_blocks)(pod, snapshot, status.reasons[0])
    every = [(other, info, keeps(other)) for info in snapshot.nodes for other in info.claimants]
    return [(other, info.name) for other, info, reach in every if any(reach(one.node, info.node) for one in nodes)]
