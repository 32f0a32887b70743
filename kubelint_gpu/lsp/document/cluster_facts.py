"""What the declared cluster has to offer, counted: labels, taints, resources, classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.priority import SYSTEM_CLASSES, PriorityClass
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet


class ClusterFacts(Value):
    """Numbers of nodes; a label, taint or resource that only a growing pool would bring counts 0.

    Attributes:
        nodes: how many nodes there are.
        labels: by key, how many nodes carry each value.
        taints: by key, how many nodes carry each taint: value and effect.
        resources: by name, what each node that has it can give, ascending.
        priority_classes: by name.
        runtime_classes: their names.
    """

    nodes: int
    labels: dict[str, Counter[str]]
    taints: dict[str, Counter[tuple[str, str]]]
    resources: dict[str, tuple[int, ...]]
    priority_classes: dict[str, PriorityClass]
    runtime_classes: tuple[str, ...]


class Counts:
    """Counts facts once as long as the nodes are the same."""

    def __init__(self) -> None:
        self._nodes: Sequence[Node] | None = None
        self._facts = ClusterFacts(0, {}, {}, {}, {}, ())

    def of(self, unit: ApplySet) -> ClusterFacts:
        """What a unit's manifests can refer to: what is declared, and what they bring themselves."""
        cluster, grown = unit.cluster, unit.grown
        if self._nodes is not cluster.nodes:
            future = [info.node for info in grown.nodes] if grown is not None else []
            self._nodes = cluster.nodes
            self._facts = ClusterFacts(
                len(cluster.nodes),
                _labels(cluster.nodes, future),
                _taints(cluster.nodes, future),
                _resources(cluster.nodes, future),
                {},
                (),
            )
        return replace(
            self._facts,
            priority_classes={found.name: found for found in (*SYSTEM_CLASSES, *cluster.priority_classes)},
            runtime_classes=tuple(sorted(found.name for found in cluster.runtime_classes)),
        )


def _labels(nodes: Sequence[Node], future: Sequence[Node]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for weight, some in ((1, nodes), (0, future)):
        for node in some:
            for key, value in node.labels.items():
                found.setdefault(key, Counter())[value] += weight
    return found


def _taints(nodes: Sequence[Node], future: Sequence[Node]) -> dict[str, Counter[tuple[str, str]]]:
    found: dict[str, Counter[tuple[str, str]]] = {}
    for weight, some in ((1, nodes), (0, future)):
        for node in some:
            for taint in node.taints:
                found.setdefault(taint.key, Counter())[taint.value, taint.effect] += weight
    return found


def _resources(nodes: Sequence[Node], future: Sequence[Node]) -> dict[str, tuple[int, ...]]:
    found = grouped(
        (name, number) for node in nodes for name, number in node.allocatable.items() if number and name != "pods"
    )
    for node in future:
        for name, number in node.allocatable.items():
            if number and name != "pods":
                found.setdefault(name, [])
    return {name: tuple(sorted(numbers)) for name, numbers in found.items()}
