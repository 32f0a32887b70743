"""Which extended resources the cluster of an `ApplySet` serves, and by what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any

from kubelint_gpu.inventory.declarations.inventory import Inventory
from kubelint_gpu.kube.admission.defaults import without_resources
from kubelint_gpu.kube.dra.device_class import classes_by_resource
from kubelint_gpu.kube.gpu.resource_owners import owner_of
from kubelint_gpu.kube.objects.cluster import read_cluster
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.node import read_node
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.requests import IMPLICIT_RESOURCE, pod_requests
from kubelint_gpu.messages.wording import counted
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources import FACTS, served_by_devices
from kubelint_gpu.simulation.growth import Growth
from kubelint_gpu.simulation.prepare.coupling import nodes_beside_anybody
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.cluster_context import ClusterContext


class ResourceSupply:
    """The extended resources that nodes and devices serve.

    `empty` is the cluster without running pods, `grown` has one node of each pool that can still grow.
    `classes` are all DeviceClasses, including unreadable ones.
    """

    def __init__(
        self, world: ClusterContext, empty: Snapshot, grown: Snapshot | None, classes: Sequence[dict[str, Any]]
    ) -> None:
        self.world = world
        self.empty = empty
        self.grown = grown
        self.classes = classes

    @cached_property
    def advertised(self) -> frozenset[str]:
        """The resources that some node has, or that a pool may add."""
        snapshots = (self.empty,) if self.grown is None else (self.empty, self.grown)
        return frozenset().union(*(snapshot.static("advertised", _advertised) for snapshot in snapshots))

    @cached_property
    def mapped(self) -> frozenset[str]:
        """The extended resources that a DeviceClass maps to devices."""
        specs = (value.get("spec") for value in self.classes)
        names = [spec.get("extendedResourceName") for spec in specs if isinstance(spec, dict)]
        names += [f"{IMPLICIT_RESOURCE}{one.name}" for one in self.empty.cluster.device_classes]
        return frozenset(name for name in names if isinstance(name, str))

    def lacks_served(self, resource: str, pod: Pod, nodes: Collection[str] = ()) -> str:
        """Return what a pod lacks of a resource that a DeviceClass serves, in words; empty for other resources.

        With `nodes`, only these are considered.
        """
        if resource not in served_by_devices(self.empty):
            name = resource.removeprefix(IMPLICIT_RESOURCE)
            return "" if name == resource else f"there is no DeviceClass {name} that serves {resource}"
        served = classes_by_resource(self.empty.cluster.device_classes)[resource]
        names = [info.name for info in self.empty.nodes if info.name in nodes or not nodes]
        most, asked = self._most_served(pod, names), pod_requests(pod.spec)[resource]
        largest = f": the largest has {most}" if 0 < most < asked else ""
        which = "no node" if len(names) == len(self.empty.nodes) else "no node that may take the pod"
        return f"{which} has {counted(asked, 'device')} of DeviceClass {served.name}{largest}; it serves {resource}"

    def serves(self, resource: str, pod: Pod) -> bool:
        """Whether a DeviceClass serves the resource, and some node has as many devices as a pod asks for."""
        if resource not in served_by_devices(self.empty):
            return False
        bare = replace(pod, spec=replace(pod.spec, resource_claims=()))
        return self._most_served(bare, [info.name for info in self.empty.nodes]) >= pod_requests(pod.spec)[resource]

    def _most_served(self, pod: Pod, names: Iterable[str]) -> int:
        stocks = [FACTS.stock(pod, self.empty, name) for name in names]
        return max([there for _, there in filter(None, stocks)], default=0)

    def given_out_elsewhere(self, resource: str, spec: PodSpec | None = None) -> bool:
        """Whether something other than kubelets and kube-scheduler allocates a resource, and nothing is known about it.

        With `spec`, for pods with this spec.
        """
        if resource in served_by_devices(self.empty):
            return False
        # before 1.34 a class has no such field; then whoever has it has opened its gate
        if resource in self.mapped and self.empty.behaviour.dynamic_resources:
            if resource not in self.advertised:
                return True
            return self.world.has_slices and (spec is None or not self._advertised_for(resource, spec))
        implicit = resource.startswith(IMPLICIT_RESOURCE) and self.empty.cluster.devices_known
        elsewhere = resource not in self.advertised and bool(owner_of(resource)) and not implicit
        return elsewhere or self.world.ignores(resource)

    def _advertised_for(self, resource: str, spec: PodSpec) -> bool:
        """Whether all nodes that can take such pods advertise the resource."""
        others = without_resources(spec, lambda name: name == resource)
        pod = Pod(Meta(""), replace(others, resource_claims=()))
        snapshots = (self.empty,) if self.grown is None else (self.empty, self.grown)
        taking = [
            info.node
            for snapshot in snapshots
            for info in map(snapshot.node, nodes_beside_anybody(pod, snapshot))
            if info is not None
        ]
        return bool(taking) and all(node.allocatable.get(resource) for node in taking)


def _advertised(snapshot: Snapshot) -> frozenset[str]:
    return frozenset(name for info in snapshot.nodes for name in info.node.allocatable)


def growth_of(inventory: Inventory) -> tuple[Growth, ...]:
    """The pools of an inventory that can still grow, with the nodes that an autoscaler would add."""
    return tuple(
        Growth(pool.name, read_node(pool.template.value), len(pool.nodes), pool.room, found.resource_slices)
        for pool in inventory.pools
        for found in [read_cluster(one.value for one in pool.slices)]
        if pool.room
    )
