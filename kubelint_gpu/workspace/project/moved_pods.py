"""The declared cluster without some of its nodes; their pods are created again on other nodes."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.inventory.declarations.declared import Declared
from kubelint_gpu.inventory.declarations.inventory import Inventory
from kubelint_gpu.inventory.gpus.gpu_models import gpus_in
from kubelint_gpu.inventory.view.node_rows import natural
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.messages.wording import verb
from kubelint_gpu.scheduler import Snapshot, attempt
from kubelint_gpu.scheduler.attempt import assume
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.simulation.questions.drain import is_moved
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.cluster_context import ClusterContext


class Moved(Value, eq=False):
    """A cluster without some of its nodes, and how many pods moved, wait for a node, and are gone."""

    inventory: Inventory
    moved: int
    pending: int
    gone: int

    def __str__(self) -> str:
        """`; of the pods there 2 move, 1 finds no node`; empty if no pod was there."""
        parts = (
            (self.moved, verb("move", self.moved)),
            (self.pending, f"{verb('find', self.pending)} no node"),
            (self.gone, f"{'is' if self.gone == 1 else 'are'} gone"),
        )
        counts = [f"{number} {does}" for number, does in parts if number]
        return f"; of the pods there {', '.join(counts)}" if counts else ""


def with_moved_pods(before: Inventory, after: Inventory, nodes: Sequence[str]) -> Moved:
    """Create the pods of removed nodes again on the remaining nodes.

    The pod of the highest priority comes first, and no pod is evicted. A pod with GPUs goes to the node with the fewest
    free GPUs that takes it; the scheduler might choose another one. Pods of DaemonSets, static pods and pods without a
    controller are gone with the node. A pod without a node holds nothing.

    Raises:
        UsedUp: this takes more work than one answer may.
    """
    snapshot = Snapshot.of(ClusterContext(after).base)
    lost = [
        one
        for one in before.objects
        if isinstance(one.typed, Pod) and one.typed.spec.node_name in nodes and not one.typed.finished
    ]
    coming = [declared for declared in lost if is_made_anew(declared.typed)]
    placed: list[Declared] = []
    for one in sorted(coming, key=lambda one: -(one.typed.spec.priority or 0)):
        pod = anew(one.typed)
        found = attempt(pod, snapshot)
        if found.fit is not None and found.fit.schedulable:
            free = {info.name: free_gpus(info) for info in snapshot.nodes if info.name in found.fit.fits}
            node = min(free, key=lambda name: (free[name], natural(name)))
            snapshot = assume(pod, snapshot, node)
            placed.append(_on(one, pod, node))
    inventory = replace(after, objects=(*after.objects, *placed))
    return Moved(inventory, len(placed), len(coming) - len(placed), len(lost) - len(coming))


def is_made_anew(pod: Pod) -> bool:
    """Whether a pod gets a successor on another node if its node is removed."""
    return pod.meta.owner is not None and is_moved(pod)


def anew(pod: Pod) -> Pod:
    """Return the successor of a pod, without a node."""
    return replace(pod, spec=replace(pod.spec, node_name=""), start_time="", statuses=(), allocations=())


def free_gpus(info: NodeInfo) -> int:
    """Return how many GPUs of a node no pod holds."""
    return gpus_in(info.node.allocatable) - gpus_in(info.used)


def _on(declared: Declared, pod: Pod, node: str) -> Declared:
    """Return the declared pod on another node."""
    value = {**declared.value, "spec": {**declared.value["spec"], "nodeName": node}}
    return replace(declared, value=value, typed=replace(pod, spec=replace(pod.spec, node_name=node)))


class Without(Value):
    """An inventory after removing nodes, and their pods with them.

    `nodes` are the names of the removed nodes. `unmatched` are the patterns that match no node.
    """

    inventory: Inventory
    nodes: tuple[str, ...]
    unmatched: tuple[str, ...]


def without_nodes(inventory: Inventory, patterns: Sequence[str]) -> Without:
    """Return the inventory without the nodes that match any pattern (`gpu-3`, `gpu-*`), and without their pods.

    A pool with autoscaling can add such a node again.
    """
    from fnmatch import fnmatchcase

    names = [each.name for each in inventory.objects if isinstance(each.typed, Node)]
    gone = {name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)}
    unmatched = tuple(pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in names))
    kept = [each for each in inventory.objects if not _goes(each, gone)]
    pools = tuple(
        replace(pool, nodes=tuple(name for name in pool.nodes if name not in gone)) for pool in inventory.pools
    )
    changed = replace(inventory, objects=tuple(kept), pools=pools, unhealthy=inventory.unhealthy - gone)
    return Without(changed, tuple(name for name in names if name in gone), unmatched)


def _goes(declared: Declared, gone: set[str]) -> bool:
    if isinstance(declared.typed, Node) or declared.kind == "CSINode":
        return declared.name in gone
    return isinstance(declared.typed, Pod) and declared.typed.spec.node_name in gone
