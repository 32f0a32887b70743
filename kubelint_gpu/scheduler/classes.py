"""Node classes: nodes that no filter can tell apart for a pod are judged once.

A node is projected on the labels that the pod's plugins look at (`Prepared.labels`), its taints, `unschedulable`,
allocatable, what is used on it and its host ports.
Labels with many values (`kubernetes.io/hostname`) are not split by value: only the nodes whose value matters are taken
out of their class.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kubelint_gpu.scheduler.equality import Likeness
from kubelint_gpu.scheduler.framework import Labels, Status
from kubelint_gpu.scheduler.node_info import NodeInfo
from kubelint_gpu.scheduler.snapshot import Snapshot

_MOST_PARTITIONS = 256
_ANYTHING_ELSE = "anything else"
_NOBODY: frozenset[str] = frozenset()


class Group:
    """Nodes that a projection does not tell apart, in parts whose pods are of equal kinds."""

    __slots__ = ("_nodes", "parts", "size")

    def __init__(self, parts: Mapping[int, Sequence[Sequence[NodeInfo]]], size: int) -> None:
        self.parts = parts
        self.size = size
        self._nodes: tuple[NodeInfo, ...] | None = None

    @property
    def nodes(self) -> tuple[NodeInfo, ...]:
        """Its nodes by name."""
        if self._nodes is None:
            found = [node for part in self.parts.values() for nodes in part for node in nodes]
            self._nodes = tuple(sorted(found, key=_name))
        return self._nodes


class NodeClass(NamedTuple):
    """Nodes with one verdict: a group without some of its members; `status` None means that the pod fits."""

    group: Group
    apart: frozenset[str]
    status: Status | None

    @property
    def size(self) -> int:
        """How many nodes there are in it."""
        return self.group.size - len(self.apart)

    @property
    def representative(self) -> NodeInfo:
        """One of its nodes."""
        apart = self.apart
        return next(
            node
            for part in self.group.parts.values()
            for nodes in part
            for node in nodes
            if not apart or node.node.meta.name not in apart
        )

    @property
    def nodes(self) -> tuple[NodeInfo, ...]:
        """Its nodes by name."""
        if not self.apart:
            return self.group.nodes
        return tuple(node for node in self.group.nodes if node.node.meta.name not in self.apart)

    def by_pods(self, snapshot: Snapshot) -> Iterator[NodeClass]:
        """The classes into which the kinds of pods on its nodes split it."""
        parts = self.group.parts
        if len(parts) == 1:
            yield self
            return
        missing: dict[int, list[str]] = {}
        if self.apart:
            likeness = snapshot.equal().likeness
            for name in sorted(self.apart):
                missing.setdefault(likeness[name].pods, []).append(name)
        for pods, part in parts.items():
            found = NodeClass(_group({pods: part}), frozenset(missing.get(pods, ())), self.status)
            if found.size:
                yield found


class Partition(NamedTuple):
    """All nodes in groups, and the position of the group of each likeness."""

    groups: tuple[Group, ...]
    position: Mapping[Likeness, int]


def alone(node: NodeInfo) -> Group:
    """A group of one node."""
    return Group({0: ((node,),)}, 1)


def _group(parts: Mapping[int, Sequence[Sequence[NodeInfo]]]) -> Group:
    return Group(parts, sum([len(nodes) for part in parts.values() for nodes in part]))


def classes(snapshot: Snapshot, sights: Sequence[Labels], apart: frozenset[str]) -> list[NodeClass]:
    """The nodes in classes, without a verdict yet, that filters with these sights do not tell apart."""
    partition = _partition(snapshot, frozenset([key for labels in sights for key in labels]))
    special = _special(snapshot, sights, apart)
    if not special:
        return [NodeClass(group, _NOBODY, None) for group in partition.groups]
    wide = snapshot.wide_labels()
    likeness = snapshot.equal().likeness
    taken: dict[int, list[str]] = {}
    finer: dict[Hashable, dict[int, list[list[NodeInfo]]]] = {}
    for name in sorted(special):
        node = snapshot.node(name)
        if node is None:
            continue
        like = likeness[name]
        position = partition.position[like]
        taken.setdefault(position, []).append(name)
        key = (position, name if name in apart else None, _tokens(node, sights, wide))
        finer.setdefault(key, {}).setdefault(like.pods, [[]])[0].append(node)
    found = []
    for position, group in enumerate(partition.groups):
        gone = taken.get(position, ())
        if len(gone) < group.size:
            found.append(NodeClass(group, frozenset(gone), None))
    found += [NodeClass(_group(parts), _NOBODY, None) for parts in finer.values()]
    return found


def _special(snapshot: Snapshot, sights: Sequence[Labels], apart: frozenset[str]) -> set[str]:
    wide = snapshot.wide_labels()
    special = set(apart)
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


def _partition(snapshot: Snapshot, keys: frozenset[str]) -> Partition:
    partitions: dict[frozenset[str], Partition] = snapshot.derived("partitions", lambda _: {})
    found = partitions.get(keys)
    if found is None:
        if len(partitions) >= _MOST_PARTITIONS:
            partitions.clear()
        found = partitions[keys] = _divided(snapshot, keys)
    return found


def _divided(snapshot: Snapshot, keys: frozenset[str]) -> Partition:
    wide = snapshot.wide_labels()
    narrow, present = sorted(keys - wide), sorted(keys & wide)
    groups: dict[Hashable, dict[int, list[Sequence[NodeInfo]]]] = {}
    position: dict[Likeness, int] = {}
    place: dict[Hashable, int] = {}
    for likeness, nodes in snapshot.equal().nodes.items():
        labels = nodes[0].node.meta.labels
        key = (
            likeness.shape,
            likeness.load,
            *[labels.get(name) for name in narrow],
            *[name in labels for name in present],
        )
        groups.setdefault(key, {}).setdefault(likeness.pods, []).append(nodes)
        position[likeness] = place.setdefault(key, len(place))
    return Partition(tuple([_group(parts) for parts in groups.values()]), position)


def _name(node: NodeInfo) -> str:
    return node.node.meta.name
