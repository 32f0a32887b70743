"""Node classes: nodes that are equal for all filters of a pod are judged once.

A node is projected on the labels that the pod's plugins look at (`Prepared.labels`), its taints and `unschedulable`,
and on a key from the filters that look at its load (`Prepared.by_load`). Labels with many values
(`kubernetes.io/hostname`) are not split by value: only the nodes whose value matters are taken out of their class.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.scheduler.framework.equality import NodeEquivalence
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Filter, Labels, Plugin, Prepared, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import Value

_MOST_PARTITIONS = PLACEMENT.partitions
_ANYTHING_ELSE = "anything else"
_NOBODY: frozenset[str] = frozenset()


Room = tuple[int, int]
Parts = Mapping[Room, Sequence[Sequence[NodeInfo]]]


class ClassGroup(Value, eq=False, dict=True):
    """Nodes with equal projections, in parts with equal allocatable and pods of equal kinds."""

    parts: Parts
    size: int

    @cached_property
    def nodes(self) -> tuple[NodeInfo, ...]:
        """Its nodes by name."""
        found = [node for part in self.parts.values() for nodes in part for node in nodes]
        return tuple(sorted(found, key=attrgetter("node.meta.name")))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of its nodes."""
        return frozenset([node.name for node in self.nodes])


class NodeClass(Value):
    """Nodes with one verdict: a group without the members in `apart`; `status` None means that the pod fits."""

    group: ClassGroup
    apart: frozenset[str]
    status: Status | None

    @property
    def size(self) -> int:
        """The number of its nodes."""
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
        """Yield its parts with equal allocatable and equal kinds of pods."""
        parts = self.group.parts
        if len(parts) == 1:
            yield self
            return
        missing: dict[Room, list[str]] = {}
        if self.apart:
            likeness = snapshot.equal().likeness
            for name in sorted(self.apart):
                missing.setdefault(_room(likeness[name]), []).append(name)
        for room, part in parts.items():
            found = NodeClass(_group({room: part}), frozenset(missing.get(room, ())), self.status)
            if found.size:
                yield found


class Partition(Value):
    """All nodes in groups, and the position of the group of each equivalence."""

    groups: tuple[ClassGroup, ...]
    position: Mapping[NodeEquivalence, int]


def alone(node: NodeInfo) -> ClassGroup:
    """A group of one node."""
    return ClassGroup({(0, 0): ((node,),)}, 1)


def _group(parts: Parts) -> ClassGroup:
    return ClassGroup(parts, sum([len(nodes) for part in parts.values() for nodes in part]))


def classes(snapshot: Snapshot, prepared: Sequence[tuple[Plugin, Prepared]]) -> Sequence[NodeClass]:
    """The nodes in classes, without a verdict yet, that are equal for these plugins."""
    own = [found.sight for _, found in prepared if found.by_node is not None]
    if not own or None in own:
        return _classes(snapshot, prepared)
    kept: dict[Hashable, Sequence[NodeClass]] = snapshot.derived("node classes", lambda _: {})
    key = (*own, *[(plugin.name, _told_apart(found.labels), found.by_load, found.apart) for plugin, found in prepared])
    if key not in kept:
        if len(kept) >= _MOST_PARTITIONS:
            kept.clear()
        kept[key] = _classes(snapshot, prepared)
    return kept[key]


def _told_apart(labels: Labels) -> Hashable:
    return tuple([(key, None if values is None else tuple(values.items())) for key, values in labels.items()])


def _classes(snapshot: Snapshot, prepared: Sequence[tuple[Plugin, Prepared]]) -> list[NodeClass]:
    sights = [found.labels for _, found in prepared if found.labels]
    views = [found.by_node for _, found in prepared if found.by_node is not None]
    apart = frozenset().union(*[found.apart for _, found in prepared])
    partition = _partition(snapshot, frozenset([key for labels in sights for key in labels]), prepared)
    special = _special(snapshot, sights, apart)
    if views:
        special.update(node.name for node in snapshot.nodes)
    if not special:
        return [NodeClass(group, _NOBODY, None) for group in partition.groups]
    wide = snapshot.wide_labels()
    likeness = snapshot.equal().likeness
    taken: dict[int, list[str]] = {}
    finer: dict[Hashable, dict[Room, list[list[NodeInfo]]]] = {}
    for name in sorted(special):
        node = snapshot.node(name)
        if node is None:
            continue
        like = likeness[name]
        position = partition.position[like]
        taken.setdefault(position, []).append(name)
        key = (position, name if name in apart else None, _tokens(node, sights, wide), *[view(node) for view in views])
        finer.setdefault(key, {}).setdefault(_room(like), [[]])[0].append(node)
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


def _partition(snapshot: Snapshot, keys: frozenset[str], prepared: Sequence[tuple[Plugin, Prepared]]) -> Partition:
    partitions: dict[Hashable, Partition] = snapshot.derived("partitions", lambda _: {})
    weighing = [(plugin.filter, found) for plugin, found in prepared if found.by_load is not None]
    key = (keys, *[found.by_load for _, found in weighing])
    partition = partitions.get(key)
    if partition is None:
        if len(partitions) >= _MOST_PARTITIONS:
            partitions.clear()
        partition = partitions[key] = _divided(snapshot, keys, [(run, found.state) for run, found in weighing])
    return partition


def _divided(snapshot: Snapshot, keys: frozenset[str], weighing: Sequence[tuple[Filter, Any]]) -> Partition:
    wide = snapshot.wide_labels()
    narrow, present = sorted(keys - wide), sorted(keys & wide)
    groups: dict[Hashable, dict[Room, list[Sequence[NodeInfo]]]] = {}
    position: dict[NodeEquivalence, int] = {}
    place: dict[Hashable, int] = {}
    for likeness, nodes in snapshot.equal().nodes.items():
        node = nodes[0]
        labels = node.node.meta.labels
        key = (
            likeness.gate,
            *[labels.get(name) for name in narrow],
            *[name in labels for name in present],
            *[run(state, node) for run, state in weighing],
        )
        groups.setdefault(key, {}).setdefault(_room(likeness), []).append(nodes)
        position[likeness] = place.setdefault(key, len(place))
    return Partition(tuple([_group(parts) for parts in groups.values()]), position)


def _room(likeness: NodeEquivalence) -> Room:
    return likeness.room, likeness.pods
