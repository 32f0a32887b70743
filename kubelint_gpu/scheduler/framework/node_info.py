"""A node and the pods on it, and the nodes of a cluster with everything that depends only on them."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from operator import attrgetter

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import HostPort, Pod
from kubelint_gpu.kube.objects.taints import Taint
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.scheduler.framework.pod_memory import PodMemory
from kubelint_gpu.values import Value, replace

_NO_PORTS: frozenset[HostPort] = frozenset()


class NodeInfo(Value):
    """A node with its pods; immutable.

    Attributes:
        node: the node.
        pods: its pods that are not finished, including terminating ones.
        used: the sum of their requests, in the scheduler's units.
        ports: the host ports that they use.
        anti: those with required anti-affinity.
        claimants: those that have claims or hold devices.
        taints: the node's NoSchedule and NoExecute taints.
        memory: cached facts about pods, shared by snapshots.
    """

    node: Node
    pods: tuple[Pod, ...]
    used: Mapping[str, int]
    ports: frozenset[HostPort]
    anti: tuple[Pod, ...]
    taints: tuple[Taint, ...]
    memory: PodMemory
    claimants: tuple[Pod, ...] = ()

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.meta.name

    @property
    def pod_count(self) -> int:
        """The number of pods on it."""
        return len(self.pods) - sum([pod.is_claim for pod in self.claimants])

    def with_pod(self, pod: Pod) -> NodeInfo:
        """The node with one more pod."""
        load = self.memory.load(pod)
        used = dict(self.used)
        for name, amount in load.requests:
            used[name] = used.get(name, 0) + amount
        return NodeInfo(
            self.node,
            (*self.pods, pod),
            used,
            self.ports.union(load.ports) if load.ports else self.ports,
            (*self.anti, pod) if pod.spec.pod_anti_affinity else self.anti,
            self.taints,
            self.memory,
            (*self.claimants, pod) if has_claims(pod) else self.claimants,
        )

    def with_pods(self, pod: Pod, count: int) -> NodeInfo:
        """The node with `count` more equal pods."""
        one = self.with_pod(pod)
        if count <= 1:
            return one if count else self
        used = dict(self.used)
        for name, amount in self.memory.load(pod).requests:
            used[name] = used.get(name, 0) + amount * count
        anti = (*self.anti, *(pod,) * count) if pod.spec.pod_anti_affinity else self.anti
        return replace(one, pods=(*self.pods, *(pod,) * count), used=used, anti=anti)

    def removed(self, pod: Pod) -> NodeInfo:
        """The node after one of its pods is gone for good."""
        left = self.without((pod,))
        load = self.memory.load
        if not load(pod).ports:
            return left
        return replace(left, ports=frozenset([port for other in left.pods for port in load(other).ports]))

    def without(self, pods: Iterable[Pod]) -> NodeInfo:
        """The node in a dry run that evicts some of its pods, compared by identity.

        Their host ports become free even if another pod uses one of them, too: HostPortInfo upstream is a set.
        """
        gone = list(pods)
        used = dict(self.used)
        left: list[Pod] = []
        ports = self.ports
        for pod in self.pods:
            place = next((place for place, one in enumerate(gone) if one is pod), None)
            if place is None:
                left.append(pod)
                continue
            del gone[place]
            load = self.memory.load(pod)
            if load.ports:
                ports = ports.difference(load.ports)
            for name, amount in load.requests:
                used[name] -= amount
                if not used[name]:
                    del used[name]
        return NodeInfo(
            self.node,
            tuple(left),
            used,
            ports,
            tuple(pod for pod in left if pod.spec.pod_anti_affinity) if self.anti else self.anti,
            self.taints,
            self.memory,
            tuple(pod for pod in left if has_claims(pod)) if self.claimants else self.claimants,
        )


def has_claims(pod: Pod) -> bool:
    """Whether a pod has claims or holds devices."""
    return bool(pod.spec.resource_claims or pod.allocations)


def node_info(node: Node, pods: Iterable[Pod], memory: PodMemory, taints: tuple[Taint, ...] | None = None) -> NodeInfo:
    """A node with its pods; `taints` are its NoSchedule and NoExecute taints, if already known."""
    if taints is None:
        taints = tuple(taint for taint in node.taints if taint.blocks)
    placed = tuple(pods)
    if not placed:
        return NodeInfo(node, (), EMPTY, _NO_PORTS, (), taints, memory)
    used: dict[str, int] = {}
    ports: set[HostPort] = set()
    for pod in placed:
        load = memory.load(pod)
        ports.update(load.ports)
        for name, amount in load.requests:
            used[name] = used.get(name, 0) + amount
    anti = tuple(pod for pod in placed if pod.spec.pod_anti_affinity)
    claimants = tuple(pod for pod in placed if has_claims(pod))
    return NodeInfo(node, placed, used, frozenset(ports), anti, taints, memory, claimants)


class NodeSet:
    """Nodes, sorted by name.

    Attributes:
        source: the nodes as they were given.
        nodes: the nodes by name.
        positions: the index of each node in `nodes`, by its name.
        taints: the NoSchedule and NoExecute taints of each node.

    Raises:
        InvalidObject: two nodes have one name.
    """

    def __init__(self, source: tuple[Node, ...]) -> None:
        self.source = source
        self.nodes = tuple(sorted(source, key=attrgetter("name")))
        for one, other in pairwise(self.nodes):
            if one.name == other.name:
                raise InvalidObject("two nodes have this name", ("metadata", "name"), kind="Node", name=one.name)
        self.positions: Mapping[str, int] = {node.name: place for place, node in enumerate(self.nodes)}
        self.taints = tuple([tuple([taint for taint in node.taints if taint.blocks]) for node in self.nodes])
        self._values: dict[str, Mapping[str, tuple[str, ...]]] = {}

    @cached_property
    def wide_labels(self) -> frozenset[str]:
        """The label keys that have many values, for example `kubernetes.io/hostname`."""
        values: dict[str, set[str]] = {}
        for node in self.nodes:
            for key, value in node.meta.labels.items():
                values.setdefault(key, set()).add(value)
        most = min(PLACEMENT.label_values, len(self.nodes) // 2)
        return frozenset(key for key, found in values.items() if len(found) > most)

    @cached_property
    def likeness(self) -> tuple[tuple[int, int, int], ...]:
        """For each node, numbers for its labels, taints and allocatable; the values of wide labels are ignored."""
        numbers: dict[Hashable, int] = {}
        wide = self.wide_labels

        def number(value: Hashable) -> int:
            return numbers.setdefault(value, len(numbers))

        return tuple(
            [
                (
                    number(frozenset((key, None if key in wide else value) for key, value in node.meta.labels.items())),
                    number((taints, node.unschedulable)),
                    number(node.allocatable),
                )
                for node, taints in zip(self.nodes, self.taints, strict=True)
            ]
        )

    def values(self, label: str) -> Mapping[str, tuple[str, ...]]:
        """The names of the nodes by their value of a label; nodes without it are left out."""
        if label not in self._values:
            found: dict[str, list[str]] = {}
            for node in self.nodes:
                value = node.meta.labels.get(label)
                if value is not None:
                    found.setdefault(value, []).append(node.name)
            self._values[label] = {value: tuple(names) for value, names in found.items()}
        return self._values[label]


_LATEST: deque[NodeSet] = deque(maxlen=8)


def node_set(nodes: tuple[Node, ...]) -> NodeSet:
    """The set of these nodes; the same object for the same tuple, as long as it is among the latest.

    Raises:
        InvalidObject: two nodes have one name.
    """
    found = next((one for one in _LATEST if one.source is nodes), None)
    if found is None:
        found = NodeSet(nodes)
        _LATEST.append(found)
    return found
