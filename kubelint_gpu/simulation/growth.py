"""Nodes that an autoscaler may add while a pod waits."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.values import Value, replace

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.resource_slice import ResourceSlice

_HOSTNAME = "kubernetes.io/hostname"


class Growth(Value):
    """A node pool that can grow.

    Attributes:
        name: the pool's name.
        template: a node as the autoscaler would add it.
        existing: how many nodes the pool has.
        further: how many more nodes it can get.
        slices: the devices that drivers publish for such a node.
    """

    name: str
    template: Node
    existing: int
    further: int
    slices: tuple[ResourceSlice, ...] = ()


class Grown(Value):
    """Nodes that can join, and their devices."""

    nodes: tuple[Node, ...] = ()
    slices: tuple[ResourceSlice, ...] = ()

    def among(self, names: Container[str]) -> Grown:
        """Only the nodes with some names, with their devices."""
        slices = tuple([one for one in self.slices if one.node_name in names])
        return Grown(tuple([node for node in self.nodes if node.name in names]), slices)

    def added_to(self, cluster: Cluster) -> Cluster:
        """The cluster after all these nodes have joined."""
        slices = (*cluster.resource_slices, *self.slices)
        return replace(cluster, nodes=(*cluster.nodes, *self.nodes), resource_slices=slices)


def possible_nodes(growth: Sequence[Growth], enough: int) -> Grown | None:
    """The nodes that pools can still add, of each pool no more than `enough`; None if there are none."""
    nodes, slices = [], []
    for pool in growth:
        for number in range(1, min(pool.further, enough, SIMULATION.pool_nodes) + 1):
            name = f"{pool.name}+{number}"
            labels = pool.template.labels
            if _HOSTNAME in labels:
                labels = FrozenMap({**labels, _HOSTNAME: name})
            meta = replace(pool.template.meta, name=name, uid="", labels=labels)
            nodes.append(replace(pool.template, meta=meta))
            slices += [replace(one, name=f"{name}-{one.name}", pool=name, node_name=name) for one in pool.slices]
    return Grown(tuple(nodes), tuple(slices)) if nodes else None


def fully_grown(cluster: Cluster, growth: Sequence[Growth], enough: int) -> Cluster:
    """The cluster after each pool has grown to its limit, but by no more than `enough` nodes."""
    joined = possible_nodes(growth, enough)
    return cluster if joined is None else joined.added_to(cluster)
