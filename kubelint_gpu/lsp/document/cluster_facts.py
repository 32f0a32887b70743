"""Counts what the declared cluster offers: labels, taints, resources, classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.priority import SYSTEM_CLASSES, PriorityClass
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet


class ClusterFacts(Value):
    """Numbers of nodes; a label, taint or resource that only a growing pool would add counts 0.

    Attributes:
        nodes: the number of nodes.
        labels: by key, the number of nodes with each value.
        taints: by key, the number of nodes with each taint: value and effect.
        resources: by name, the amount on each node that has it, ascending.
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
    """Computes facts once for the same nodes."""

    def __init__(self) -> None:
        self._nodes: Sequence[Node] | None = None
        self._facts = ClusterFacts(0, {}, {}, {}, {}, ())

    def of(self, unit: ApplySet) -> ClusterFacts:
        """Return everything that the manifests of a unit can refer to: declared objects, and their own."""
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
            priority_classes={each.name: each for each in (*SYSTEM_CLASSES, *cluster.priority_classes)},
            runtime_classes=tuple(sorted(each.name for each in cluster.runtime_classes)),
        )


def _labels(nodes: Sequence[Node], future: Sequence[Node]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {}
    for weight, some in ((1, nodes), (0, future)):
        for node in some:
            for key, value in node.labels.items():
                counts.setdefault(key, Counter())[value] += weight
    return counts


def _taints(nodes: Sequence[Node], future: Sequence[Node]) -> dict[str, Counter[tuple[str, str]]]:
    counts: dict[str, Counter[tuple[str, str]]] = {}
    for weight, some in ((1, nodes), (0, future)):
        for node in some:
            for taint in node.taints:
                counts.setdefault(taint.key, Counter())[taint.value, taint.effect] += weight
    return counts


def _resources(nodes: Sequence[Node], future: Sequence[Node]) -> dict[str, tuple[int, ...]]:
    amounts = grouped(
        (name, number) for node in nodes for name, number in node.allocatable.items() if number and name != "pods"
    )
    for node in future:
        for name, number in node.allocatable.items():
            if number and name != "pods":
                amounts.setdefault(name, [])
    return {name: tuple(sorted(numbers)) for name, numbers in amounts.items()}
