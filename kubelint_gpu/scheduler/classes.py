"""Node classes: nodes that no filter can tell apart for a pod are judged once.

A node is projected on the labels that the pod's plugins look at (`Prepared.labels`), its taints, `unschedulable`,
allocatable, what is used on it and its host ports.
Labels with many values (`kubernetes.io/hostname`) are not split by value: only the nodes whose value matters are taken
out of their class.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.scheduler.framework import Labels, Status
from kubelint_gpu.scheduler.snapshot import NodeInfo, Snapshot

_MANY_VALUES = 16
_MOST_PARTITIONS = 64
_ANYTHING_ELSE = "anything else"


class Group:
    """Nodes, in the order of their names, that a projection does not tell apart."""

    __slots__ = ("_by_pods", "nodes")

    def __init__(self, nodes: tuple[NodeInfo, ...]) -> None:
        self.nodes = nodes
        self._by_pods: Mapping[Hashable, Group] | None = None

    def by_pods(self, snapshot: Snapshot) -> Mapping[Hashable, Group]:
        """The group's nodes by the kinds of the pods on them."""
        if self._by_pods is None:
            self._by_pods = _grouped(self.nodes, lambda node: pod_kinds(node, snapshot))
        return self._by_pods


class NodeClass(NamedTuple):
    """Nodes with one verdict: a group without some of its members; `status` None means that the pod fits."""

    group: Group
    apart: frozenset[str]
    status: Status | None

    @property
    def size(self) -> int:
        """How many nodes there are in it."""
        return len(self.group.nodes) - len(self.apart)

    @property
    def representative(self) -> NodeInfo:
        """Its first node by name."""
        if not self.apart:
            return self.group.nodes[0]
        return next(node for node in self.group.nodes if node.node.meta.name not in self.apart)

    @property
    def nodes(self) -> tuple[NodeInfo, ...]:
        """Its nodes by name."""
        if not self.apart:
            return self.group.nodes
        return tuple(node for node in self.group.nodes if node.node.meta.name not in self.apart)

    def by_pods(self, snapshot: Snapshot) -> Iterator[NodeClass]:
        """The classes into which the kinds of pods on its nodes split it."""
        if len(self.group.nodes) == 1:
            yield self
            return
        parts = self.group.by_pods(snapshot)
        missing: dict[Hashable, list[str]] = {}
        for name in sorted(self.apart):
            node = snapshot.node(name)
            if node is not None:
                missing.setdefault(pod_kinds(node, snapshot), []).append(name)
        for kinds, part in parts.items():
            found = NodeClass(part, frozenset(missing.get(kinds, ())), self.status)
            if found.size:
                yield found


class Partition(NamedTuple):
    """All nodes in groups, and the position of each node's group."""

    groups: tuple[Group, ...]
    position: Mapping[str, int]


def classes(snapshot: Snapshot, sights: Sequence[Labels], apart: frozenset[str]) -> list[tuple[Group, frozenset[str]]]:
    """The nodes in classes that filters with these sights do not tell apart.

    Each is a group and the names of its members that are in other classes.
    """
    wide = _wide_labels(snapshot)
    partition = _partition(snapshot, frozenset(key for labels in sights for key in labels))
    special = _special(snapshot, sights, apart, wide)
    if not special:
        return [(group, frozenset()) for group in partition.groups]
    taken: dict[int, list[str]] = {}
    finer: dict[Hashable, list[NodeInfo]] = {}
    for name in sorted(special):
        node = snapshot.node(name)
        if node is not None:
            position = partition.position[name]
            taken.setdefault(position, []).append(name)
            alone = name if name in apart else None
            finer.setdefault((position, alone, _tokens(node, sights, wide)), []).append(node)
    found = []
    for position, group in enumerate(partition.groups):
        gone = taken.get(position, ())
        if len(gone) < len(group.nodes):
            found.append((group, frozenset(gone)))
    found += [(Group(tuple(nodes)), frozenset()) for nodes in finer.values()]
    return found


def pod_kinds(node: NodeInfo, snapshot: Snapshot) -> Hashable:
    """What the pods of a node are, apart from their names and ages."""
    return tuple(sorted([kind_of(pod, snapshot) for pod in node.pods]))


def kind_of(pod: Pod, snapshot: Snapshot) -> int:
    """A number that pods share which are equal in all but name, age and owner."""
    memory = snapshot.memory
    return memory.of("kind", pod, lambda pod: memory.number(_kind(pod, snapshot)))


