"""Nodes that an autoscaler may add while a pod waits."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.values import dataclass, replace

_HOSTNAME = "kubernetes.io/hostname"


@dataclass(frozen=True, slots=True)
class Growth:
    """A pool that grows: a node as it would add it, how many it has, and the most it may have."""

    template: Node
    existing: int
    most: int


@dataclass(frozen=True, slots=True)
class Grown:
    """The nodes that may join."""

    nodes: tuple[Node, ...]


def possible_nodes(growth: Sequence[Growth], enough: int) -> Grown | None:
    """The nodes that pools may still add, no more of each pool than could be of use; None without any."""
    nodes = []
    for pool in growth:
        for number in range(1, min(pool.most - pool.existing, enough, SIMULATION.pool_nodes) + 1):
            name = f"{pool.template.name}+{number}"
            labels = pool.template.labels
            if _HOSTNAME in labels:
                labels = FrozenMap({**labels, _HOSTNAME: name})
            meta = replace(pool.template.meta, name=name, uid="", labels=labels)
            nodes.append(replace(pool.template, meta=meta))
    return Grown(tuple(nodes)) if nodes else None
