"""The cluster as one scheduling attempt sees it: nodes and the pods on them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

from kubelint_gpu.budget import PLACEMENT, STEPS
from kubelint_gpu.kube.objects.affinity import PodAffinityTerm
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.scheduler.framework.equality import FEW_NODES, Equal, moved, sorted_out
from kubelint_gpu.scheduler.framework.node_info import NodeInfo, NodeSet, node_info, node_set
from kubelint_gpu.scheduler.framework.pod_memory import PodMemory
from kubelint_gpu.scheduler.framework.release import Behaviour, behaviour, minor_of
from kubelint_gpu.values import replace
from kubelint_gpu.work import charge

T = TypeVar("T")


Placed = tuple[Pod, NodeInfo]
_EQUAL = "equal"


class Snapshot:
    """Nodes, their pods, and the other objects of the cluster that filters look at; immutable.

    `place` and `remove` return a new snapshot that shares the rest with this one.
    Derived values (`by_labels`, `anti_groups` …) are computed when they are first needed.

    Attributes:
        cluster: all objects except nodes and pods (claims, namespaces, budgets …).
        nodes: the nodes, by name.
        behaviour: wordings and switches of the cluster's release.
        memory: cached facts about pods, shared by snapshots.
    """

    __slots__ = ("_derived", "_set", "_statics", "behaviour", "cluster", "memory", "nodes")

    def __init__(
        self,
        cluster: Cluster,
        nodes: tuple[NodeInfo, ...],
        memory: PodMemory,
        among: NodeSet,
        statics: dict[Hashable, Any],
    ) -> None:
        self.cluster = cluster
        self.nodes = nodes
        self.memory = memory
        self.behaviour: Behaviour = memory.behaviour
        self._set = among
        self._statics = statics
        self._derived: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, cluster: Cluster, pods: Iterable[Pod] | None = None) -> Snapshot:
        """The cluster with its own pods, or with other `pods`, each on the node that its spec names.

        Finished pods and pods of missing nodes are left out.

        Raises:
            InvalidObject: two nodes have one name.
            ValueError: the cluster's version is no version of Kubernetes.
        """
        memory = PodMemory(behaviour(_version(cluster)))
        by_node: dict[str, list[Pod]] = {}
        for pod in cluster.pods if pods is None else pods:
            if pod.spec.node_name and not pod.finished:
                by_node.setdefault(pod.spec.node_name, []).append(pod)
        among = node_set(cluster.nodes)
        each = zip(among.nodes, among.taints, strict=True)
        infos = tuple([node_info(node, by_node.get(node.name, ()), memory, taints) for node, taints in each])
        snapshot = cls(cluster, infos, memory, among, {})
        if len(infos) > FEW_NODES:
            snapshot.equal()
            snapshot.by_labels()
            snapshot.anti_groups()
        return snapshot

    def node(self, name: str) -> NodeInfo | None:
        """The node with this name; None if there is none."""
        position = self._set.positions.get(name)
        return None if position is None else self.nodes[position]

    @property
    def pods(self) -> tuple[Pod, ...]:
        """All pods on nodes, in the order of nodes."""
        return tuple(pod for info in self.nodes for pod in info.pods)

    def place(self, pod: Pod, node_name: str) -> Snapshot:
        """The snapshot with one more pod on a node; the pod's own `nodeName` is ignored.

        Raises:
            KeyError: there is no such node.
        """
        position = self._set.positions[node_name]
        charge(1 + (len(self.nodes) + len(self.nodes[position].pods)) // STEPS.copied)
        changed = self.nodes[position].with_pod(pod)
        return self._with(position, changed)

    def with_pods(self, placed: Iterable[tuple[Pod, str]]) -> Snapshot:
        """The snapshot with several more pods, each with the name of its node.

        Raises:
            KeyError: there is no such node.
        """
        changed: dict[str, NodeInfo] = {}
        for pod, name in placed:
            info = changed[name] if name in changed else self.nodes[self._set.positions[name]]
            changed[name] = info.with_pod(pod)
        return self.with_infos(changed)

    def remove(self, pod_key: str, node_name: str | None = None) -> Snapshot:
        """The snapshot without the pod `namespace/name`; `node_name` saves the search.

        Raises:
            KeyError: no node holds such a pod.
        """
        namespace, _, name = pod_key.partition("/")
        nodes = self.nodes
        everywhere = range(len(nodes))
        for position in everywhere if node_name is None else (self._set.positions[node_name],):
            for pod in nodes[position].pods:
                if pod.meta.name == name and pod.meta.namespace == namespace:
                    changed = nodes[position].removed(pod)
                    return self._with(position, changed)
        raise KeyError(pod_key)

    def without(self, placed: Iterable[tuple[Pod, str]]) -> Snapshot:
        """The snapshot without some pods, each with the name of its node; pods are compared by namespace and name.

        Unlike preemption's dry run, this frees no host port that another pod of the node uses, too.

        Raises:
            KeyError: there is no such node, or no such pod on it.
        """
        gone: dict[int, dict[str, None]] = {}
        for pod, name in placed:
            gone.setdefault(self._set.positions[name], {})[pod.key] = None
        nodes = list(self.nodes)
        for position, keys in gone.items():
            info = nodes[position]
            missing = keys.keys() - {pod.key for pod in info.pods}
            if missing:
                raise KeyError(min(missing))
            nodes[position] = node_info(info.node, [pod for pod in info.pods if pod.key not in keys], self.memory)
        return Snapshot(self.cluster, tuple(nodes), self.memory, self._set, self._statics)

    def with_node(self, node: Node) -> Snapshot:
        """The snapshot with one more node, or with the node of this name replaced, which keeps its pods."""
        old = self.node(node.name)
        others = {info.name: info for info in self.nodes if info is not old}
        cluster = replace(self.cluster, nodes=(*[info.node for info in others.values()], node))
        among = NodeSet(cluster.nodes)
        added = node_info(node, old.pods if old else (), self.memory)
        infos = tuple([others.get(one.name, added) for one in among.nodes])
        return Snapshot(cluster, infos, self.memory, among, {})

    def with_cluster(self, cluster: Cluster) -> Snapshot:
        """The same nodes and pods with the other objects of `cluster`."""
        around = replace(cluster, nodes=self.cluster.nodes, pods=self.cluster.pods)
        return Snapshot(around, self.nodes, self.memory, self._set, {})

    def with_infos(self, changed: Mapping[str, NodeInfo]) -> Snapshot:
        """The snapshot with other pods on some nodes, by the nodes' names. Raises KeyError if there is no such node."""
        charge(len(changed) + len(self.nodes) // STEPS.copied)
        nodes = list(self.nodes)
        for name, info in changed.items():
            nodes[self._set.positions[name]] = info
        snapshot = Snapshot(self.cluster, tuple(nodes), self.memory, self._set, self._statics)
        equal: Equal | None = self._derived.get(_EQUAL)
        if equal is not None and len(changed) <= PLACEMENT.few_changed:
            for info in changed.values():
                equal = moved(equal, info)
            snapshot._derived[_EQUAL] = equal
        return snapshot

    def _with(self, position: int, changed: NodeInfo) -> Snapshot:
        nodes = (*self.nodes[:position], changed, *self.nodes[position + 1 :])
        snapshot = Snapshot(self.cluster, nodes, self.memory, self._set, self._statics)
        equal: Equal | None = self._derived.get(_EQUAL)
        if equal is not None:
            snapshot._derived[_EQUAL] = moved(equal, changed)
        return snapshot

    def derived(self, key: Hashable, compute: Callable[[Snapshot], T]) -> T:
        """Return `compute(self)`, computed once per snapshot."""
        if key not in self._derived:
            self._derived[key] = compute(self)
        found: T = self._derived[key]
        return found

    def static(self, key: Hashable, compute: Callable[[Snapshot], T]) -> T:
        """Return `compute(self)`, computed once for all snapshots of this cluster.

        It must depend only on nodes and cluster, not on pods.
        """
        if key not in self._statics:
            self._statics[key] = compute(self)
        found: T = self._statics[key]
        return found

    def equal(self) -> Equal:
        """The nodes grouped by everything that a filter could look at, except for the values of wide labels."""
        return self.derived(_EQUAL, lambda _: sorted_out(self.nodes, self._set, self.memory))

    def wide_labels(self) -> frozenset[str]:
        """The label keys that have too many values to distinguish nodes by each of them."""
        return self._set.wide_labels

    def by_labels(self) -> Mapping[tuple[str, FrozenMap[str, str]], tuple[Placed, ...]]:
        """The placed pods by namespace and labels, in the order of nodes: a selector is tried once per entry."""
        return self.derived("by labels", _by_labels)

    def anti_groups(self) -> Mapping[tuple[str, tuple[PodAffinityTerm, ...]], tuple[Placed, ...]]:
        """The placed pods with required anti-affinity, by namespace and terms."""
        return self.derived("anti groups", _anti_groups)

    def values(self, label: str) -> Mapping[str, tuple[str, ...]]:
        """The names of the nodes by their value of a label; nodes without it are left out."""
        return self._set.values(label)

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        """The labels of a namespace, with the automatic `kubernetes.io/metadata.name`; empty if it has no object."""
        found = self.static("namespaces", lambda one: {each.name: each.labels for each in one.cluster.namespaces})
        labels: FrozenMap[str, str] = found.get(namespace, EMPTY)
        return labels


def _version(cluster: Cluster) -> str | None:
    if cluster.version is not None:
        return cluster.version
    known = [node.kubelet_version for node in cluster.nodes if minor_of(node.kubelet_version) is not None]
    return max(known, key=lambda version: minor_of(version) or 0, default=None)


def _by_labels(snapshot: Snapshot) -> Mapping[tuple[str, FrozenMap[str, str]], tuple[Placed, ...]]:
    found: dict[tuple[str, FrozenMap[str, str]], list[Placed]] = {}
    for info in snapshot.nodes:
        for pod in info.pods:
            found.setdefault((pod.meta.namespace, pod.meta.labels), []).append((pod, info))
    return {key: tuple(placed) for key, placed in found.items()}


def _anti_groups(snapshot: Snapshot) -> Mapping[tuple[str, tuple[PodAffinityTerm, ...]], tuple[Placed, ...]]:
    found: dict[tuple[str, tuple[PodAffinityTerm, ...]], list[Placed]] = {}
    for info in snapshot.nodes:
        for pod in info.anti:
            found.setdefault((pod.meta.namespace, pod.spec.pod_anti_affinity), []).append((pod, info))
    return {key: tuple(placed) for key, placed in found.items()}