def _kind(pod: Pod, snapshot: Snapshot) -> Hashable:
    spec, meta = pod.spec, pod.meta
    claims = bool(spec.volumes or spec.resource_claims)
    return (
        meta.namespace,
        meta.labels,
        spec.priority or 0,
        meta.terminating,
        snapshot.memory.load(pod),
        spec.pod_anti_affinity,
        (spec.volumes, spec.resource_claims, meta.name) if claims else None,
    )


def _special(
    snapshot: Snapshot, sights: Sequence[Labels], apart: frozenset[str], wide: frozenset[str]
) -> frozenset[str] | set[str]:
    special = {name for name in apart if snapshot.node(name) is not None}
    for labels in sights:
        for key, values in labels.items():
            if key in wide:
                names = snapshot.values(key)
                for value in names if values is None else values:
                    special.update(names.get(value, ()))
    return special


def _tokens(node: NodeInfo, sights: Sequence[Labels], wide: frozenset[str]) -> Hashable:
    found: list[Hashable] = []
    for labels in sights:
        for key, values in labels.items():
            if key in wide:
                value = node.node.meta.labels.get(key)
                known = value is None or values is None
                found.append(value if known else (values or {}).get(value or "", _ANYTHING_ELSE))
    return tuple(found)


def _wide_labels(snapshot: Snapshot) -> frozenset[str]:
    return snapshot.static("wide labels", _find_wide_labels)


def _find_wide_labels(snapshot: Snapshot) -> frozenset[str]:
    values: dict[str, set[str]] = {}
    for info in snapshot.nodes:
        for key, value in info.node.meta.labels.items():
            values.setdefault(key, set()).add(value)
    most = min(_MANY_VALUES, len(snapshot.nodes) // 2)
    return frozenset(key for key, found in values.items() if len(found) > most)


def _partition(snapshot: Snapshot, keys: frozenset[str]) -> Partition:
    partitions: dict[frozenset[str], Partition] = snapshot.derived("partitions", lambda _: {})
    found = partitions.get(keys)
    if found is None:
        if len(partitions) >= _MOST_PARTITIONS:
            partitions.clear()
        found = partitions[keys] = _coarser(snapshot, keys)
    return found


def _coarser(snapshot: Snapshot, keys: frozenset[str]) -> Partition:
    wide = _wide_labels(snapshot)
    narrow, present = sorted(keys - wide), sorted(keys & wide)
    found: dict[Hashable, list[NodeInfo]] = {}
    for (_, shape, load), nodes in finest(snapshot).items():
        labels = nodes[0].node.meta.labels
        key = (shape, load, *(labels.get(name) for name in narrow), *(name in labels for name in present))
        found.setdefault(key, []).extend(nodes)
    groups = tuple(Group(tuple(sorted(nodes, key=_name))) for nodes in found.values())
    return Partition(groups, {_name(node): number for number, group in enumerate(groups) for node in group.nodes})


def finest(snapshot: Snapshot) -> Mapping[tuple[int, int, int], Sequence[NodeInfo]]:
    """The nodes by all that any filter could look at, the values of wide labels aside."""
    return snapshot.derived("finest classes", _find_finest)


def _find_finest(snapshot: Snapshot) -> Mapping[tuple[int, int, int], Sequence[NodeInfo]]:
    number = snapshot.memory.number
    shapes = snapshot.static("shapes", _find_shapes)
    found: dict[tuple[int, int, int], list[NodeInfo]] = {}
    for info, (labels, shape) in zip(snapshot.nodes, shapes, strict=True):
        load = number((len(info.pods), frozenset(info.used.items()), info.ports))
        found.setdefault((labels, shape, load), []).append(info)
    return found


def _find_shapes(snapshot: Snapshot) -> Sequence[tuple[int, int]]:
    wide = _wide_labels(snapshot)
    number = snapshot.memory.number
    found = []
    for info in snapshot.nodes:
        node = info.node
        labels = frozenset((key, None if key in wide else value) for key, value in node.meta.labels.items())
        found.append((number(labels), number((info.taints, node.unschedulable, node.allocatable))))
    return found


def _grouped(nodes: Iterable[NodeInfo], key: Callable[[NodeInfo], Hashable]) -> Mapping[Hashable, Group]:
    found: dict[Hashable, list[NodeInfo]] = {}
    for node in nodes:
        found.setdefault(key(node), []).append(node)
    return {kinds: Group(tuple(members)) for kinds, members in found.items()}


def _name(node: NodeInfo) -> str:
    return node.node.meta.name
