"""Where the pods of some nodes go if these nodes are lost, and which budgets prevent that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import TypeVar

from kubelint_gpu.capacity.full_cluster import FullCluster, Group, place, victims_for
from kubelint_gpu.capacity.supply import PoolShare, Surge, shares_of, surges_of
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.gpus.gpu_models import gpus_in
from kubelint_gpu.inventory.view.node_rows import natural
from kubelint_gpu.kube.gpu.gpu_labels import HOSTNAME
from kubelint_gpu.kube.objects.disruption import allowed_disruptions
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.placement.filling import numbered
from kubelint_gpu.simulation.prepare.workload_change import owner_of
from kubelint_gpu.simulation.questions.drain import Drained, is_moved
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.project.moved_pods import is_made_anew

AnyGroup = TypeVar("AnyGroup", bound=Group)
ZONE = "topology.kubernetes.io/zone"
_MOST_STEPS = 20_000
"""The nodes times the pods, up to which drains of one node after the other are looked at."""


class Move(Value, eq=False):
    """What happens to the pods of a workload on some nodes.

    Attributes:
        group: the workload.
        to: the nodes that take them, one name for each pod.
        drained: the same in numbers, with the PodDisruptionBudgets.
        preempted: the nodes on which pods of higher priority preempt its pods, one name for each pod.
    """

    group: Group
    to: tuple[str, ...]
    drained: Drained
    preempted: tuple[str, ...] = ()


class Departure(Value, eq=False):
    """Nodes that are lost, and what happens to their pods.

    Attributes:
        what: the lost part, in words: a node, or a zone.
        nodes: their names; for losses of single nodes, all equal ones.
        moves: what happens to the pods there.
        lost: how many pods there have no controller that recreates them, and how many GPUs they hold.
    """

    what: str
    nodes: tuple[str, ...]
    moves: tuple[Move, ...]
    lost: tuple[int, int] = (0, 0)

    @property
    def pending(self) -> int:
        """How many pods find no other node."""
        return sum(one.drained.stranded for one in self.moves)

    @property
    def is_zone(self) -> bool:
        """Whether a whole zone is lost."""
        return self.what.startswith("zone ")

    @property
    def blocked(self) -> bool:
        """Whether a PodDisruptionBudget keeps some pod from leaving."""
        return any(one.drained.blocked for one in self.moves)


def departure(cluster: FullCluster, nodes: Collection[str], what: str) -> Departure:
    """Remove nodes; their pods are placed on the others one after the other, those of the highest priority first.

    A pod that finds no node preempts others as the scheduler does, and these are placed, too. Pods of DaemonSets are
    lost with their nodes. All other pods stay where they are.
    """
    gone = frozenset(nodes)
    stay = [(pod, info.name) for info in cluster.snapshot.nodes if info.name not in gone for pod in info.pods]
    base = cluster.world.base
    left = Snapshot.of(replace(base, nodes=tuple(node for node in base.nodes if node.name not in gone), pods=()))
    left = left.with_pods(stay)
    lost = [pod for pod in cluster.others if pod.spec.node_name in gone and is_moved(pod) and not is_made_anew(pod)]
    moves, keys = [], {one.key for one in cluster.movable}
    preempted: dict[str, list[str]] = {}
    for one in sorted(cluster.movable, key=lambda one: -(one.pod.spec.priority or 0)):
        leaving, driven = sum(node in gone for node in one.placed), preempted.get(one.key, [])
        pods = leaving + len(driven)
        found, left = place(one, pods, left) if pods else ([], left)
        while len(found) < pods and (victims := victims_for(there := replace(one, placed=(*one.placed, *found)), left)):
            for pod, node in victims:
                preempted.setdefault(owner_of(pod), []).append(node)
            lost += [pod for pod, _ in victims if owner_of(pod) not in keys and is_moved(pod)]
            added, left = place(there, pods - len(found), left.without(victims))
            if not added:
                break
            found += added
        if pods:
            budgets, allowed = _budgets(cluster, one) if leaving else ((), None)
            drained = Drained(one.key, what, pods, len(found), budgets, allowed)
            moves.append(Move(one, tuple(found), drained, tuple(driven)))
    amounts = (len(lost), sum(gpus_in(pod_requests(pod.spec)) for pod in lost))
    return Departure(what, tuple(sorted(gone, key=natural)), tuple(moves), amounts)


def _budgets(cluster: FullCluster, one: Group) -> tuple[tuple[str, ...], int | None]:
    """The budgets that cover the pods of a workload; if there is only one, how many pods may be missing."""
    budgets = [budget for budget in one.cluster.disruption_budgets if budget.selects(one.pod)]
    if len(budgets) != 1:
        return tuple(sorted(budget.meta.name for budget in budgets)), None
    same = [other for other in cluster.groups if budgets[0].selects(other.pod)]
    there = [(replace(other.pod, phase="Running", ready=True), len(other.placed)) for other in same]
    waits = [(replace(other.pod, phase="Pending", ready=False), other.pending) for other in same]
    running = [pod for pod in cluster.others if budgets[0].selects(pod)]
    return (budgets[0].meta.name,), allowed_disruptions(budgets[0], running, [*there, *waits])


def departures(cluster: FullCluster) -> Iterator[Departure]:
    """Yield what happens if one node with pods is lost, for each such node, and for each zone if there are several.

    Equal nodes with pods of the same workloads count once: the first by name stands for all.
    """
    on_each: dict[str, dict[str, int]] = {}
    for one in cluster.movable:
        for node in one.placed:
            here = on_each.setdefault(node, {})
            here[one.name] = here.get(one.name, 0) + 1
    alike = grouped((_likeness(cluster, name, tuple(sorted(here.items()))), name) for name, here in on_each.items())
    for names in alike.values():
        first, *same = sorted(names, key=natural)
        found = departure(cluster, [first], f"node {first}")
        yield found if not same else replace(found, nodes=tuple(sorted(names, key=natural)))
    zones = cluster.snapshot.values(ZONE)
    for zone in sorted(zones, key=natural) if len(zones) > 1 else ():
        yield departure(cluster, zones[zone], f"zone {zone}")


class Interruption(Value, eq=False):
    """The most pods of a workload without a budget that are missing at once if the nodes are drained in turn.

    Attributes:
        group: the workload.
        node: the node that is drained at that time.
        pods: how many of its pods are there.
    """

    group: Group
    node: str
    pods: int


def interruptions(cluster: FullCluster) -> tuple[Interruption, ...] | None:
    """Drain one node after the other, by name; each takes pods again before the next one is drained.

    Returns the declared workloads with several pods and without a budget that have more than one pod missing at once.
    Pods of a drained node stay where they moved, so that a later drain can affect more. None if there are too many
    nodes and pods.
    """
    names = [info.name for info in sorted(cluster.snapshot.nodes, key=lambda info: natural(info.name))]
    if len(names) * sum(len(one.placed) for one in cluster.groups) > _MOST_STEPS:
        return None
    most: dict[str, Interruption] = {}
    declared = {one.name for one in cluster.groups}
    bound = [(pod, str(pod.spec.node_name)) for pod in cluster.others if not is_made_anew(pod)]
    for name in names:
        found = departure(cluster, [name], name)
        moved = {one.group.name: one for one in found.moves}
        for one in found.moves:
            before = most[one.group.name].pods if one.group.name in most else 1
            mine = one.group.name in declared
            if mine and one.drained.pods > before and one.group.total > 1 and not one.drained.budgets:
                most[one.group.name] = Interruption(one.group, name, one.drained.pods)
        groups = tuple(_after(one, name, moved.get(one.name)) for one in cluster.groups)
        undeclared = tuple(_after(one, name, moved.get(one.name)) for one in cluster.undeclared)
        every = (*groups, *undeclared)
        pods = [(numbered(one.pod, number), node) for one in every for number, node in enumerate(one.placed)]
        snapshot = cluster.empty.with_pods([*bound, *pods])
        cluster = replace(cluster, groups=groups, undeclared=undeclared, snapshot=snapshot)
    return tuple(most.values())


class CapacityAnswer(Value, eq=False):
    """A cluster with all pods: its pools, its rollouts, what happens if nodes or zones are lost, or drained in turn."""

    cluster: FullCluster
    shares: tuple[PoolShare, ...]
    surges: tuple[Surge, ...]
    gone: tuple[Departure, ...] = ()
    drains: tuple[Interruption, ...] | None = None


def at_rest(cluster: FullCluster) -> CapacityAnswer:
    """Return the pools and the rollouts alone."""
    surges = surges_of(cluster)
    return CapacityAnswer(cluster, shares_of(cluster, surges), surges)


def with_losses(found: CapacityAnswer) -> CapacityAnswer:
    """Add what happens if nodes are lost."""
    return replace(found, gone=tuple(departures(found.cluster)), drains=interruptions(found.cluster))


def _after(group: AnyGroup, node: str, move: Move | None) -> AnyGroup:
    """The workload after a node was drained and takes pods again; pods without another node return there."""
    if move is None:
        return group
    driven = Counter(move.preempted)
    stay = [*(Counter(one for one in group.placed if one != node) - driven).elements()]
    return replace(group, placed=(*stay, *move.to, *([node] * move.drained.stranded)))


def _likeness(cluster: FullCluster, name: str, pods: tuple[tuple[str, int], ...]) -> object:
    info = cluster.snapshot.node(name)
    if info is None:
        return name
    labels = tuple(sorted((key, value) for key, value in info.node.labels.items() if key != HOSTNAME))
    return pods, labels, info.node.allocatable, info.taints, tuple(sorted(info.used.items()))
