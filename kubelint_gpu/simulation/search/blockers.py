"""Which pods keep a waiting pod off a node, by the filter plugin that rejects it."""

from __future__ import annotations

from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.facts import Keeps, Reach, never, nobody_blocks, same_node
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.scheduler.relations import facts_of
from kubelint_gpu.simulation.prepare.demand import takes
from kubelint_gpu.simulation.prepare.volumes import exclusive_claims
from kubelint_gpu.values import Value

ATTACH = "VolumeAttach"
"""In the place of a plugin: the attach/detach controller, which attaches some volumes to one node at a time."""


def rivals(plugin: str, pod: Pod, snapshot: Snapshot, resource: str = "", reason: str = "") -> Keeps:
    """Return which pods keep `pod` off nodes: holders of `resource` if given, else those that the plugin means.

    No pod does for plugins that look at no other pod.
    """
    if resource:
        return lambda other: same_node if takes(other).get(resource, 0) > 0 else never
    if plugin == ATTACH:
        mine = exclusive_claims(pod, snapshot.cluster)
        return lambda other: _elsewhere if not mine.isdisjoint(claim_keys(other)) else never
    return (facts_of(plugin).blockers or nobody_blocks)(pod, snapshot, reason)


def _elsewhere(node: Node, other: Node) -> bool:
    return node.name != other.name


class Placed(Value):
    """A number of equal pods of one owner on one node; `new` if they are of its new template."""

    owner: str
    new: bool
    where: Node
    number: int
    pod: Pod


class Candidates:
    """Collects the pods that keep a pod off nodes, by node."""

    def __init__(self) -> None:
        self._here: dict[str, list[Placed]] = {}
        self._anywhere: list[tuple[Reach, Placed]] = []

    def add(self, pods: Placed, reach: Reach) -> None:
        """Add pods that keep the waiting pod off the nodes in their reach."""
        if reach is same_node:
            self._here.setdefault(pods.where.name, []).append(pods)
        elif reach is not never:
            self._anywhere.append((reach, pods))

    def on(self, node: Node) -> list[Placed]:
        """The pods that keep the waiting pod off a node."""
        return self._here.get(node.name, []) + [one for reach, one in self._anywhere if reach(node, one.where)]
