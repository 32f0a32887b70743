"""The nodes of a cluster and everything that depends only on them, shared by all snapshots with these nodes."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from functools import cached_property
from itertools import pairwise
from operator import attrgetter

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.values.errors import InvalidObject


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
